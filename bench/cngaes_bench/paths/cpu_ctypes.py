"""`cpu-ctypes`: the same kernels through the C functions of the extension, by ctypes."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

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
    from ..cells import Cell
    from ..workload import Material

_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int32
_GCM = [_POINTER, _POINTER, _SIZE, _POINTER, _SIZE, _POINTER, _SIZE, _POINTER, _POINTER, _SIZE]
_SIGNATURES: dict[str, list[Any]] = {
    "cngaes_key_new": [ctypes.c_char_p, _POINTER, _SIZE, ctypes.POINTER(_POINTER)],
    "cngaes_ecb": [_POINTER, _INT, _POINTER, _SIZE, _POINTER],
    "cngaes_cbc": [_POINTER, _INT, _POINTER, _POINTER, _SIZE, _POINTER],
    "cngaes_ctr": [_POINTER, _POINTER, _POINTER, _SIZE, _POINTER],
    "cngaes_gcm_encrypt": _GCM,
    "cngaes_gcm_decrypt": _GCM,
    "cngaes_sha256": [_POINTER, _SIZE, _POINTER],
}


@lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """Open the extension module a second time, as a plain C library."""
    core = load()._core
    try:
        opened = ctypes.CDLL(core.__file__)
        for name, arguments in _SIGNATURES.items():
            function = getattr(opened, name)
            function.argtypes, function.restype = arguments, _INT
        opened.cngaes_key_free.argtypes, opened.cngaes_key_free.restype = [_POINTER], None
    except (OSError, AttributeError) as error:
        raise UnavailableError(f"the extension exports no C functions: {error}") from error
    return opened


class Key:
    """A key of the C interface, freed with its owner."""

    def __init__(self, mode: str, key: bytes) -> None:
        self.handle = _POINTER()
        self._free = library().cngaes_key_free
        _check(library().cngaes_key_new(mode.encode(), key, len(key), ctypes.byref(self.handle)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Wipe and free it."""
        if self.handle:
            self._free(self.handle)
            self.handle = _POINTER()


