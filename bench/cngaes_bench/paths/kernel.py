"""`kernel`: whole operations timed by a loop in C++, without Python in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..cases import DECRYPT
from ..cells import INPLACE, INTO, PER_CALL
from ..events import Events
from ..outputs import Output
from .base import UnavailableError, UnsupportedError
from .cpu import load
from .inprocess import InProcessPath, Operation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..buffers import Buffers
    from ..cells import Cell
    from ..workload import Material, Workload


class KernelPath(InProcessPath):
    """The instructions alone."""

    placements = (INTO, INPLACE)

    def __init__(self, workload: Workload, buffers: Buffers, backend: str = "cpu") -> None:
        super().__init__(workload, buffers)
        self._backend = backend
        self.name = "kernel" if backend == "cpu" else f"{backend}-kernel"

    def version(self) -> str:
        """Version of the package."""
        package = load()
        if not hasattr(package._core, "_time_loop"):
            raise UnavailableError("this build of cngaes has no timed loop")
        reason = package._core.backend_status().get(self._backend, "unknown backend")
        if reason != "available":
            raise UnavailableError(f"backend {self._backend}: {reason}")
        return str(package.__version__)

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Hand the whole loop to C++."""
        mode, direction = cell.case.mode, cell.case.direction
        per_call = cell.key == PER_CALL
        if per_call and mode == "sha256":
            raise UnsupportedError("SHA-256 has no key")
        data: bytes | memoryview = material.data
        chained = mode == "sha256" or (mode, direction) == ("gcm", DECRYPT)
        if cell.placement == INPLACE and chained:
            raise UnsupportedError("nothing to repeat in place: a digest, or a tag to check")
        buffer, target = self._target(cell, index)
        if cell.placement == INPLACE:
            data = memoryview(buffer)[: len(material.data)]
        iv = material.nonce if mode == "gcm" else material.iv
        time_loop, backend = load()._core._time_loop, self._backend

        def loop(loops: int, _: Mapping[str, object]) -> tuple[int, object]:
            arguments = (mode, direction, material.key, iv, data, buffer, loops, per_call)
            return time_loop(*arguments, backend), None

        restore = self._restore(cell, material, index)

        def prepare() -> dict[str, object]:
            restore()
            return {}

        return Operation(
            f"{mode} {direction}, loop in C++",
            prepare,
            lambda _: Output.of(buffer, cell.case.tag_size),
            target=target,
            loop=loop,
            details=self.details(mode, material),
            repeats=cell.placement == INTO,
            events=Events(),
        )

    def details(self, mode: str, material: Material) -> dict[str, str]:
        """Name the kernel that does the work."""
        package = load()
        engine: Any = (
            package.sha256(backend=self._backend)
            if mode == "sha256"
            else package.AESECB(material.key, backend=self._backend)
        )
        return {"backend": self._backend, "kernel": str(engine.kernel)}
