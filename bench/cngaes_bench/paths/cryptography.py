"""`cryptography`: AESGCM for GCM, Cipher contexts for the rest, Hash for SHA-256."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..cells import INTO, NEW, PER_CALL
from ..events import Events
from ..outputs import Output
from .base import UnavailableError, UnsupportedError
from .inprocess import InProcessPath, Operation
from .loops import evaluate

if TYPE_CHECKING:
    from ..cells import Cell
    from ..workload import Material

_MODES = {"cbc": "CBC(iv)", "ctr": "CTR(iv)", "ecb": "ECB()"}
_SPARE = 15  # update_into wants room for one more block, less one byte


class CryptographyPath(InProcessPath):
    """What most users have."""

    name = "cryptography"
    placements = (INTO, NEW)

    def version(self) -> str:
        """Version of the package and of its OpenSSL."""
        try:
            import cryptography
            from cryptography.hazmat.backends.openssl import backend
        except ImportError as error:
            raise UnavailableError(f"cryptography cannot be imported: {error}") from error
        return f"{cryptography.__version__} ({backend.openssl_version_text()})"

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Pick the class that its users would take."""
        if cell.case.mode == "sha256":
            return _hash(cell, material)
        if cell.case.mode == "gcm":
            return self._gcm(cell, material, index)
        return self._context(cell, material, index)

    def _gcm(self, cell: Cell, material: Material, index: int) -> Operation:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        names: dict[str, Any] = {"nonce": material.nonce, "data": material.data}
        if cell.key == PER_CALL:
            names |= {"AESGCM": AESGCM, "key": material.key}
            receiver = "AESGCM(key)"
        else:
            names |= {"cipher": AESGCM(material.key)}
            receiver = "cipher"
        direction, tag_size = cell.case.direction, cell.case.tag_size
        calls = 1 + (cell.key == PER_CALL)
        if cell.placement == NEW:
            return Operation(
                f"{receiver}.{direction}(nonce, data, None)",
                lambda: names,
                lambda result: Output.of(result, tag_size),
                events=Events(
                    extension=calls, written=cell.case.body_size, returned=cell.case.body_size
                ),
            )
        if not hasattr(AESGCM, f"{direction}_into"):
            raise UnsupportedError(f"AESGCM.{direction}_into is not in {self.version()}")
        buffer, target = self._target(cell, index)
        names |= {"buf": buffer}
        return Operation(
            f"{receiver}.{direction}_into(nonce, data, None, buf)",
            lambda: names,
            lambda _: Output.of(buffer, tag_size),
            target=target,
            events=Events(extension=calls),
        )

    def _context(self, cell: Cell, material: Material, index: int) -> Operation:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        mode, direction = cell.case.mode, cell.case.direction
        names: dict[str, Any] = {
            "Cipher": Cipher, "AES": algorithms.AES, _MODES[mode][:3]: getattr(modes, mode.upper()),
            "key": material.key, "iv": material.iv, "data": material.data,
        }  # fmt: skip
        context = f"Cipher(AES(key), {_MODES[mode]}).{direction}or()"
        into, target, result_buffer = cell.placement == INTO, None, None
        if into:
            buffer = memoryview(self._buffers.output(cell.case.body_size + _SPARE, index))
            result_buffer = buffer[: cell.case.body_size]
            target = Output.of(result_buffer)
            names |= {"buf": buffer}
        update = "context.update_into(data, buf)" if into else "context.update(data)"
        if cell.key == PER_CALL:
            # The first part of the sum is the whole output: finalize adds nothing to it.
            finish = "context.finalize()"
            statement = (
                f"context = {context}; {update}; {finish}"
                if into
                else f"context = {context}; {update} + {finish}"
            )
        else:
            statement = update

        def prepare() -> dict[str, Any]:
            if cell.key == PER_CALL:
                return names
            return names | {"context": evaluate(context, names)}

        return Operation(
            statement,
            prepare,
            lambda result: Output.of(result_buffer if into else result),
            target=target,
            repeats=cell.key == PER_CALL or mode == "ecb",
            events=_context_events(cell),
        )


def _context_events(cell: Cell) -> Events:
    """`update` writes a vector with room for one more block and copies it, but for CTR."""
    size, calls = cell.case.body_size, 1 + 5 * (cell.key == PER_CALL)
    if cell.placement == INTO:
        return Events(extension=calls)
    if cell.case.mode == "ctr":
        return Events(extension=calls, written=size, returned=size)
    return Events(extension=calls, written=size, copied=size, freed=size, returned=size)


def _hash(cell: Cell, material: Material) -> Operation:
    from cryptography.hazmat.primitives.hashes import SHA256, Hash

    if cell.placement != NEW or cell.key == PER_CALL:
        raise UnsupportedError("a digest has no key and comes as 32 fresh bytes")
    names: dict[str, Any] = {"Hash": Hash, "SHA256": SHA256(), "data": material.data}
    statement = "context = Hash(SHA256); context.update(data); context.finalize()"
    if hasattr(Hash, "hash"):
        statement = "Hash.hash(SHA256, data)"
    calls = Events(extension=statement.count("("))
    return Operation(statement, lambda: names, Output.of, events=calls)
