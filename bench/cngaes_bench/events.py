"""What one call of a path does beside the cipher itself, counted and not believed.

Memory that ctypes code takes, fills and copies is counted by running the same Python function
once over buffers that keep a ledger (`count`). What happens inside a library, such as the one
fresh output of an extension, is stated by its path, and held against the page faults that the
system counts with every value.
"""

from __future__ import annotations

import ctypes
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

EVENTS = "events"  # the detail of a result in which they stand
_MESSAGE = 4096  # bytes of the message in a counted call; the true one is a multiple of it


@dataclass(frozen=True, slots=True)
class Events:
    """Events of one call. The upper half counts bytes, of buffers of the message's size.

    Fresh memory is counted once, by who writes it first.
    """

    zeroed: int = 0  # fresh, filled with zeros by its maker
    copied: int = 0  # fresh, filled by copying
    written: int = 0  # fresh, first written by the engine
    advised: int = 0  # likewise, in huge pages where the system gives them to those who ask
    copies: int = 0  # copied into memory in use
    fills: int = 0  # zeros over memory in use
    freed: int = 0  # fresh memory that is given back within the call
    returned: int = 0  # fresh memory that the caller gets

    foreign: int = 0  # calls through ctypes
    arguments: int = 0  # arguments of all of them
    extension: int = 0  # calls of a compiled method
    functions: int = 0  # calls of Python functions
    buffers: int = 0  # ctypes arrays made, of any size
    reads: int = 0  # bytes objects made of them

    @property
    def fresh(self) -> int:
        """All bytes of fresh memory."""
        return self.zeroed + self.copied + self.written + self.advised

    def to_text(self) -> str:
        """Write `zeroed=2 copied=1`; `none` when there is nothing."""
        counts = (f"{name}={count}" for name, count in asdict(self).items() if count)
        return " ".join(counts) or "none"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what `to_text` wrote. Raises ValueError."""
        counts = {}
        for word in text.split() if text != "none" else ():
            name, _, count = word.partition("=")
            if name not in {each.name for each in fields(cls)}:
                raise ValueError(f"unknown event {name!r}")
            counts[name] = int(count)
        return cls(**counts)


class Ledger:
    """Makes ctypes buffers that count what is done to them."""

    def __init__(self) -> None:
        self.events = Events()

    def create(self, init: Any, size: int | None = None) -> Any:
        """As `ctypes.create_string_buffer`: zeros first, then a copy of what was given."""
        length = int(init) if isinstance(init, int) else size or len(init) + 1
        buffer = _counting_array(self, length)()
        self._add("zeroed", length)
        self.events = replace(self.events, buffers=self.events.buffers + 1)
        if not isinstance(init, int):
            ctypes.memmove(buffer, bytes(init), len(init))
            self._add("copies", len(init))
        return buffer

    def read(self, data: bytes) -> CountedBytes:
        """Count a fresh copy."""
        self._add("copied", len(data))
        self.events = replace(self.events, reads=self.events.reads + 1)
        made = CountedBytes(data)
        made.ledger = self
        return made

    def copy(self, target: Any, source: Any, size: int) -> None:
        """As `ctypes.memmove` into memory in use."""
        ctypes.memmove(target, source, size)
        self._add("copies", size)

    def _add(self, name: str, size: int) -> None:
        # A tag or a digest is no buffer of the message's size; its object is counted anyway.
        if size >= _MESSAGE:
            size = size // _MESSAGE * _MESSAGE
            self.events = replace(self.events, **{name: getattr(self.events, name) + size})


class CountedBytes(bytes):
    """Bytes whose concatenation is counted."""

    ledger: Ledger

    # Narrower than bytes, which adds any buffer: the paths that are counted add bytes only.
    def __add__(self, other: bytes) -> CountedBytes:  # type: ignore[override]
        """Join: one more fresh copy."""
        return self.ledger.read(bytes(self) + bytes(other))


def _counting_array(ledger: Ledger, length: int) -> Any:
    kind: Any = type("Counting", (ctypes.c_char * length,), {})
    # Only now: ctypes gives every array type a `raw` of its own when it is made.
    kind.raw = property(lambda array: ledger.read(bytes(memoryview(array))))
    return kind


def count(call: Callable[[bytes, int, Ledger], Any], size: int) -> Events:
    """Count a call for a message of `size` bytes.

    `call` gets a short message, its length and a ledger to take its buffers from, and does what
    the timed call does, all but the cipher. It returns what the timed call returns.
    """
    ledger, message = Ledger(), bytes(_MESSAGE)
    result = call(message, len(message), ledger)
    events = ledger.events
    parts = result if isinstance(result, tuple) else (result,)
    returned = sum(len(each) // _MESSAGE * _MESSAGE for each in parts)
    events = replace(events, returned=returned, freed=events.fresh - returned)
    scaled = {
        name: getattr(events, name) // _MESSAGE * size
        for name in ("zeroed", "copied", "copies", "freed", "returned")
    }
    return replace(events, **scaled)
