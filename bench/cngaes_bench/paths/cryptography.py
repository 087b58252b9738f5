"""`cryptography`: AESGCM for GCM, Cipher contexts for the rest, Hash for SHA-256."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..cases import DECRYPT, TAG
from ..cells import INTO, NEW, PER_CALL, STREAM, STREAM_INTO
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
    on_demand = (STREAM, STREAM_INTO)
    pads = True

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
        streams = cell.placement in self.on_demand
        if cell.case.mode == "gcm":
            return (self._stream if streams else self._gcm)(cell, material, index)
        if streams:
            raise UnsupportedError("contexts of modes without a tag are 'into' and 'new' here")
        if cell.case.padded:
            return _padded(cell, material)
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

    def _stream(self, cell: Cell, material: Material, index: int) -> Operation:
        """GCM by a context: it serves one message, so that key and nonce are given every time."""
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        if cell.key != PER_CALL:
            raise UnsupportedError("a GCM context of cryptography serves one message only")
        case, data, tag = cell.case, material.data, b""
        mode = "GCM(nonce)"
        if case.direction == DECRYPT:
            data, tag, mode = data[:-TAG], data[-TAG:], "GCM(nonce, tag)"
        names: dict[str, Any] = {
            "Cipher": Cipher, "AES": algorithms.AES, "GCM": modes.GCM, "key": material.key,
            "nonce": material.nonce, "data": data, "tag": tag,
        }  # fmt: skip
        context = f"context = Cipher(AES(key), {mode}).{case.direction}or()"
        end = "context.finalize(); context.tag" if case.tag_size else "context.finalize()"
        if cell.placement == STREAM:
            return Operation(
                f"{context}; (context.update(data), {end.replace('; ', ', ')})",
                lambda: names,
                lambda result: Output(Output.of(result[0]).body, memoryview(result[-1])),
                events=Events(extension=7, written=case.body_size, returned=case.body_size),
            )
        buffer = memoryview(self._buffers.output(case.body_size + _SPARE, index))
        body = buffer[: case.body_size]
        names |= {"buf": buffer}
        return Operation(
            f"{context}; context.update_into(data, buf); {end}",
            lambda: names,
            lambda result: Output(Output.of(body).body, memoryview(result)),
            target=Output.of(body),
            events=Events(extension=7),
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


def _padded(cell: Cell, material: Material) -> Operation:
    """Pad or unpad beside the cipher, as its users have to."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.padding import PKCS7

    if cell.placement != NEW:
        raise UnsupportedError("padding comes as fresh bytes")
    mode, direction = cell.case.mode, cell.case.direction
    names: dict[str, Any] = {
        "Cipher": Cipher, "AES": algorithms.AES, _MODES[mode][:3]: getattr(modes, mode.upper()),
        "PKCS7": PKCS7, "key": material.key, "iv": material.iv, "data": material.data,
    }  # fmt: skip
    cipher = f"Cipher(AES(key), {_MODES[mode]})"
    if cell.key != PER_CALL:
        names |= {"cipher": evaluate(cipher, names)}
        cipher = "cipher"
    first, second = f"{cipher}.{direction}or()", "PKCS7(128).padder()"
    if direction == DECRYPT:
        second = "PKCS7(128).unpadder()"
    else:
        first, second = second, first
    half = "part = one.update(data) + one.finalize()"
    return Operation(
        f"one = {first}; {half}; other = {second}; other.update(part) + other.finalize()",
        lambda: names,
        Output.of,
        events=Events(extension=6 + 2 * (cell.key == PER_CALL)),
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
