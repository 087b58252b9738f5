"""Hazardous material: calls that give out what nobody has verified yet."""

from __future__ import annotations

from cngaes._core import GcmDecryptor, gcm_decryptor

__all__ = ["GcmDecryptor", "gcm_decryptor"]
