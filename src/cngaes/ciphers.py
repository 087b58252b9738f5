"""AES without authentication: ECB, CBC and CTR (SP 800-38A)."""

from __future__ import annotations

from cngaes._core import AESCBC, AESCTR, AESECB

__all__ = ["AESCBC", "AESCTR", "AESECB"]
