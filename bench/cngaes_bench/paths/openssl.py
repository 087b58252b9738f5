"""`openssl`: the system's libcrypto by ctypes, through its EVP functions."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..cases import DECRYPT, TAG, Case
from ..cells import INTO, PER_CALL, TYPICAL, TYPICAL_PASSES
from ..events import Events
from ..outputs import Output
from .base import UnavailableError, UnsupportedError
from .foreign import (
    address_of,
    typical_cipher,
    typical_events,
    typical_hash,
    typical_hash_events,
    typical_output,
)
from .inprocess import InProcessPath, Operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..cells import Cell
    from ..workload import Material

_POINTER, _INT = ctypes.c_void_p, ctypes.c_int
_INIT = [_POINTER, _POINTER, _POINTER, ctypes.c_char_p, ctypes.c_char_p, _INT]
_OUT_INT = ctypes.POINTER(_INT)
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "OpenSSL_version": (ctypes.c_char_p, [_INT]),
    "EVP_get_cipherbyname": (_POINTER, [ctypes.c_char_p]),
    "EVP_CIPHER_CTX_new": (_POINTER, []),
    "EVP_CIPHER_CTX_free": (None, [_POINTER]),
    "EVP_CIPHER_CTX_ctrl": (_INT, [_POINTER, _INT, _INT, _POINTER]),
    "EVP_CIPHER_CTX_set_padding": (_INT, [_POINTER, _INT]),
    "EVP_CipherInit_ex": (_INT, _INIT),
    "EVP_CipherUpdate": (_INT, [_POINTER, _POINTER, _OUT_INT, _POINTER, _INT]),
    "EVP_CipherFinal_ex": (_INT, [_POINTER, _POINTER, _OUT_INT]),
    "EVP_sha256": (_POINTER, []),
    "EVP_Digest": (_INT, [_POINTER, ctypes.c_size_t, _POINTER, _POINTER, _POINTER, _POINTER]),
}
_GET_TAG, _SET_TAG = 0x10, 0x11
_LARGEST = (1 << 31) - 1  # lengths are int


def _candidates() -> Iterator[str]:
    """File names of libcrypto, the likeliest first."""
    if sys.platform == "win32":
        arch = {"AMD64": "-x64", "ARM64": "-arm64"}.get(platform.machine(), "")
        for name in (f"libcrypto-3{arch}.dll", "libcrypto-3.dll"):
            yield f"{sys.base_prefix}\\DLLs\\{name}"
            yield name
        return
    if sys.platform == "darwin":
        for root in ("/opt/homebrew", "/usr/local"):
            yield f"{root}/opt/openssl@3/lib/libcrypto.3.dylib"
    found = ctypes.util.find_library("crypto")
    if found:
        yield found
    yield from ("libcrypto.so.3", "libcrypto.so.1.1")


@lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """Load libcrypto, or say which files were tried."""
    problems = []
    for name in _candidates():
        try:
            opened = ctypes.CDLL(name)
            for function_name, (result, arguments) in _SIGNATURES.items():
                function = getattr(opened, function_name)
                function.restype, function.argtypes = result, arguments
        except (OSError, AttributeError) as error:
            problems.append(str(error))
        else:
            return opened
    raise UnavailableError(f"no usable libcrypto: {'; '.join(problems)}")


class Evp:
    """One cipher and direction; the key set once, or for every message."""

    def __init__(self, case: Case, material: Material, *, per_call: bool) -> None:
        self._lib = library()
        self._evp = self._lib.EVP_get_cipherbyname(case.algorithm.encode())
        if not self._evp:
            raise UnsupportedError(f"this libcrypto has no {case.algorithm}")
        self._encrypt = int(case.direction != DECRYPT)
        self._gcm = case.mode == "gcm"
        self._key = material.key
        self._iv = material.nonce if self._gcm else material.iv
        self._per_call = per_call
        self._written = _INT()
        self._context = None if per_call else self._new_context()

    def __del__(self) -> None:
        if getattr(self, "_context", None):
            self._lib.EVP_CIPHER_CTX_free(self._context)

    def run(self, source: Any, size: int, target: Any, tag: Any) -> None:
        """One whole message."""
        if not self._per_call:
            self._message(self._context, source, size, target, tag)
            return
        context = self._new_context()
        try:
            self._message(context, source, size, target, tag)
        finally:
            self._lib.EVP_CIPHER_CTX_free(context)

    def _new_context(self) -> Any:
        context = self._lib.EVP_CIPHER_CTX_new()
        _ok(self._lib.EVP_CipherInit_ex(context, self._evp, None, self._key, None, self._encrypt))
        self._lib.EVP_CIPHER_CTX_set_padding(context, 0)
        return context

    def _message(self, context: Any, source: Any, size: int, target: Any, tag: Any) -> None:
        lib, written = self._lib, ctypes.byref(self._written)
        _ok(lib.EVP_CipherInit_ex(context, None, None, None, self._iv, -1))
        _ok(lib.EVP_CipherUpdate(context, target, written, source, size))
        if self._gcm and not self._encrypt:
            _ok(lib.EVP_CIPHER_CTX_ctrl(context, _SET_TAG, TAG, tag))
        # No padding: nothing is written here.
        _ok(lib.EVP_CipherFinal_ex(context, target, written))
        if self._gcm and self._encrypt:
            _ok(lib.EVP_CIPHER_CTX_ctrl(context, _GET_TAG, TAG, tag))


class OpensslPath(InProcessPath):
    """The library behind the libraries, called without them."""

    name = "openssl"
    placements = (INTO, TYPICAL)
    on_demand = tuple(name for name in TYPICAL_PASSES if name != TYPICAL)

    def version(self) -> str:
        """Version as libcrypto tells it."""
        text: bytes = library().OpenSSL_version(0)
        return text.decode("ascii", "replace")

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Pick digest or cipher."""
        if cell.case.size > _LARGEST:
            raise UnsupportedError("a length of libcrypto is an int: at most 2 GiB - 1 a call")
        if cell.case.mode == "sha256":
            return self._hash(cell, material, index)
        return self._cipher(cell, material, index)

    def _hash(self, cell: Cell, material: Material, index: int) -> Operation:
        if cell.key == PER_CALL or cell.placement in self.on_demand:
            raise UnsupportedError("SHA-256 has no key, and no buffer for its output")
        calls = Events(foreign=1, arguments=6, functions=2)
        digest, method = library().EVP_Digest, library().EVP_sha256()

        def run(source: Any, length: int, target: Any) -> None:
            _ok(digest(source, length, target, None, method, None))

        names: dict[str, Any] = {"run": run, "data": material.data}
        if cell.placement == TYPICAL:
            names |= {"typical_hash": typical_hash}
            return Operation(
                "typical_hash(run, data)",
                lambda: names,
                Output.of,
                events=typical_hash_events(len(material.data), calls),
            )
        buffer, target = self._target(cell, index)
        names |= {"size": len(material.data), "buf": address_of(buffer)}
        return Operation(
            "run(data, size, buf)",
            lambda: names,
            lambda _: Output.of(buffer),
            target=target,
            events=calls,
        )

    def _cipher(self, cell: Cell, material: Material, index: int) -> Operation:
        case, data, tag = cell.case, material.data, None
        if case.mode == "gcm" and case.direction == DECRYPT:
            data, tag = data[:-TAG], data[-TAG:]
        evp = Evp(case, material, per_call=cell.key == PER_CALL)
        names: dict[str, Any] = {"run": evp.run, "data": data, "size": case.size, "tag": tag}
        calls = _calls(cell)
        if passes := TYPICAL_PASSES.get(cell.placement):
            names |= {"typical_cipher": typical_cipher, "tag_size": case.tag_size}
            return Operation(
                f"typical_cipher(run, data, size, tag_size, tag, {passes})",
                lambda: names,
                typical_output(case.tag_size),
                events=typical_events(case.size, passes, case.tag_size, tag, calls),
            )
        buffer, target = self._target(cell, index)
        body = address_of(buffer)
        names |= {"buf": body}
        if tag is None:
            names |= {"tag": ctypes.byref(body, case.size)}
        return Operation(
            "run(data, size, buf, tag)",
            lambda: names,
            lambda _: Output.of(buffer, case.tag_size),
            target=target,
            events=calls,
        )


def _calls(cell: Cell) -> Events:
    """Count the foreign calls of one message: init, update, final, and the tag's."""
    gcm, per_call = cell.case.mode == "gcm", cell.key == PER_CALL
    # A context per call: new (0 arguments), init (6), set_padding (2), free (1).
    return Events(
        foreign=3 + gcm + 4 * per_call,
        arguments=6 + 5 + 3 + 4 * gcm + 9 * per_call,
        functions=5 + gcm + 2 * per_call,
    )


def _ok(result: int) -> None:
    if result != 1:
        raise OSError("a function of libcrypto failed")
