"""`cng-noop`: the `cng` backend over functions that compute nothing, on any system.

What it takes is what our side of a CNG call costs. It leaves its output as it was, so it is
measured only when it is named (PRICES in `paths`), and the output is not compared with others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cases import DECRYPT
from ..cells import INTO, PER_CALL
from ..outputs import Output
from .base import UnavailableError, UnsupportedError
from .cpu import load
from .inprocess import InProcessPath, Operation
from .kernel import KernelPath

if TYPE_CHECKING:
    from ..buffers import Buffers
    from ..cells import Cell
    from ..workload import Material, Workload

NAME = "cng-noop"


class NoopPath(InProcessPath):
    """AESGCM as Python calls it."""

    name = NAME
    placements = (INTO,)
    computes = False

    def version(self) -> str:
        """Version of the package."""
        package = load()
        if not hasattr(package._core, "_noop_aesgcm"):
            raise UnavailableError("this build of cngaes has no backend that computes nothing")
        return str(package.__version__)

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Call `encrypt_into` or `decrypt_into`."""
        if cell.case.mode != "gcm":
            raise UnsupportedError("only GCM has a Python class over the functions that do nothing")
        if cell.key == PER_CALL:
            raise UnsupportedError("the key is made by a hook, not by the class")
        cipher = load()._core._noop_aesgcm(material.key)
        method = "decrypt_into" if cell.case.direction == DECRYPT else "encrypt_into"
        buffer, _ = self._target(cell, index)
        names = {"cipher": cipher, "nonce": material.nonce, "data": material.data, "buf": buffer}
        return Operation(
            f"cipher.{method}(nonce, data, None, buf)",
            lambda: names,
            lambda _: Output.of(buffer, cell.case.tag_size),
            details={"backend": str(cipher.backend), "computes": "nothing"},
        )


class NoopKernelPath(KernelPath):
    """Every mode in the timed loop of C++: our side without Python."""

    computes = False

    def __init__(self, workload: Workload, buffers: Buffers) -> None:
        super().__init__(workload, buffers, NAME)

    def version(self) -> str:
        """Version of the package."""
        package = load()
        if not hasattr(package._core, "_time_loop"):
            raise UnavailableError("this build of cngaes has no timed loop")
        return str(package.__version__)

    def details(self, _mode: str, _material: Material) -> dict[str, str]:
        """Name the backend that no other measurement can name."""
        return {"backend": NAME, "computes": "nothing"}
