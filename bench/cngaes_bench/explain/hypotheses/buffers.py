"""Hypotheses about memory."""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

from ...cells import INPLACE, INTO
from ...explanation import CANNOT_TELL, REFUTED, SUPPORTED
from ..verdicts import Evidence, Finding, by_share, hypothesis, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMORY_TERMS = frozenset({"zeroed", "copied", "faults", "advised", "fills", "copies", "release"})
_LARGE = 1 << 20
_MOST, _LITTLE, _TOO_MUCH = 0.8, 0.5, 1.25
_SAME = 0.05  # fault counts this close are the same
_HALF = 0.5


@hypothesis(
    "buffers",
    "what a call takes beyond the same path over a reused buffer is what its fresh pages and "
    "copies cost by their probes",
    "large result with fresh buffers, with its probes and the same path over a reused buffer",
)
def buffer_passes(evidence: Evidence) -> Iterator[Finding]:
    """Hold the memory terms against the gap between a placement and `into`, measured both."""
    for prediction in evidence.predictions:
        cell = prediction.result.cell
        base = evidence.measurement.find(replace(cell, placement=INTO))
        if base is None or base is prediction.result or cell.case.size < _LARGE:
            continue
        if prediction.waterfall.missing or cell.placement == INPLACE:
            continue
        gap = evidence.prices.work(prediction.result) - evidence.prices.work(base)
        if gap.interval.low <= 0:
            seen = f"{gap.value / 1e6:.1f} ms beyond {base.cell.way}"
            yield Finding(cell.name, CANNOT_TELL, seen, "there is no gap to explain")
            continue
        memory = prediction.sum_of(MEMORY_TERMS)
        share = memory.over(gap).interval
        seen = (
            f"memory should cost {memory.value / 1e6:.1f} ms, the gap to {base.cell.way} is "
            f"{gap.value / 1e6:.1f} ms: {percent(share)}"
        )
        outcome = by_share(share, _MOST, _LITTLE)
        if share.low > _TOO_MUCH:
            yield Finding(cell.name, REFUTED, seen, "memory should cost more than the whole gap")
        elif outcome == SUPPORTED:
            yield Finding(cell.name, SUPPORTED, seen, f"at least {_MOST:.0%} of the gap")
        elif outcome == REFUTED:
            yield Finding(cell.name, REFUTED, seen, f"at most {_LITTLE:.0%} of the gap")
        else:
            why = f"not surely above {_MOST:.0%} nor below {_LITTLE:.0%} of the gap"
            yield Finding(cell.name, CANNOT_TELL, seen, why)


@hypothesis(
    "minimum hides faults",
    "the fastest round of a result had far fewer page faults than its usual round, so that a "
    "minimum leaves out what callers pay",
    "result with a page fault for every page in some rounds, and two rounds",
)
def minimum_hides_faults(evidence: Evidence) -> Iterator[Finding]:
    """Compare the faults of the fastest round with the median of all."""
    for result in evidence.measurement.results:
        pages = result.cell.case.size / evidence.prices.page
        counts = {v.moment: v.number("page_faults") / v.loops for v in result.values}
        if len(counts) < 2 or pages < 2 or max(counts.values()) < _HALF * pages:
            continue
        usual = statistics.median(counts.values())
        fastest = min(result.values, key=lambda value: value.seconds)
        least, name = counts[fastest.moment], result.cell.name
        seen = f"{least:,.0f} faults in the fastest round, {usual:,.0f} in the median one"
        if least < _HALF * usual:
            yield Finding(name, SUPPORTED, seen, "the fastest round had recycled memory")
        elif abs(least - usual) <= _SAME * usual:
            yield Finding(name, REFUTED, seen, "the fastest round faulted as the others did")
        else:
            yield Finding(name, CANNOT_TELL, seen, "neither as many nor less than half")
