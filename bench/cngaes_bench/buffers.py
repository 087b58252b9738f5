"""Memory shared by all paths of this process: one output buffer a thread, not one a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cases import format_size
from .cells import NEW, STREAM, TYPICAL_PASSES, Cell
from .system import free_memory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .outputs import Output

_SHARE_FROM = 1 << 20
_RESERVE = 64 << 20

# Fresh buffers of the input's size that a call of this placement makes, at most.
FRESH_PASSES = {NEW: 2, STREAM: 2, **TYPICAL_PASSES}


class Buffers:
    """Reused output buffers and the last fresh outputs.

    A buffer is written once before it is handed out, so that no timed call pays for the first
    touch of its pages. Small ones are bytearrays of the exact size, as a program would have
    them; large ones are views of one big bytearray a thread.
    """

    def __init__(self) -> None:
        self._small: dict[tuple[int, int], bytearray] = {}
        self._large: dict[int, bytearray] = {}
        self._owner: object = None
        self._held: list[Output] = []

    def output(self, size: int, index: int = 0) -> bytearray | memoryview:
        """Give thread `index` a buffer of exactly `size` bytes."""
        if size < _SHARE_FROM:
            return self._small.setdefault((size, index), bytearray(size))
        large = self._large.get(index)
        if large is None or len(large) < size:
            # bytearray(n) is calloc: untouched until written.
            large = bytearray(b"\xa5") * size
            self._large[index] = large
        return memoryview(large)[:size]

    def hold(self, owner: object, outputs: list[Output]) -> None:
        """Keep the outputs of a run until the next run of any path, and no longer."""
        self._owner, self._held = owner, outputs

    def held_by(self, owner: object) -> list[Output]:
        """Give the outputs of the last run, if `owner` made it."""
        if self._owner is not owner:
            raise RuntimeError("verify before run, or after the run of another path")
        return self._held

    def release(self) -> None:
        """Let the fresh outputs go, outside of any clock."""
        self._owner, self._held = None, []

    def scrub(self, size: int) -> None:
        """Fill the block that the next fresh output of `size` is likely to get.

        An allocator hands out just-freed memory; without this a path that returns memory it
        never wrote could present the right bytes of the path before it.
        """
        self.release()
        scrap = bytearray(b"\xa5") * size
        del scrap


class NoRoomError(MemoryError):
    """Not enough memory for the chosen size; the text offers a smaller one."""


def memory_needed(size: int, cells: list[Cell], programs: Mapping[str, str] | None = None) -> int:
    """Bytes that measuring `cells` at `size` takes at the worst moment.

    `programs` maps paths to the processes that do them: each has inputs and outputs of its own.
    """
    groups: dict[str, list[Cell]] = {"": []}
    for cell in cells:
        groups.setdefault((programs or {}).get(cell.path, ""), []).append(cell)
    # The reference's own output is held by this process alone.
    return size + sum(_process_memory(size, group) for group in groups.values()) + _RESERVE


def _process_memory(size: int, cells: list[Cell]) -> int:
    threads = max((cell.threads for cell in cells), default=0)
    fresh = max((FRESH_PASSES.get(cell.placement, 0) * cell.threads for cell in cells), default=0)
    ciphertexts = len({cell.case for cell in cells if cell.case.direction == "decrypt"})
    # One input, an output a thread, the fresh outputs.
    return size * (1 + threads + fresh + ciphertexts)


def check_room(cells: list[Cell], programs: Mapping[str, str] | None = None) -> None:
    """Raise NoRoomError before anything is allocated."""
    size = max(cell.case.size for cell in cells)
    needed, free = memory_needed(size, cells, programs), free_memory()
    if needed <= free:
        return
    smaller = size
    while smaller > 1 << 20 and memory_needed(smaller, cells, programs) > free:
        smaller //= 2
    raise NoRoomError(
        f"inputs of {format_size(size)} need {needed >> 20} MiB of memory here, "
        f"{free >> 20} MiB are free; try --size {format_size(smaller)}"
    )
