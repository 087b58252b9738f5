"""Windows CNG by ctypes: what the backend `cng-ctypes` calls, and plain Python over the same.

`functions()` are the prototypes of bcrypt.dll, set once; the extension calls them with addresses,
so that no buffer is copied. `Key` and `sha256_into` do whole operations without the extension: the
benchmark prices them. They check nothing but what keeps memory safe; use the classes of `cngaes`.
"""

from __future__ import annotations

import ctypes
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Self

from cngaes.exceptions import CngError, InvalidTag, UnsupportedBackend

if TYPE_CHECKING:
    from collections.abc import Sequence

# Not c_ulong, which has 64 bits on Linux, where layouts are tested too.
_ULONG = ctypes.c_uint32
_POINTER = ctypes.c_void_p
_STATUS = ctypes.c_int32

_PROTOTYPES: Final[dict[str, Sequence[Any]]] = {
    # In the order of the table in cpp/cng/bcrypt_api.hpp.
    "BCryptOpenAlgorithmProvider": [_POINTER, _POINTER, _POINTER, _ULONG],
    "BCryptCloseAlgorithmProvider": [_POINTER, _ULONG],
    "BCryptSetProperty": [_POINTER, _POINTER, _POINTER, _ULONG, _ULONG],
    "BCryptImportKey": [_POINTER, _POINTER, _POINTER, _POINTER, _POINTER, _ULONG, _POINTER, _ULONG,
                        _ULONG],
    "BCryptDuplicateKey": [_POINTER, _POINTER, _POINTER, _ULONG, _ULONG],
    "BCryptDestroyKey": [_POINTER],
    "BCryptEncrypt": [_POINTER, _POINTER, _ULONG, _POINTER, _POINTER, _ULONG, _POINTER, _ULONG,
                      _POINTER, _ULONG],
    "BCryptDecrypt": [_POINTER, _POINTER, _ULONG, _POINTER, _POINTER, _ULONG, _POINTER, _ULONG,
                      _POINTER, _ULONG],
    "BCryptHash": [_POINTER, _POINTER, _ULONG, _POINTER, _ULONG, _POINTER, _ULONG],
    "BCryptCreateHash": [_POINTER, _POINTER, _POINTER, _ULONG, _POINTER, _ULONG, _ULONG],
    "BCryptHashData": [_POINTER, _POINTER, _ULONG, _ULONG],
    "BCryptFinishHash": [_POINTER, _POINTER, _ULONG, _ULONG],
    "BCryptDuplicateHash": [_POINTER, _POINTER, _POINTER, _ULONG, _ULONG],
    "BCryptDestroyHash": [_POINTER],
}  # fmt: skip

_PSEUDO_HANDLES: Final = {"ecb": 0x1B1, "cbc": 0x1A1, "gcm": 0x1E1}
_SHA256: Final = 0x41
_SEARCH_SYSTEM32: Final = 0x800
_TAG_MISMATCH: Final = 0xC000A002
_MISSING: Final = (0xC00000BB, 0xC0000002, 0xC0000225)  # not supported, implemented, found
_BLOCK: Final = 16
MAX_CALL_BYTES: Final = 2**32 - 16  # a ULONG, in whole blocks


class AuthInfo(ctypes.Structure):
    """BCRYPT_AUTHENTICATED_CIPHER_MODE_INFO; one instance a call."""

    _fields_ = (
        ("size", _ULONG),
        ("version", _ULONG),
        ("nonce", _POINTER),
        ("nonce_len", _ULONG),
        ("aad", _POINTER),
        ("aad_len", _ULONG),
        ("tag", _POINTER),
        ("tag_len", _ULONG),
        ("mac_context", _POINTER),
        ("mac_context_len", _ULONG),
        ("aad_so_far", _ULONG),
        ("data_so_far", ctypes.c_uint64),
        ("flags", _ULONG),
    )


class KeyBlob(ctypes.Structure):
    """BCRYPT_KEY_DATA_BLOB_HEADER with the key behind it."""

    _fields_ = (
        ("magic", _ULONG),
        ("version", _ULONG),
        ("key_len", _ULONG),
        ("key", ctypes.c_ubyte * 32),
    )


KEY_BLOB_MAGIC: Final = 0x4D42444B
KEY_BLOB_HEADER: Final = 12
_KEY_BLOB_TYPE: Final = "KeyDataBlob\0".encode("utf-16-le")


@lru_cache(maxsize=1)
def library() -> Any:
    """Open bcrypt.dll of the system's folder: an own instance, so that prototypes are ours."""
    if sys.platform != "win32":
        raise UnsupportedBackend("backend 'cng-ctypes' needs Windows")
    opened = ctypes.WinDLL("bcrypt.dll", winmode=_SEARCH_SYSTEM32)
    for name, arguments in _PROTOTYPES.items():
        function = getattr(opened, name)
        function.argtypes, function.restype = arguments, _STATUS
    return opened


