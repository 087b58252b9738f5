"""SHA-256 (FIPS 180-4) and HMAC-SHA-256 (FIPS 198-1)."""

from __future__ import annotations

from cngaes._core import (
    hmac_sha256,
    hmac_sha256_many,
    hmac_sha256_packed,
    sha256,
    sha256_digest,
    sha256_many,
    sha256_packed,
)

__all__ = [
    "hmac_sha256",
    "hmac_sha256_many",
    "hmac_sha256_packed",
    "sha256",
    "sha256_digest",
    "sha256_many",
    "sha256_packed",
]