class CpuCtypesPath(InProcessPath):
    """The kernels of the package behind a foreign call."""

    name = "cpu-ctypes"
    placements = (INTO, TYPICAL)
    on_demand = tuple(name for name in TYPICAL_PASSES if name != TYPICAL)

    def version(self) -> str:
        """Version of the package."""
        library()
        return str(load().__version__)

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Pick the C function and its buffers."""
        if cell.case.mode == "sha256":
            return self._hash(cell, material, index)
        return self._cipher(cell, material, index)

    def _hash(self, cell: Cell, material: Material, index: int) -> Operation:
        if cell.key == PER_CALL or cell.placement in self.on_demand:
            raise UnsupportedError("SHA-256 has no key, and no buffer for its output")
        sha256, data = library().cngaes_sha256, material.data
        if cell.placement == TYPICAL:

            def run(source: Any, length: int, target: Any) -> None:
                _check(sha256(source, length, target))

            names: dict[str, Any] = {"typical_hash": typical_hash, "run": run, "data": data}
            return Operation(
                "typical_hash(run, data)",
                lambda: names,
                Output.of,
                events=typical_hash_events(len(data), Events(foreign=1, arguments=3, functions=2)),
            )
        buffer, target = self._target(cell, index)
        names = {"sha256": sha256, "data": data, "size": len(data), "out": address_of(buffer)}
        # `out` is a word of the timed loop, so the buffer goes by another name there.
        names["digest"] = names.pop("out")
        return Operation(
            "sha256(data, size, digest)",
            lambda: names,
            _checked(buffer),
            target=target,
            events=Events(foreign=1, arguments=3),
        )

    def _cipher(self, cell: Cell, material: Material, index: int) -> Operation:
        case, data, tag = cell.case, material.data, None
        if case.mode == "gcm" and case.direction == DECRYPT:
            data, tag = data[:-TAG], data[-TAG:]
        key = Key(case.mode, material.key)
        passes = TYPICAL_PASSES.get(cell.placement)
        calls = _calls(cell)
        if passes or cell.key == PER_CALL:
            run = _per_call(cell, material) if cell.key == PER_CALL else _bind(cell, material, key)
        if passes:
            names: dict[str, Any] = {"typical_cipher": typical_cipher, "run": run, "data": data}
            names |= {"size": case.size, "tag_size": case.tag_size, "tag": tag}
            return Operation(
                f"typical_cipher(run, data, size, tag_size, tag, {passes})",
                lambda: names,
                typical_output(case.tag_size),
                events=typical_events(case.size, passes, case.tag_size, tag, calls),
            )
        buffer, target = self._target(cell, index)
        body = address_of(buffer)
        given = tag if tag is not None else ctypes.byref(body, case.size)
        if cell.key == PER_CALL:
            names = {"run": run, "data": data, "size": case.size, "buf": body, "tag": given}
            statement = "run(data, size, buf, tag)"
        else:
            names, statement = _direct(cell, material, key)
            names |= {"data": data, "buf": body, "tag": given}
            calls = replace(calls, functions=0)
        return Operation(
            statement,
            lambda: names,
            _checked(buffer, case.tag_size),
            target=target,
            events=calls,
        )


def _calls(cell: Cell) -> Events:
    """Count the foreign calls of one message, and the Python functions around them."""
    arguments = {"gcm": 10, "cbc": 6, "ctr": 5, "ecb": 5}[cell.case.mode]
    if cell.key == PER_CALL:  # key_new with 4 arguments, key_free with 1
        return Events(foreign=3, arguments=arguments + 5, functions=8)
    return Events(foreign=1, arguments=arguments, functions=2)


def _direct(cell: Cell, material: Material, key: Key) -> tuple[dict[str, Any], str]:
    """Make the bare foreign call, buffers ready, without any Python around it."""
    case = cell.case
    decrypt = int(case.direction == DECRYPT)
    names: dict[str, Any] = {"key": key.handle, "owner": key, "size": case.size}
    if case.mode == "gcm":
        names |= {"call": getattr(library(), f"cngaes_gcm_{case.direction}")}
        names |= {"nonce": material.nonce, "nonce_size": len(material.nonce)}
        return names, "call(key, nonce, nonce_size, None, 0, data, size, buf, tag, 16)"
    names |= {"call": getattr(library(), f"cngaes_{case.mode}"), "iv": material.iv}
    if case.mode == "ctr":
        return names, "call(key, iv, data, size, buf)"
    if case.mode == "cbc":
        return names, f"call(key, {decrypt}, iv, data, size, buf)"
    return names, f"call(key, {decrypt}, data, size, buf)"


def _bind(cell: Cell, material: Material, key: Key) -> ForeignCall:
    """Make one operation a function over raw memory, checked as careful code would."""
    mode, iv, nonce = cell.case.mode, material.iv, material.nonce
    decrypt = int(cell.case.direction == DECRYPT)
    lib = library()
    gcm = getattr(lib, f"cngaes_gcm_{cell.case.direction}")

    def run(source: Any, size: int, target: Any, tag: Any) -> None:
        if mode == "gcm":
            code = gcm(key.handle, nonce, len(nonce), None, 0, source, size, target, tag, 16)
        elif mode == "cbc":
            code = lib.cngaes_cbc(key.handle, decrypt, iv, source, size, target)
        elif mode == "ctr":
            code = lib.cngaes_ctr(key.handle, iv, source, size, target)
        else:
            code = lib.cngaes_ecb(key.handle, decrypt, source, size, target)
        _check(code)

    return run


def _per_call(cell: Cell, material: Material) -> ForeignCall:
    def run(source: Any, size: int, target: Any, tag: Any) -> None:
        with Key(cell.case.mode, material.key) as key:
            _bind(cell, material, key)(source, size, target, tag)

    return run


def _check(code: int) -> None:
    if code:
        raise OSError(f"the C function failed with status {code}")


def _checked(buffer: bytearray | memoryview, tag_size: int = 0) -> Any:
    """How to see an output whose call answers with a status (or nothing)."""

    def view(code: int | None) -> Output:
        _check(code or 0)
        return Output.of(buffer, tag_size)

    return view