@lru_cache(maxsize=1)
def repeated_iv_continues() -> bool:
    """Tell whether this is Wine, where a CBC key that gets its last IV again goes on (Wine 8)."""
    return sys.platform == "win32" and hasattr(ctypes.WinDLL("ntdll.dll"), "wine_get_version")


def functions() -> tuple[Any, ...]:
    """List the functions in the order of the extension's table."""
    return tuple(getattr(library(), name) for name in _PROTOTYPES)


def check(status: int, name: str) -> None:
    """Raise what a failed call means."""
    if status < 0:
        code = status & 0xFFFFFFFF
        if code in _MISSING:
            raise UnsupportedBackend(
                f"this bcrypt.dll has no such mode or key: {name}, NTSTATUS 0x{code:08X}"
            )
        raise InvalidTag if code == _TAG_MISMATCH else CngError(code, name)


class Key:
    """An AES key of bcrypt.dll; free it with close() or `with`."""

    def __init__(self, mode: str, key: bytes) -> None:
        if len(key) not in (16, 24, 32):
            raise ValueError(f"key must be 16, 24 or 32 bytes, got {len(key)}")
        self.handle = _POINTER()
        self._library = library()
        self._copies = mode == "cbc" and repeated_iv_continues()
        blob = KeyBlob(KEY_BLOB_MAGIC, 1, len(key))
        ctypes.memmove(blob.key, key, len(key))
        status = self._library.BCryptImportKey(
            _PSEUDO_HANDLES[mode], None, _KEY_BLOB_TYPE, ctypes.addressof(self.handle), None, 0,
            ctypes.addressof(blob), KEY_BLOB_HEADER + len(key), 0,
        )  # fmt: skip
        ctypes.memset(ctypes.addressof(blob), 0, ctypes.sizeof(blob))
        check(status, "BCryptImportKey")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_library"):
            self.close()

    def close(self) -> None:
        """Free the handle."""
        if self.handle:
            self._library.BCryptDestroyKey(self.handle)
            self.handle = _POINTER()

    def crypt(self, name: str, source: Any, target: Any, length: int, iv: bytes | None) -> None:
        """ECB (iv None) or CBC by `BCryptEncrypt` or `BCryptDecrypt`, at most MAX_CALL_BYTES."""
        if length > MAX_CALL_BYTES or length % _BLOCK or (iv is not None and len(iv) != _BLOCK):
            raise ValueError("length or iv")
        # A copy: CNG writes the next chaining value into it.
        own_iv = None if iv is None else ctypes.create_string_buffer(iv, _BLOCK)
        done, handle = _ULONG(), self.handle
        if self._copies:
            handle = _POINTER()
            status = self._library.BCryptDuplicateKey(
                self.handle, ctypes.addressof(handle), None, 0, 0
            )
            check(status, "BCryptDuplicateKey")
        status = getattr(self._library, name)(
            handle, source, length, None, own_iv, 0 if iv is None else _BLOCK,
            target, length, ctypes.addressof(done), 0,
        )  # fmt: skip
        if self._copies:
            self._library.BCryptDestroyKey(handle)
        check(status, name)
        if done.value != length:
            raise CngError(0, name)

    def gcm(self, name: str, source: Any, target: Any, length: int, nonce: bytes, tag: Any) -> None:
        """GCM by `BCryptEncrypt` or `BCryptDecrypt`; tag: 16 bytes, out or in."""
        if length > MAX_CALL_BYTES or len(nonce) != 12:
            raise ValueError("length or nonce")
        own_nonce = ctypes.create_string_buffer(nonce, _BLOCK)
        nothing = ctypes.create_string_buffer(_BLOCK)
        info = AuthInfo(ctypes.sizeof(AuthInfo), 1)
        info.nonce, info.nonce_len = ctypes.addressof(own_nonce), 12
        info.aad, info.tag, info.tag_len = ctypes.addressof(nothing), ctypes.addressof(tag), 16
        done = _ULONG()
        status = getattr(self._library, name)(
            self.handle, source if length else nothing, length, ctypes.addressof(info), None, 0,
            target if length else nothing, length, ctypes.addressof(done), 0,
        )  # fmt: skip
        if status < 0 and length:
            ctypes.memset(ctypes.addressof(target), 0, length)  # it may hold the plaintext
        check(status, name)
        if done.value != length:
            raise CngError(0, name)


def sha256_into(source: Any, length: int, target: Any) -> None:
    """Hash in one call; target: 32 bytes."""
    if length > MAX_CALL_BYTES:
        raise ValueError("length")
    nothing = ctypes.create_string_buffer(1)
    given = source if length else nothing
    status = library().BCryptHash(_SHA256, None, 0, given, length, target, 32)
    check(status, "BCryptHash")
