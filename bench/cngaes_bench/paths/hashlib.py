"""`hashlib`: SHA-256 of the standard library."""

from __future__ import annotations

import hashlib
import ssl
from typing import TYPE_CHECKING

from ..cells import NEW, PER_CALL
from ..events import Events
from ..outputs import Output
from .base import UnsupportedError
from .inprocess import InProcessPath, Operation

if TYPE_CHECKING:
    from ..cells import Cell
    from ..workload import Material


class HashlibPath(InProcessPath):
    """What everybody has."""

    name = "hashlib"
    placements = (NEW,)

    def version(self) -> str:
        """Version of the OpenSSL behind Python's hashlib."""
        return ssl.OPENSSL_VERSION

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Hash, if that is the task."""
        del index
        if cell.case.mode != "sha256":
            raise UnsupportedError("hashlib has no ciphers")
        if cell.key == PER_CALL:
            raise UnsupportedError("SHA-256 has no key")
        names = {"sha256": hashlib.sha256, "data": material.data}
        return Operation(
            "sha256(data).digest()", lambda: names, Output.of, events=Events(extension=2)
        )
