"""Authenticated encryption with associated data."""

from __future__ import annotations

from cngaes._core import AESGCM

__all__ = ["AESGCM"]
