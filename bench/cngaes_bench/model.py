"""time = fixed + per_byte * size, for each way of doing a task that was measured at several sizes.

The line is the one with the least sum of absolute relative residuals: a size that does not fit
moves it little, and 16 bytes count as much as 16 MiB. It stops at the first size from which on a
byte costs another amount, which is where a cache ends.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from .explain.samples import Estimate
from .explanation import Break, Fit, FitPoint, Interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .explain.terms import Prices
    from .measurement import Measurement, Result

_DRAWS = 200  # of the resampled medians: each is a fit of its own
_BULK = 1 << 14  # from here on differences between neighbours are bytes, not calls
_STEP = 1.25  # a byte that costs this many times as much (or as little) is a break
CACHES = "caches"  # the fact about the machine: "L1d 48 KiB, L2 2 MiB, L3 105 MiB"


@dataclass(frozen=True, slots=True)
class Line:
    """A fixed cost and a cost a byte."""

    fixed: float
    per_byte: float

    def at(self, size: int) -> float:
        """Cost of a size."""
        return self.fixed + self.per_byte * size


def fit_line(points: Mapping[int, float]) -> Line:
    """Fit a line through sizes and times; there are two at least.

    The best line by absolute residuals runs through two of the points, so all pairs are tried.
    """
    best, least = Line(0.0, 0.0), float("inf")
    for (small, low), (large, high) in combinations(sorted(points.items()), 2):
        per_byte = (high - low) / (large - small)
        line = Line(low - per_byte * small, per_byte)
        loss = sum(abs(line.at(size) - time) / time for size, time in points.items())
        if loss < least:
            best, least = line, loss
    return best


def fits(prices: Prices) -> tuple[Fit, ...]:
    """Fit every path that was measured at two sizes or more."""
    series: dict[tuple[str, str, str, str, int], dict[int, Result]] = defaultdict(dict)
    for result in prices.measurement.results:
        cell = result.cell
        if not cell.again:
            task = f"{cell.case.algorithm}/{cell.case.direction}"
            way = (task, cell.path, cell.placement, cell.key, cell.threads)
            series[way][cell.case.size] = result
    return tuple(
        _fit(way, {size: prices.work(one) for size, one in sorted(by_size.items())}, caches)
        for caches in [cache_sizes(prices.measurement)]
        for way, by_size in series.items()
        if len(by_size) > 1
    )


def _fit(
    way: tuple[str, str, str, str, int],
    times: Mapping[int, Estimate],
    caches: Mapping[str, int],
) -> Fit:
    breaks = find_breaks(times, caches)
    until = breaks[0].size if breaks else max(times)
    fitted = {size: time for size, time in times.items() if size <= until}
    if len(fitted) < 2:
        fitted = dict(list(times.items())[:2])
    count = 1 + _DRAWS if len(next(iter(times.values())).draws) > _DRAWS else 1
    lines = [
        fit_line({size: time.draws[draw] for size, time in fitted.items()}) for draw in range(count)
    ]
    line = lines[0]
    crossover = line.fixed / line.per_byte if line.fixed > 0 and line.per_byte > 0 else None
    points = tuple(
        FitPoint(size, time.value, (time.value - line.at(size)) / time.value)
        for size, time in times.items()
    )
    fixed, per_byte = (
        _interval([getattr(one, name) for one in lines]) for name in ("fixed", "per_byte")
    )
    return Fit(*way, fixed, per_byte, breaks, points, crossover)


def _interval(draws: Sequence[float]) -> Interval:
    return Estimate(tuple(draws if len(draws) > 1 else [*draws, *draws])).interval


def find_breaks(times: Mapping[int, Estimate], caches: Mapping[str, int]) -> tuple[Break, ...]:
    """Find where the cost of a further byte changes for good, beyond what its interval allows."""
    bulk = [size for size in times if size >= _BULK]
    steps = [
        (large, (times[large] - times[small]) * (1 / (large - small)))
        for small, large in pairwise(bulk)
    ]
    found = []
    for i in range(1, len(steps)):
        before, after = [cost for _, cost in steps[:i]], [cost for _, cost in steps[i:]]
        if not (_differ(before[-1], after[0]) and _stays(before[-1], after)):
            continue
        size = steps[i - 1][0]
        per_before = statistics.median(cost.value for cost in before)
        found.append(
            Break(size, per_before, after[0].value, _cache_near(size, steps[i][0], caches))
        )
    return tuple(found)


def _differ(before: Estimate, after: Estimate) -> bool:
    low, high = before.interval, after.interval
    if low.value <= 0 or high.value <= 0:
        return False
    return high.low > low.high * _STEP or high.high * _STEP < low.low


def _stays(before: Estimate, after: Sequence[Estimate]) -> bool:
    """Whether all further bytes stay on the same side."""
    side = after[0].value > before.value
    return all((cost.value > before.value) == side for cost in after)


def _cache_near(size: int, larger: int, caches: Mapping[str, int]) -> str:
    """Name the cache that input and output together outgrow between the two sizes."""
    for name, capacity in caches.items():
        if size <= capacity < 2 * larger:
            return name
    return ""


def cache_sizes(measurement: Measurement) -> dict[str, int]:
    """Read the caches of the machine that was measured: name with size, and bytes."""
    found = {}
    for text in measurement.machine.get(CACHES, "").split(", "):
        words = text.split()
        if len(words) == 3 and words[1].isdigit() and words[2] in ("KiB", "MiB"):
            scale = 1 << (10 if words[2] == "KiB" else 20)
            found[f"{words[0]} ({words[1]} {words[2]})"] = int(words[1]) * scale
    return dict(sorted(found.items(), key=lambda each: each[1]))
