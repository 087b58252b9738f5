"""Medians with bootstrapped intervals, of series that were taken in the same rounds.

All series are resampled by the same choice of rounds, because what disturbs a round disturbs
everything in it: a sum or a difference then has the interval that it deserves.
"""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..explanation import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..measurement import Moment

RESAMPLES = 600
_LEVEL = 0.95
_STRATUM = 3
_SEED = 1  # the same data gives the same interval


@dataclass(frozen=True)
class Estimate:
    """A number: first as all rounds give it, then as each choice of rounds does."""

    draws: tuple[float, ...]

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """Make a number without any doubt."""
        return cls((value,) * (RESAMPLES + 1))

    @property
    def value(self) -> float:
        """The number itself."""
        return self.draws[0]

    @cached_property
    def interval(self) -> Interval:
        """Value and 95 % interval."""
        ordered = sorted(self.draws[1:])
        tail = int(len(ordered) * (1 - _LEVEL) / 2)
        low, high = ordered[tail], ordered[-1 - tail]
        return Interval(min(low, self.value), self.value, max(high, self.value))

    def __add__(self, other: Estimate) -> Estimate:
        return self.joined(other, lambda a, b: a + b)

    def __sub__(self, other: Estimate) -> Estimate:
        return self.joined(other, lambda a, b: a - b)

    def __mul__(self, other: Estimate | float) -> Estimate:
        if isinstance(other, Estimate):
            return self.joined(other, lambda a, b: a * b)
        return Estimate(tuple(draw * other for draw in self.draws))

    def over(self, whole: Estimate) -> Estimate:
        """Divide; a choice of rounds in which the whole is nothing has no share, so 0."""
        return self.joined(whole, lambda a, b: a / b if b > 0 else 0.0)

    def joined(self, other: Estimate, how: Callable[[float, float], float]) -> Estimate:
        """Combine two numbers, each choice of rounds with itself."""
        return Estimate(tuple(map(how, self.draws, other.draws)))


ZERO = Estimate.exact(0.0)


def _strata(moments: Sequence[Moment]) -> list[Sequence[Moment]]:
    """Cut the rounds into threes of neighbours; the last one takes the rest."""
    if len(moments) < 2 * _STRATUM:
        return [moments] if moments else []
    cuts = list(range(0, len(moments) - _STRATUM + 1, _STRATUM))
    ends = [*cuts[1:], len(moments)]
    return [moments[start:end] for start, end in zip(cuts, ends, strict=True)]


class Resampler:
    """Chooses rounds once, and takes the medians of any series by these choices.

    Rounds are resampled among their neighbours: a machine whose memory is slow for a while is
    slow for everybody, and its slow and fast times are both in the rounds already.
    """

    def __init__(self, moments: Sequence[Moment]) -> None:
        self._moments = sorted(set(moments))
        chance = random.Random(_SEED)
        strata = _strata(self._moments)
        # One less than there are: drawing as many from few would make them look steadier.
        self._choices = [self._moments] + [
            [
                moment
                for stratum in strata
                for moment in chance.choices(stratum, k=max(1, len(stratum) - 1))
            ]
            for _ in range(RESAMPLES if strata else 0)
        ]

    @property
    def rounds(self) -> int:
        """How many rounds there are to choose from."""
        return len(self._moments)

    def median(self, series: Mapping[Moment, float]) -> Estimate | None:
        """Take the median; None when the series has no value."""
        if not series:
            return None
        whole = statistics.median(series.values())
        draws = []
        for choice in self._choices:
            chosen = [series[moment] for moment in choice if moment in series]
            draws.append(statistics.median(chosen) if chosen else whole)
        return Estimate(tuple(draws))
