"""Hypotheses about threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...explanation import CANNOT_TELL, REFUTED, SUPPORTED
from ..verdicts import Evidence, Finding, hypothesis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...measurement import Result

_APART, _TOGETHER = 0.3, 0.7
_SEVERAL, _ONE = 1.3, 1.05
_LONG = 1e-3  # seconds of a value below which the two clocks are too coarse to compare


@hypothesis(
    "GIL",
    "a path holds the interpreter's lock while it works, so that N threads take N times as long",
    "result of several threads beside the same one of one thread",
)
def gil(evidence: Evidence) -> Iterator[Finding]:
    """Compare N threads, each doing the whole case, with one."""
    for result in evidence.measurement.results:
        threads = result.cell.threads
        if threads == 1 or result.cell.again:
            continue
        single = evidence.measurement.find(replace(result.cell, threads=1))
        if single is None:
            continue
        speedup = (evidence.prices.wall(single) * threads).over(evidence.prices.wall(result))
        gain = speedup.interval
        usable = evidence.cpus
        seen = (
            f"{threads} threads do {gain.value:.2f} [{gain.low:.2f}, {gain.high:.2f}] times the "
            f"work of one in the same time, {usable} CPUs"
        )
        possible = min(threads, usable) - 1
        if possible < 1:
            yield Finding(result.cell.name, CANNOT_TELL, seen, "one CPU cannot show it")
        elif gain.low > 1 + _TOGETHER * possible:
            yield Finding(result.cell.name, REFUTED, seen, "they run at the same time")
        elif gain.high < 1 + _APART * possible:
            yield Finding(result.cell.name, SUPPORTED, seen, "they wait for each other")
        else:
            yield Finding(result.cell.name, CANNOT_TELL, seen, "neither alone nor together")


@hypothesis(
    "threads inside",
    "a path is fast because it works on several CPUs: it uses more CPU time than time passes",
    "value of at least 1 ms with CPU time beside it, one thread",
)
def hidden_threads(evidence: Evidence) -> Iterator[Finding]:
    """Hold CPU time against time, for every path once: its longest result."""
    longest: dict[str, Result] = {}
    for result in evidence.measurement.results:
        of_path = [
            v for v in result.values if "cpu_ns" in v.extras and v.seconds * v.loops >= _LONG
        ]
        if result.cell.threads > 1 or result.cell.again or not of_path:
            continue
        known = longest.get(result.cell.path)
        if known is None or known.cell.case.size < result.cell.case.size:
            longest[result.cell.path] = result
    for path, result in longest.items():
        share = evidence.prices.of(
            result,
            lambda v: v.number("cpu_ns") / (v.seconds * v.loops * 1e9) if v.seconds else None,
        )
        if share is None:
            continue
        found = share.interval
        seen = f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}] s of CPU time a second"
        if found.low > _SEVERAL:
            yield Finding(path, SUPPORTED, seen, f"more than {_SEVERAL}")
        elif found.high < _ONE:
            yield Finding(path, REFUTED, seen, f"less than {_ONE}")
        else:
            yield Finding(path, CANNOT_TELL, seen, f"not surely below {_ONE} nor above {_SEVERAL}")
