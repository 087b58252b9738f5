"""`cpu`: the package's own classes, as its users call them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..cases import DECRYPT
from ..cells import INPLACE, INTO, NEW, PER_CALL
from ..events import Events
from ..outputs import Output
from .base import UnavailableError, UnsupportedError
from .inprocess import InProcessPath, Operation

if TYPE_CHECKING:
    from types import ModuleType

    from ..buffers import Buffers
    from ..cells import Cell
    from ..workload import Material, Workload

ADVISED_FROM = 4 << 20  # bytes: kAdviseFrom of the package's bindings
_CLASSES = {"gcm": "AESGCM", "cbc": "AESCBC", "ctr": "AESCTR", "ecb": "AESECB"}
_ARGUMENTS = {"gcm": "nonce, data, None", "cbc": "iv, data", "ctr": "iv, data", "ecb": "data"}


def load() -> ModuleType:
    """Import the package, or say what went wrong."""
    try:
        import cngaes
    except ImportError as error:
        raise UnavailableError(f"cngaes cannot be imported: {error}") from error
    return cngaes


class ExtensionPath(InProcessPath):
    """One backend of the package through its Python classes."""

    placements = (INTO, NEW, INPLACE)
    pads = True

    def __init__(self, workload: Workload, buffers: Buffers, backend: str) -> None:
        super().__init__(workload, buffers)
        self.name = backend

    def version(self) -> str:
        """Version of the package, if this backend can be used here."""
        package = load()
        if self.name not in package.available_backends():
            reason = package._core.backend_status().get(self.name, "unknown backend")
            raise UnavailableError(f"backend {self.name}: {reason}")
        return str(package.__version__)

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Pick the class and method."""
        if cell.case.mode == "sha256":
            return self._hash(cell, material)
        return self._cipher(cell, material, index)

    def _keyword(self) -> str:
        """Give nothing for the default backend: the call is timed as people write it."""
        try:
            is_default = load().default_backend() == self.name
        except load().UnsupportedBackend:  # the environment asks for one that is not here
            is_default = False
        return "" if is_default else f", backend={self.name!r}"

    def _hash(self, cell: Cell, material: Material) -> Operation:
        if cell.placement != NEW or cell.key == PER_CALL:
            raise UnsupportedError("sha256_digest has no key and returns 32 fresh bytes")
        package = load()
        names = {"sha256_digest": package.sha256_digest, "data": material.data}
        return Operation(
            f"sha256_digest(data{self._keyword()})",
            lambda: names,
            Output.of,
            details=_details(package.sha256(backend=self.name)),
            events=Events(extension=1),
        )

    def _cipher(self, cell: Cell, material: Material, index: int) -> Operation:
        mode, direction = cell.case.mode, cell.case.direction
        if cell.placement == INPLACE and (mode, direction) == ("gcm", DECRYPT):
            raise UnsupportedError("decrypting GCM in place needs fresh ciphertext for every call")
        if cell.case.padded and cell.placement != NEW:
            raise UnsupportedError("how long a padded message is shows at its end: no exact buffer")
        name = _CLASSES[mode]
        class_ = getattr(load(), name)
        # Each class is given the padding that is not its default: CBC pads, ECB does not.
        options: dict[str, Any] = {}
        if mode in ("cbc", "ecb") and cell.case.padded != (mode == "cbc"):
            options = {"padding": "pkcs7" if cell.case.padded else None}
        padding = "".join(f", {option}={value!r}" for option, value in options.items())
        cipher = class_(material.key, backend=self.name, **options)
        buffer, target = self._target(cell, index)
        names: dict[str, Any] = {"data": material.data, "nonce": material.nonce, "iv": material.iv}
        if cell.key == PER_CALL:
            names |= {name: class_, "key": material.key}
            receiver = f"{name}(key{padding}{self._keyword()})"
        else:
            names |= {"cipher": cipher}
            receiver = "cipher"
        details = _details(cipher)
        # A key per call is made by one more call: its type's.
        calls = 1 + (cell.key == PER_CALL)
        if cell.placement == NEW:
            return Operation(
                f"{receiver}.{direction}({_ARGUMENTS[mode]})",
                lambda: names,
                lambda result: Output.of(result, cell.case.tag_size),
                details=details,
                events=_fresh_output(cell.case.body_size, calls),
            )
        names |= {"buf": buffer}
        if cell.placement == INPLACE:
            names |= {"data": memoryview(buffer)[: len(material.data)]}
        restore = self._restore(cell, material, index)

        def prepare() -> dict[str, Any]:
            restore()
            return names

        return Operation(
            f"{receiver}.{direction}_into({_ARGUMENTS[mode]}, buf)",
            prepare,
            lambda _: Output.of(buffer, cell.case.tag_size),
            target=target,
            repeats=cell.placement == INTO,
            details=details,
            events=Events(extension=calls),
        )


def _fresh_output(size: int, calls: int) -> Events:
    """Fresh bytes: for large ones the package asks the system for huge pages, on Linux."""
    if sys.platform == "linux" and size >= ADVISED_FROM:
        return Events(extension=calls, advised=size, returned=size)
    return Events(extension=calls, written=size, returned=size)


def _details(engine: Any) -> dict[str, str]:
    return {"backend": str(engine.backend), "kernel": str(engine.kernel)}
