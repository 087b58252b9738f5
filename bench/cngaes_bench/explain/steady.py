"""Rounds until what they predict is known well enough."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from ..pace import Pace
from .terms import Prices, predict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..cells import Cell
    from ..explanation import Waterfall
    from ..measurement import Measurement

FEWEST, MOST = 9, 99
WIDEST = 0.10  # of a predicted sum: its 95 % interval as a share of it
PATIENCE = 120.0  # seconds of rounds
_MARGIN = 0.8  # the last round comes after the decision, and may widen what it saw


class Steady(Pace):
    """At least nine rounds, then as many as the intervals need, for two minutes at most.

    A quiet machine stops at once. On one whose memory gets slower and faster with its neighbours,
    nine rounds leave a quarter of all runs with an interval wider than a tenth.
    """

    def __init__(
        self, machine: Mapping[str, str], clock: Callable[[], float] = perf_counter
    ) -> None:
        self._machine = dict(machine)
        self._clock = clock
        self._start = 0.0
        self._round = 0.0
        self._widest: Waterfall | None = None

    def begin(self, run: int, cells: Sequence[Cell]) -> None:
        """Start the clock."""
        del run, cells
        self._start = self._clock()

    def round_took(self, seconds: float, so_far: Measurement) -> None:
        """Look at the intervals."""
        self._round = max(self._round, seconds)
        if so_far.rounds < FEWEST - 1:
            return
        found = predict(Prices(replace(so_far, machine=self._machine)))
        whole = [each.waterfall for each in found if each.waterfall.complete]
        self._widest = max(whole, key=lambda each: each.predicted.width, default=None)

    def is_last(self, number: int) -> bool:
        """Stop when all are narrow, or when patience ends."""
        if number < FEWEST:
            return False
        if self._widest is None or self._widest.predicted.width <= WIDEST * _MARGIN:
            return True
        return self._clock() - self._start + 2 * self._round > PATIENCE  # one more after it

    def why_short(self, taken: int, planned: int) -> str:
        """Say what decided."""
        del planned
        if self._widest is None:
            return f"{taken} rounds: no prediction is whole, so more of them would not help."
        width, name = self._widest.predicted.width, self._widest.result_name
        if width <= WIDEST:
            return f"{taken} rounds: no interval of a predicted sum is wider than {WIDEST:.0%}."
        return (
            f"CAUTION: {taken} rounds in {PATIENCE:.0f} s left an interval of {width:.0%} "
            f"({name}): this machine is busy, or its memory is."
        )
