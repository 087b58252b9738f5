"""`cng-ctypes`: Windows CNG called by plain Python and ctypes, as people write it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from ..cases import DECRYPT, TAG
from ..cells import INTO, PER_CALL, TYPICAL, TYPICAL_PASSES
from ..events import Events
from ..outputs import Output
from .base import UnavailableError, UnsupportedError
from .cpu import load
from .foreign import (
    ForeignCall,
    address_of,
    typical_cipher,
    typical_events,
    typical_hash,
    typical_hash_events,
    typical_output,
)
from .inprocess import InProcessPath, Operation

if TYPE_CHECKING:
    from types import ModuleType

    from ..cells import Cell
    from ..workload import Material


def _module() -> ModuleType:
    package = load()
    reason = package._core.backend_status().get("cng-ctypes", "unknown backend")
    if reason != "available":
        raise UnavailableError(f"backend cng-ctypes: {reason}")
    from cngaes import _bcrypt_ctypes

    return _bcrypt_ctypes


class CngCtypesPath(InProcessPath):
    """bcrypt.dll behind a foreign call, without the extension."""

    name = "cng-ctypes"
    placements = (INTO, TYPICAL)
    on_demand = tuple(name for name in TYPICAL_PASSES if name != TYPICAL)

    def version(self) -> str:
        """Version of the package."""
        _module()
        return str(load().__version__)

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Pick the operation and its buffers."""
        if cell.case.mode == "sha256":
            return self._hash(cell, material, index)
        if cell.case.mode == "ctr":
            raise UnsupportedError("CNG has no CTR")
        return self._cipher(cell, material, index)

    def _hash(self, cell: Cell, material: Material, index: int) -> Operation:
        if cell.key == PER_CALL or cell.placement in self.on_demand:
            raise UnsupportedError("SHA-256 has no key, and no buffer for its output")
        calls = Events(foreign=1, arguments=7, functions=2)
        names: dict[str, Any] = {"run": _module().sha256_into, "data": material.data}
        if cell.placement == TYPICAL:
            names |= {"typical_hash": typical_hash}
            return Operation(
                "typical_hash(run, data)",
                lambda: names,
                Output.of,
                events=typical_hash_events(len(material.data), calls),
            )
        buffer, target = self._target(cell, index)
        names |= {"size": len(material.data), "digest": address_of(buffer)}
        return Operation(
            "run(data, size, digest)",
            lambda: names,
            lambda _: Output.of(buffer),
            target=target,
            events=calls,
        )

    def _cipher(self, cell: Cell, material: Material, index: int) -> Operation:
        case, data, tag = cell.case, material.data, None
        if case.mode == "gcm" and case.direction == DECRYPT:
            data, tag = data[:-TAG], data[-TAG:]
        run = _per_call(cell, material) if cell.key == PER_CALL else _reused(cell, material)
        names: dict[str, Any] = {"run": run, "data": data, "size": case.size}
        # BCryptEncrypt has ten arguments; a key per call is imported and destroyed.
        calls = Events(foreign=1, arguments=10, functions=3)
        if cell.key == PER_CALL:
            calls = Events(foreign=3, arguments=18, functions=8)
        if passes := TYPICAL_PASSES.get(cell.placement):
            names |= {"typical_cipher": typical_cipher, "tag_size": case.tag_size, "tag": tag}
            return Operation(
                f"typical_cipher(run, data, size, tag_size, tag, {passes})",
                lambda: names,
                typical_output(case.tag_size),
                events=typical_events(case.size, passes, case.tag_size, tag, calls),
            )
        buffer, target = self._target(cell, index)
        names |= {"buf": address_of(buffer), "tag": tag}
        if tag is None and case.tag_size:
            names["tag"] = (ctypes.c_char * TAG).from_buffer(buffer, case.size)
        return Operation(
            "run(data, size, buf, tag)",
            lambda: names,
            lambda _: Output.of(buffer, case.tag_size),
            target=target,
            events=calls,
        )


def _bind(cell: Cell, material: Material, key: Any) -> ForeignCall:
    mode, iv, nonce = cell.case.mode, material.iv if cell.case.mode == "cbc" else None, b""
    name = "BCryptDecrypt" if cell.case.direction == DECRYPT else "BCryptEncrypt"
    if mode != "gcm":

        def crypt(source: Any, size: int, target: Any, _tag: Any) -> None:
            key.crypt(name, source, target, size, iv)

        return crypt
    nonce = material.nonce

    def gcm(source: Any, size: int, target: Any, tag: Any) -> None:
        if isinstance(tag, bytes):
            tag = ctypes.create_string_buffer(tag, TAG)
        key.gcm(name, source, target, size, nonce, tag)

    return gcm


def _reused(cell: Cell, material: Material) -> ForeignCall:
    return _bind(cell, material, _module().Key(cell.case.mode, material.key))


def _per_call(cell: Cell, material: Material) -> ForeignCall:
    make = _module().Key

    def run(source: Any, size: int, target: Any, tag: Any) -> None:
        with make(cell.case.mode, material.key) as key:
            _bind(cell, material, key)(source, size, target, tag)

    return run
