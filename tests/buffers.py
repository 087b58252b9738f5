"""Objects that export buffers: what must be taken, what must be refused."""

from __future__ import annotations

import array
import ctypes
import mmap
from typing import TYPE_CHECKING, Any

try:
    import numpy as np
except ImportError:  # not under Wine 8, where importing it ends the process
    np = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable

    # numpy, ctypes and mmap objects are buffers too, which not all of their stubs say.
    Wrap = Callable[[bytes], Any]


def _mmap(content: bytes) -> mmap.mmap:
    mapped = mmap.mmap(-1, max(len(content), 1))
    mapped[: len(content)] = content
    return mapped


def _mmap_read_only(content: bytes) -> mmap.mmap:
    """Anonymous memory cannot be mapped read-only with content: a file can."""
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        return mmap.mmap(file.fileno(), len(content), access=mmap.ACCESS_READ)


def _numpy_read_only(content: bytes) -> Any:
    out = np.frombuffer(bytearray(content), np.uint8)
    out.setflags(write=False)
    return out


def _array(code: str) -> Wrap:
    return lambda content: array.array(code, content)


def _numpy(dtype: str) -> Wrap:
    return lambda content: np.frombuffer(bytearray(content), dtype)


def _ctypes(item: Any) -> Wrap:
    return lambda content: (item * (len(content) // ctypes.sizeof(item))).from_buffer_copy(content)


# Writable, one byte an item.
NARROW: dict[str, Wrap] = {
    "bytearray": bytearray,
    "memoryview": lambda content: memoryview(bytearray(content)),
    "array-B": _array("B"),
    "array-b": _array("b"),
    "mmap": _mmap,
    "numpy-uint8": _numpy("u1"),
    "numpy-bool": lambda content: np.frombuffer(bytearray(content), np.bool_),
    "ctypes-ubyte": _ctypes(ctypes.c_ubyte),
    "ctypes-string": lambda content: ctypes.create_string_buffer(content, len(content)),
}
# Writable, several bytes an item or several dimensions: bytes are counted. name -> (divisor, make).
WIDE: dict[str, tuple[int, Wrap]] = {
    "array-H": (2, _array("H")),
    "array-I": (4, _array("I")),
    "array-Q": (8, _array("Q")),
    "array-f": (4, _array("f")),
    "array-d": (8, _array("d")),
    "cast-H": (2, lambda content: memoryview(bytearray(content)).cast("H")),
    "cast-d": (8, lambda content: memoryview(bytearray(content)).cast("d")),
    "cast-2d": (
        16,
        lambda content: (
            memoryview(bytearray(content)).cast("I", (len(content) // 16, 4))
            if content
            else memoryview(bytearray())
        ),
    ),
    "numpy-int32": (4, _numpy("i4")),
    "numpy-big-endian": (4, _numpy(">u4")),
    "numpy-float64": (8, _numpy("f8")),
    "numpy-complex128": (16, _numpy("c16")),
    "numpy-2d": (8, lambda content: _numpy("u2")(content).reshape(-1, 4)),
    "ctypes-uint32": (4, _ctypes(ctypes.c_uint32)),
    "ctypes-uint64": (8, _ctypes(ctypes.c_uint64)),
}


class _Pair(ctypes.Structure):
    _fields_ = (("a", ctypes.c_uint32), ("b", ctypes.c_uint64))


# Empty, with items that are not one byte wide.
EMPTY: dict[str, Callable[[], Any]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": lambda: memoryview(b""),
    "memoryview-slice": lambda: memoryview(bytearray(b"abc"))[3:],
    "array-Q": lambda: array.array("Q"),
    "array-d": lambda: array.array("d"),
    "ctypes-uint64": ctypes.c_uint64 * 0,
    "ctypes-structure": _Pair * 0,
    "ctypes-2d": (ctypes.c_uint32 * 4) * 0,
    "ctypes-inner": (ctypes.c_uint32 * 0) * 5,
    "numpy": lambda: np.empty(0, np.float64),
    "numpy-2d": lambda: np.empty((0, 5), np.uint32),
    "numpy-3d": lambda: np.empty((3, 0, 2), np.uint16),
}
# Not C-contiguous. Each has the content's bytes as its items, in some other layout.
NON_CONTIGUOUS: dict[str, Wrap] = {
    "memoryview-step": lambda content: memoryview(bytearray(2 * len(content)))[::2],
    "memoryview-back": lambda content: memoryview(bytearray(content))[::-1],
    "numpy-step": lambda content: np.zeros(2 * len(content), np.uint8)[::2],
    "numpy-back": lambda content: np.frombuffer(bytearray(content), np.uint8)[::-1],
    "numpy-column": lambda content: np.zeros((len(content), 3), np.uint8)[:, 1],
    "numpy-fortran": lambda content: np.zeros((2, len(content) // 2), np.uint8, order="F"),
    "numpy-broadcast": lambda content: np.broadcast_to(np.uint8(7), len(content)),
    "array-step": lambda content: memoryview(array.array("B", content * 2))[::2],
    "array-wide-step": lambda content: memoryview(array.array("H", content * 2))[::2],
}


class _Bytes(bytes):
    """bytes(x) would be x itself; this is not."""


# Of the right size, but not to be written to.
READ_ONLY: dict[str, Wrap] = {
    "bytes": lambda content: bytes(bytearray(content)),
    "bytes-subclass": lambda content: _Bytes(content),
    "memoryview-of-bytes": lambda content: memoryview(bytes(bytearray(content))),
    "memoryview-read-only": lambda content: memoryview(bytearray(content)).toreadonly(),
    "mmap": _mmap_read_only,
    "numpy": _numpy_read_only,
    "numpy-of-bytes": lambda content: np.frombuffer(bytes(bytearray(content)), np.uint8),
}
NOT_BUFFERS: dict[str, Any] = {
    "int": 48,
    "float": 1.5,
    "list": [1, 2, 3],
    "tuple": (1, 2, 3),
    "object": object(),
    "type": bytes,
    "iterator": iter(b"abc"),
    "range": range(16),
}


def content_of(buffer: Any) -> bytes:
    """The bytes of any of the above."""
    return bytes(memoryview(buffer).tobytes())


if np is None:
    for table in (NARROW, WIDE, EMPTY, NON_CONTIGUOUS, READ_ONLY, NOT_BUFFERS):
        for name in [name for name in table if name.startswith("numpy")]:
            del table[name]
