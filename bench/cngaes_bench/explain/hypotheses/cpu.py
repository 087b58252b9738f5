"""Hypotheses about the processor."""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

from ...cases import DECRYPT
from ...cells import INTO, NEW
from ...explanation import CANNOT_TELL, REFUTED, SUPPORTED
from ..verdicts import Evidence, Finding, hypothesis

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS_OF_AES = {128: 10, 192: 12, 256: 14}
_NEAR = 0.03
_LARGE = 1 << 14
_CLOCK_NEAR, _CLOCK_LOW = 0.98, 0.95


@hypothesis(
    "key length",
    "AES-192 and AES-256 take 12/10 and 14/10 of the time of AES-128, as their rounds do",
    "CBC encryption with a 128-bit key beside a longer one, over reused buffers or fresh bytes",
)
def key_length(evidence: Evidence) -> Iterator[Finding]:
    """CBC encryption is bound by the rounds' latency: there the number of rounds must show."""
    for result in evidence.measurement.results:
        cell, case = result.cell, result.cell.case
        if case.mode != "cbc" or case.direction == DECRYPT or case.key_bytes == 16 or cell.again:
            continue
        if case.size < _LARGE or cell.placement not in (INTO, NEW):
            continue
        shorter = evidence.measurement.find(
            replace(cell, case=replace(case, algorithm="aes-128-cbc"))
        )
        if shorter is None:
            continue
        wanted = ROUNDS_OF_AES[case.key_bytes * 8] / ROUNDS_OF_AES[128]
        found = evidence.prices.work(result).over(evidence.prices.work(shorter)).interval
        seen = (
            f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}] times, {wanted:.1f} by rounds"
        )
        inside = wanted * (1 - _NEAR) <= found.low and found.high <= wanted * (1 + _NEAR)
        outside = found.high < wanted * (1 - _NEAR) or found.low > wanted * (1 + _NEAR)
        if evidence.measurement.runs == 1 and not evidence.one_of_many:
            why = "one run only: a ratio is stated when several runs repeat it (--runs 3)"
            yield Finding(cell.name, CANNOT_TELL, seen, why)
        elif inside:
            yield Finding(cell.name, SUPPORTED, seen, f"within {_NEAR:.0%} of it")
        elif outside:
            yield Finding(cell.name, REFUTED, seen, f"surely more than {_NEAR:.0%} off")
        else:
            yield Finding(cell.name, CANNOT_TELL, seen, f"the interval crosses {_NEAR:.0%}")


@hypothesis(
    "clock drop",
    "the core clock fell while the rounds went on, so that later rounds were slower",
    "core clock beside its values (needs the extension)",
)
def clock_drop(evidence: Evidence) -> Iterator[Finding]:
    """Compare the clock of the last third of the rounds with the first third's."""
    clocks: dict[tuple[int, int], list[float]] = {}
    for result in evidence.measurement.results:
        for value in result.values:
            if "clock_mhz" in value.extras:
                clocks.setdefault(value.moment, []).append(value.number("clock_mhz"))
    rounds = [clocks[moment] for moment in sorted(clocks)]
    if not rounds:
        return
    third = len(rounds) // 3
    if not third:
        yield Finding("", CANNOT_TELL, f"{len(rounds)} round(s)", "three rounds are needed")
        return
    first = statistics.median(clock for of_round in rounds[:third] for clock in of_round)
    last = statistics.median(clock for of_round in rounds[-third:] for clock in of_round)
    seen = f"{first:,.0f} MHz in the first third of the rounds, {last:,.0f} in the last"
    if last < _CLOCK_LOW * first:
        yield Finding("", SUPPORTED, seen, f"below {_CLOCK_LOW:.0%} of where it began")
    elif last > _CLOCK_NEAR * first:
        yield Finding("", REFUTED, seen, f"at least {_CLOCK_NEAR:.0%} of where it began")
    else:
        why = f"between {_CLOCK_LOW:.0%} and {_CLOCK_NEAR:.0%} of where it began"
        yield Finding("", CANNOT_TELL, seen, why)


@hypothesis(
    "emulation",
    "this process is translated from another architecture, which slows all of it",
    "machine description that tells native from emulated",
)
def emulation(evidence: Evidence) -> Iterator[Finding]:
    """Read what the operating system says about this process."""
    said = evidence.measurement.machine.get("process", "")
    if not said:
        return
    if said.startswith("native"):
        yield Finding("", REFUTED, said, "the system says so", fact=True)
    elif said.startswith("emulated"):
        yield Finding("", SUPPORTED, said, "the system says so", fact=True)
    else:
        yield Finding("", CANNOT_TELL, said, "the system does not say", fact=True)
