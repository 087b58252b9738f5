"""What the ctypes paths share: the buffers people make around a foreign function."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..events import Events, count
from ..outputs import Output

if TYPE_CHECKING:
    from ..events import Ledger

# run(source, length, target, tag): one whole operation of a library over raw memory.
ForeignCall = Callable[[Any, int, Any, Any], None]

_create = ctypes.create_string_buffer


def address_of(buffer: bytearray | memoryview) -> Any:
    """Lay a ctypes array over a buffer: no copy, so the library writes where we read."""
    return (ctypes.c_char * len(buffer)).from_buffer(buffer)


def typical_cipher(
    run: ForeignCall,
    data: bytes,
    size: int,
    tag_size: int = 0,
    tag: bytes | None = None,
    passes: int = 3,
    create: Callable[..., Any] = _create,
) -> tuple[Any, bytes]:
    """Put a message through a library, with fresh buffers as most ctypes code makes them.

    `passes` counts how often memory of the message's size is newly taken and filled: 1 the
    output buffer, 2 also its `.raw`, 3 also a copy of the input, 4 also `raw + tag`. `create` makes
    the buffers; a ledger's own counts them.
    """
    source: Any = create(data, len(data)) if passes >= 3 else data
    target = create(size)
    if tag is not None or tag_size == 0:
        run(source, size, target, tag)
        return (target if passes == 1 else target.raw), b""
    tag_buffer = create(tag_size)
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


def typical_hash(
    run: Callable[[Any, int, Any], None], data: bytes, create: Callable[..., Any] = _create
) -> bytes:
    """Hash by way of a copy of the input, as cautious ctypes code does."""
    source = create(data, len(data))
    target = create(32)
    run(source, len(data), target)
    raw: bytes = target.raw
    return raw


def typical_events(size: int, passes: int, tag_size: int, tag: bytes | None, run: Events) -> Events:
    """Count what `typical_cipher` does; `run` says what the library's own calls are."""

    def call(data: bytes, length: int, ledger: Ledger) -> Any:
        return typical_cipher(_nothing, data, length, tag_size, tag, passes, ledger.create)

    return _with_calls(count(call, size), run)


def typical_hash_events(size: int, run: Events) -> Events:
    """Count what `typical_hash` does."""

    def call(data: bytes, _: int, ledger: Ledger) -> Any:
        return typical_hash(_nothing, data, ledger.create)

    return _with_calls(count(call, size), run)


def _with_calls(events: Events, run: Events) -> Events:
    return replace(
        events,
        foreign=run.foreign,
        arguments=run.arguments,
        functions=run.functions + 1,  # the typical one itself
    )


def _nothing(*_: object) -> None:
    """Stand for a library: the cipher is not what is counted."""
