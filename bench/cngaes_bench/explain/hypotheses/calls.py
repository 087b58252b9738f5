"""Hypotheses about what a call costs, whatever its size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...cells import PER_CALL
from ...explanation import CANNOT_TELL, REFUTED, SUPPORTED
from ..terms import engine_cell
from ..verdicts import Evidence, Finding, by_share, hypothesis, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGE, _SMALL = 1 << 20, 1 << 10
_MOST, _LITTLE = 0.5, 0.1


def _ctypes_share(evidence: Evidence, *, large: bool) -> Iterator[Finding]:
    for prediction in evidence.predictions:
        cell, foreign = prediction.result.cell, prediction.terms.get("foreign")
        if foreign is None or not (cell.case.size >= _LARGE if large else cell.case.size <= _SMALL):
            continue
        engine = evidence.measurement.find(engine_cell(cell))
        if engine is None:
            continue
        gap = evidence.prices.work(prediction.result) - evidence.prices.work(engine)
        if gap.interval.low <= 0:
            seen = f"{gap.value:,.0f} ns beyond {engine.cell.way}"
            yield Finding(cell.name, CANNOT_TELL, seen, "there is no gap to explain")
            continue
        share = foreign.over(gap).interval
        seen = (
            f"{foreign.value:,.0f} ns of ctypes, a gap of {gap.value:,.0f} ns to "
            f"{engine.cell.way}: {percent(share)}"
        )
        outcome = by_share(share, _MOST, _LITTLE)
        reason = {
            SUPPORTED: f"at least {_MOST:.0%} of the gap",
            REFUTED: f"at most {_LITTLE:.0%} of the gap",
        }.get(outcome, f"not surely above {_MOST:.0%} nor below {_LITTLE:.0%} of the gap")
        yield Finding(cell.name, outcome, seen, reason)


@hypothesis(
    "ctypes, large message",
    "marshalling by ctypes is what makes a large call slower than its engine",
    "large result by ctypes beside its engine, with probes",
)
def ctypes_large(evidence: Evidence) -> Iterator[Finding]:
    """Price the foreign calls of large messages."""
    return _ctypes_share(evidence, large=True)


@hypothesis(
    "ctypes, small message",
    "marshalling by ctypes is what makes a small call slower than its engine",
    "result by ctypes of at most 1 KiB beside its engine, with probes",
)
def ctypes_small(evidence: Evidence) -> Iterator[Finding]:
    """Price the foreign calls of small messages."""
    return _ctypes_share(evidence, large=False)


@hypothesis(
    "key schedule per call",
    "making the key object in every call is most of such a call",
    "result with a key per call beside the same one with a reused key",
)
def key_schedule(evidence: Evidence) -> Iterator[Finding]:
    """Compare per-call and reused keys, measured both."""
    for result in evidence.measurement.results:
        if result.cell.key == PER_CALL:
            continue
        per_call = evidence.measurement.find(replace(result.cell, key=PER_CALL))
        if per_call is None:
            continue
        whole = evidence.prices.work(per_call)
        share = (whole - evidence.prices.work(result)).over(whole).interval
        seen = f"{percent(share)} of a call of {whole.value:,.0f} ns"
        outcome = by_share(share, _MOST, _LITTLE)
        reason = {
            SUPPORTED: f"at least {_MOST:.0%} of the call",
            REFUTED: f"at most {_LITTLE:.0%} of the call",
        }.get(outcome, f"not surely above {_MOST:.0%} nor below {_LITTLE:.0%} of the call")
        yield Finding(per_call.cell.name, outcome, seen, reason)
