"""How long a measurement may take, and what gives way when the machine is slow."""

from __future__ import annotations

import hashlib
from time import perf_counter
from typing import TYPE_CHECKING

from .buffers import FRESH_PASSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .cells import Cell
    from .measurement import Measurement, Result

MIN_ROUNDS = 3
_HASH_PROBE = 1 << 20
_FRESH_PROBE = 64 << 20  # above every threshold below which an allocator recycles memory


class Pace:
    """No limit: every run takes all its rounds."""

    def begin(self, run: int, cells: Sequence[Cell]) -> None:
        """Note that a run begins."""

    def round_took(self, seconds: float, so_far: Measurement) -> None:
        """Note what a round took, and what all of them found."""

    def is_last(self, number: int) -> bool:
        """Say whether round `number` (from 1) has to be the last one."""
        del number
        return False

    def why_short(self, taken: int, planned: int) -> str:
        """Explain a run of fewer rounds than planned."""
        return f"{taken} of {planned} rounds taken"


class Budget(Pace):
    """Rounds that fit into `seconds` a run, counted from `started`; at least three.

    Before each round it asks whether one more would still fit after it, because the last
    round also checks all outputs again.
    """

    def __init__(
        self, seconds: float, started: float, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.seconds = seconds
        self._started = started
        self._clock = clock
        self._deadline = started + seconds
        self._round = 0.0
        self._closing = 0.0

    def begin(self, run: int, cells: Sequence[Cell]) -> None:
        """Start the clock anew for every run but the first, which began with the command."""
        if run:
            self._deadline = self._clock() + self.seconds
        self._round = 0.0
        self._closing = closing_seconds(cells)

    def remaining(self) -> float:
        """Seconds left of this run."""
        return self._deadline - self._clock()

    def round_took(self, seconds: float, so_far: Measurement) -> None:
        """Remember the slowest round: the next one may take as long."""
        del so_far
        self._round = max(self._round, seconds)

    def is_last(self, number: int) -> bool:
        """Look one round ahead."""
        if number < MIN_ROUNDS:
            return False
        return 2 * self._round + self._closing > self.remaining()

    def why_short(self, taken: int, planned: int) -> str:
        """Blame the machine."""
        return (
            f"{taken} of {planned} rounds taken: this machine is slow or busy, "
            f"one more round would not have fitted into {self.seconds:.0f} s"
        )


def closing_seconds(cells: Iterable[Cell]) -> float:
    """Estimate what fingerprints of all outputs will take."""
    data = bytes(_HASH_PROBE)
    start = perf_counter()
    hashlib.sha256(data)
    per_byte = (perf_counter() - start) / _HASH_PROBE
    return per_byte * sum(cell.case.body_size * cell.threads for cell in cells)


def fresh_seconds() -> float:
    """Measure a byte of memory that is touched for the first time."""
    start = perf_counter()
    bytearray(b"\0") * _FRESH_PROBE
    return (perf_counter() - start) / _FRESH_PROBE


def seconds_needed(probe: Iterable[Result], size: int, rounds: int) -> float:
    """Estimate a measurement at `size` by one at a smaller size.

    Every cell runs once to be checked and once a round; its output is fingerprinted before and
    after.
    """
    fresh, total = fresh_seconds(), 0.0
    for result in probe:
        cell = result.cell
        call = min(result.seconds) * size / cell.case.size
        call += fresh * size * FRESH_PASSES.get(cell.placement, 0) * cell.threads
        total += call * (rounds + 1)
        total += 2 * closing_seconds([cell]) * size / cell.case.size
    return total
