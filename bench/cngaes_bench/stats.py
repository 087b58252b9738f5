"""Arithmetic over values: summaries, paired ratios, the noise floor, verdicts."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .planner import twin_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .measurement import Measurement, Moment, Result

_RESAMPLES = 2000
_LEVEL = 0.95
_SEED = 1  # the same data gives the same interval


@dataclass(frozen=True, slots=True)
class Summary:
    """One cell in numbers; `spread` is (largest - smallest) / median."""

    count: int
    minimum: float
    median: float
    mean: float
    maximum: float

    @property
    def spread(self) -> float:
        """Range as a share of the median."""
        return (self.maximum - self.minimum) / self.median


def summarize(seconds: Sequence[float]) -> Summary:
    """Put values into numbers."""
    return Summary(
        len(seconds),
        min(seconds),
        statistics.median(seconds),
        statistics.fmean(seconds),
        max(seconds),
    )


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long one cell takes as another.

    The median over rounds, and a 95 % interval of that median by bootstrap over the rounds.
    """

    median: float
    low: float
    high: float
    rounds: int

    @property
    def reach(self) -> float:
        """The end of the interval that is farther from 1, as a share: 0.02 for 0.98..1.01."""
        return math.exp(max(abs(math.log(self.low)), abs(math.log(self.high)))) - 1


def paired_ratio(slower: Mapping[Moment, float], faster: Mapping[Moment, float]) -> Ratio | None:
    """Divide `slower` by `faster`, each round by itself; None when no round has both."""
    moments = [moment for moment in slower if moment in faster]
    if not moments:
        return None
    return _ratio(tuple(math.log(slower[moment] / faster[moment]) for moment in moments))


@lru_cache(maxsize=64)
def _middles(count: int) -> tuple[tuple[int, int], ...]:
    """Draw `count` of as many, again and again, and note which two are the middle ones.

    Which ranks are drawn does not depend on the values, so one series serves all pairs of cells.
    """
    chance = random.Random(_SEED)
    middles = []
    for _ in range(_RESAMPLES):
        ranks = sorted(chance.choices(range(count), k=count))
        middles.append((ranks[(count - 1) // 2], ranks[count // 2]))
    return tuple(middles)


@lru_cache(maxsize=4096)
def _ratio(logs: tuple[float, ...]) -> Ratio:
    """Bootstrap the median; kept, because a report asks for the same pairs several times."""
    ordered = sorted(logs)
    medians = sorted((ordered[i] + ordered[j]) / 2 for i, j in _middles(len(logs)))
    tail = int(_RESAMPLES * (1 - _LEVEL) / 2)
    middle, low, high = statistics.median(logs), medians[tail], medians[-1 - tail]
    return Ratio(math.exp(middle), math.exp(low), math.exp(high), len(logs))


@dataclass(frozen=True, slots=True)
class Comparison:
    """One cell against its baseline, and what may be said about it."""

    ratio: Ratio
    verdict: str


def noise_floor(measurement: Measurement, result: Result) -> float | None:
    """Tell what the A/A pair of this case differs by, as a share; None without a pair."""
    for other in measurement.results:
        if other.cell.again and other.cell.case == result.cell.case:
            twin = measurement.find(twin_of(other.cell))
            if twin is None:
                return None
            ratio = paired_ratio(other.by_moment(), twin.by_moment())
            return ratio.reach if ratio else None
    return None


def compare(measurement: Measurement, baseline: Result, result: Result) -> Comparison | None:
    """Tell how much faster `result` is than `baseline`, and whether that stands.

    A verdict needs more than one round, an interval that lies wholly beyond the noise floor,
    and the same in every run by itself.
    """
    return judge(baseline, result, noise_floor(measurement, result), measurement.runs)


def judge(baseline: Result, result: Result, floor: float | None, runs: int) -> Comparison | None:
    """Hold a pair against a noise floor, over all runs and in each of them."""
    ratio = paired_ratio(baseline.by_moment(), result.by_moment())
    if ratio is None:
        return None
    if baseline is result:
        return Comparison(ratio, "baseline")
    if floor is None:
        return Comparison(ratio, "no A/A pair")
    if ratio.rounds < 2:
        return Comparison(ratio, "one round")
    sides = {_side(ratio, floor)}
    for run in range(runs):
        of_run = paired_ratio(baseline.by_moment(run), result.by_moment(run))
        if of_run is not None:
            sides.add(_side(of_run, floor))
    if len(sides) > 1 and runs > 1:
        return Comparison(ratio, "not reproduced")
    return Comparison(ratio, sides.pop())


def _side(ratio: Ratio, floor: float) -> str:
    if ratio.low > 1 + floor:
        return "faster"
    if ratio.high < 1 / (1 + floor):
        return "slower"
    return "within noise"


@dataclass(frozen=True, slots=True)
class CallCost:
    """time = fixed + per_byte * size, by the line through two sizes."""

    fixed: float
    per_byte: float
    small: int
    large: int


def two_size_fit(small: int, seconds_small: float, large: int, seconds_large: float) -> CallCost:
    """Split into a fixed cost a call and a cost a byte; noise may make the first negative."""
    per_byte = (seconds_large - seconds_small) / (large - small)
    return CallCost(seconds_small - per_byte * small, per_byte, small, large)
