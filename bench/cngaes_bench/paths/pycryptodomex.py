"""`pycryptodomex`: the Cryptodome package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..cases import DECRYPT, TAG
from ..cells import INTO, NEW, PER_CALL
from ..events import Events
from ..outputs import Output
from .base import UnavailableError, UnsupportedError
from .inprocess import InProcessPath, Operation
from .loops import evaluate

if TYPE_CHECKING:
    from ..cells import Cell
    from ..workload import Material

# A new cipher object for `mode`, in the variables of the timed statement.
_NEW = {
    "gcm": "AES.new(key, AES.MODE_GCM, nonce=nonce)",
    "cbc": "AES.new(key, AES.MODE_CBC, iv=iv)",
    "ctr": "AES.new(key, AES.MODE_CTR, nonce=b'', initial_value=iv)",
    "ecb": "AES.new(key, AES.MODE_ECB)",
}


class PycryptodomexPath(InProcessPath):
    """The second library of the article."""

    name = "pycryptodomex"
    placements = (INTO, NEW)
    pads = True

    def version(self) -> str:
        """Version of the package."""
        try:
            import Cryptodome
        except ImportError as error:
            raise UnavailableError(f"pycryptodomex cannot be imported: {error}") from error
        return ".".join(str(part) for part in Cryptodome.version_info)

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Pick the module that its users would take."""
        if cell.case.mode == "sha256":
            return _hash(cell, material)
        if cell.case.mode == "gcm":
            return self._gcm(cell, material, index)
        return self._plain(cell, material, index)

    def _gcm(self, cell: Cell, material: Material, index: int) -> Operation:
        from Cryptodome.Cipher import AES

        if cell.key != PER_CALL:
            raise UnsupportedError("a GCM object of pycryptodomex serves one message only")
        data, tag = material.data, b""
        if cell.case.direction == DECRYPT:
            data, tag = data[:-TAG], data[-TAG:]
        names: dict[str, Any] = {"AES": AES, "key": material.key, "nonce": material.nonce}
        names |= {"data": data, "tag": tag}
        new = _NEW["gcm"]
        if cell.placement == NEW:
            if cell.case.direction == DECRYPT:
                statement = f"{new}.decrypt_and_verify(data, tag)"
                return Operation(statement, lambda: names, Output.of, events=_events(cell))
            statement = f"{new}.encrypt_and_digest(data)"
            return Operation(statement, lambda: names, _pair, events=_events(cell))
        buffer, target = self._target(cell, index)
        body = memoryview(buffer)[: cell.case.body_size]
        names |= {"buf": body}
        if cell.case.direction == DECRYPT:
            return Operation(
                f"{new}.decrypt_and_verify(data, tag, output=buf)",
                lambda: names,
                lambda _: Output.of(body),
                target=target,
                events=_events(cell),
            )
        return Operation(
            f"{new}.encrypt_and_digest(data, output=buf)",
            lambda: names,
            lambda result: _pair((body, result[1])),
            target=Output(body, memoryview(bytearray())),
            events=_events(cell),
        )

    def _plain(self, cell: Cell, material: Material, index: int) -> Operation:
        from Cryptodome.Cipher import AES

        mode, direction = cell.case.mode, cell.case.direction
        names: dict[str, Any] = {"AES": AES, "key": material.key, "iv": material.iv}
        names |= {"data": material.data}
        receiver = _NEW[mode] if cell.key == PER_CALL else "cipher"
        if cell.case.padded:
            return _padded(cell, names, receiver)
        buffer, target = self._target(cell, index)
        into = cell.placement == INTO
        if into:
            names |= {"buf": buffer}

        def prepare() -> dict[str, Any]:
            if cell.key == PER_CALL:
                return names
            return names | {"cipher": evaluate(_NEW[mode], names)}

        return Operation(
            f"{receiver}.{direction}(data{', output=buf' if into else ''})",
            prepare,
            lambda result: Output.of(buffer if into else result),
            target=target,
            repeats=cell.key == PER_CALL or mode == "ecb",
            events=_events(cell),
        )


def _events(cell: Cell) -> Events:
    """Count a fresh output: a buffer of zeros, from which bytes are made."""
    size = cell.case.body_size
    if cell.placement != NEW:
        return Events()
    return Events(zeroed=size, copied=size, freed=size, returned=size)


def _padded(cell: Cell, names: dict[str, Any], receiver: str) -> Operation:
    """Pad or unpad beside the cipher, as its users have to."""
    from Cryptodome.Util.Padding import pad, unpad

    mode, direction = cell.case.mode, cell.case.direction
    if cell.placement != NEW:
        raise UnsupportedError("padding comes as fresh bytes")
    if cell.key != PER_CALL and mode != "ecb":
        raise UnsupportedError("a CBC object of pycryptodomex chains on: one message only")
    names |= {"pad": pad, "unpad": unpad}
    if cell.key != PER_CALL:
        names |= {"cipher": evaluate(_NEW[mode], names)}
    statement = f"{receiver}.{direction}(pad(data, 16))"
    if direction == DECRYPT:
        statement = f"unpad({receiver}.{direction}(data), 16)"
    return Operation(statement, lambda: names, Output.of)


def _hash(cell: Cell, material: Material) -> Operation:
    from Cryptodome.Hash import SHA256

    if cell.placement != NEW or cell.key == PER_CALL:
        raise UnsupportedError("a digest has no key and comes as 32 fresh bytes")
    names = {"SHA256": SHA256, "data": material.data}
    return Operation("SHA256.new(data).digest()", lambda: names, Output.of)


def _pair(result: tuple[Any, bytes]) -> Output:
    return Output(memoryview(result[0]), memoryview(result[1]))
