"""What the ctypes paths share: the buffers people make around a foreign function."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from ..outputs import Output

# run(source, length, target, tag): one whole operation of a library over raw memory.
ForeignCall = Callable[[Any, int, Any, Any], None]

TYPICAL_PASSES = 3


def address_of(buffer: bytearray | memoryview) -> Any:
    """Lay a ctypes array over a buffer: no copy, so the library writes where we read."""
    return (ctypes.c_char * len(buffer)).from_buffer(buffer)


def typical_cipher(
    run: ForeignCall,
    data: bytes,
    size: int,
    tag_size: int = 0,
    tag: bytes | None = None,
    passes: int = TYPICAL_PASSES,
) -> tuple[Any, bytes]:
    """Put a message through a library, with fresh buffers as most ctypes code makes them.

    `passes` counts how often memory of the message's size is newly taken and filled: 1 the
    output buffer, 2 also its `.raw`, 3 also a copy of the input, 4 also `raw + tag`.
    """
    source: Any = ctypes.create_string_buffer(data, len(data)) if passes >= 3 else data
    target = ctypes.create_string_buffer(size)
    if tag is not None or tag_size == 0:
        run(source, size, target, tag)
        return (target if passes == 1 else target.raw), b""
    tag_buffer = ctypes.create_string_buffer(tag_size)
    run(source, size, target, tag_buffer)
    if passes == 1:
        return target, tag_buffer.raw
    if passes >= 4:
        return target.raw + tag_buffer.raw, b""
    return target.raw, tag_buffer.raw


def typical_output(tag_size: int) -> Callable[[tuple[Any, bytes]], Output]:
    """Make the view of what `typical_cipher` returned."""

    def view(result: tuple[Any, bytes]) -> Output:
        body, tag = result
        if tag:
            return Output(Output.of(body).body, memoryview(tag))
        return Output.of(body, tag_size)

    return view


def typical_hash(run: Callable[[Any, int, Any], None], data: bytes) -> bytes:
    """Hash by way of a copy of the input, as cautious ctypes code does."""
    source = ctypes.create_string_buffer(data, len(data))
    target = ctypes.create_string_buffer(32)
    run(source, len(data), target)
    return target.raw
