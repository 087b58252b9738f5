"""AES and SHA-256 as fast as the CPU allows.

>>> from cngaes import AESGCM
>>> key = AESGCM(bytes(32))
>>> sealed = key.encrypt(bytes(12), b"message", b"header")
>>> key.decrypt(bytes(12), sealed, b"header")
b'message'
"""

from __future__ import annotations

from cngaes import _core, hazmat
from cngaes.aead import AESGCM
from cngaes.backends import (
    available_backends,
    build_info,
    compiled_kernels,
    cpu_features,
    default_backend,
    self_test,
    supported_kernels,
)
from cngaes.ciphers import AESCBC, AESCTR, AESECB
from cngaes.exceptions import (
    AlreadyFinalized,
    CngError,
    InvalidPadding,
    InvalidTag,
    UnsupportedBackend,
)
from cngaes.hashes import (
    hmac_sha256,
    hmac_sha256_many,
    hmac_sha256_packed,
    sha256,
    sha256_digest,
    sha256_many,
    sha256_packed,
)

__all__ = [
    "AESCBC",
    "AESCTR",
    "AESECB",
    "AESGCM",
    "AlreadyFinalized",
    "CngError",
    "InvalidPadding",
    "InvalidTag",
    "UnsupportedBackend",
    "available_backends",
    "build_info",
    "compiled_kernels",
    "cpu_features",
    "default_backend",
    "hazmat",
    "hmac_sha256",
    "hmac_sha256_many",
    "hmac_sha256_packed",
    "self_test",
    "sha256",
    "sha256_digest",
    "sha256_many",
    "sha256_packed",
    "supported_kernels",
]

__version__ = str(_core.build_info()["version"])
