"""What people say about .NET's lead over Python on the same system library, held against the data.

Two ways of a case are compared: .NET, and ctypes calling the library that .NET calls (CNG on
Windows, OpenSSL elsewhere). `docs/dotnet.md` has the list, and what a trace decides instead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...cells import INTO, NEW, TYPICAL, Cell
from ...explanation import CANNOT_TELL, REFUTED, SUPPORTED
from ...planner import twin_of
from ..verdicts import Evidence, Finding, by_share, hypothesis, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...explanation import Interval
    from ...measurement import Result

DOTNET = "dotnet"
# Python's ways to the library that .NET calls, by ctypes; and that library without Python.
CTYPES = ("cng-ctypes", "openssl")
LIBRARY = ("cng-kernel", "dotnet-bcrypt", "openssl-c", "openssl")
INSTRUCTIONS = ("dotnet-intrinsics", "kernel")
_LARGE = 1 << 20
_SAME, _APART = 0.05, 0.10
_MOST, _LITTLE = 0.8, 0.5
_HALF = 0.5
_BEYOND_NOISE = 3.0
_MB = 1.048576  # 2^20 / 10^6
_NEAR = 0.01


class _Pair(NamedTuple):
    """One case by .NET over a reused array, and by ctypes with the buffers that people make."""

    dotnet: Result
    ctypes: Result

    @property
    def name(self) -> str:
        return f"{self.ctypes.cell.name} - {self.dotnet.cell.way}"


def _dotnet(evidence: Evidence) -> Iterator[Result]:
    """Large cases that .NET did over a reused array, one thread."""
    for result in evidence.measurement.results:
        cell = result.cell
        if cell == Cell(cell.case, DOTNET, INTO, cell.key) and cell.case.size >= _LARGE:
            yield result


def _other(evidence: Evidence, like: Result, path: str, placement: str) -> Result | None:
    cell = replace(like.cell, path=path, placement=placement)
    return evidence.measurement.find(cell)


def _pairs(evidence: Evidence) -> Iterator[_Pair]:
    for result in _dotnet(evidence):
        for path in CTYPES:
            if other := _other(evidence, result, path, TYPICAL):
                yield _Pair(result, other)


def _ratio(evidence: Evidence, result: Result, to: Result) -> Interval:
    return evidence.prices.work(result).over(evidence.prices.work(to)).interval


def _times(ratio: Interval) -> str:
    return f"{ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}] times"


@hypothesis(
    ".NET beside others",
    f".NET over a reused array takes as long as another way over its own, within {_SAME:.0%}",
    "large result of .NET beside the library, Python's doors to it, or raw instructions",
)
def beside(evidence: Evidence) -> Iterator[Finding]:
    """Compare with everything that does the same work over a reused buffer."""
    for result in _dotnet(evidence):
        for path in dict.fromkeys(("cng", *CTYPES, *LIBRARY, *INSTRUCTIONS)):
            other = _other(evidence, result, path, INTO)
            if other is None:
                continue
            ratio = _ratio(evidence, result, other)
            seen = f"{_times(ratio)} the time of {other.cell.way}"
            subject = f"{result.cell.case.name}, {path}"
            if ratio.low >= 1 - _SAME and ratio.high <= 1 + _SAME:
                yield Finding(subject, SUPPORTED, seen, f"within {_SAME:.0%}")
            elif ratio.high < 1 - _SAME or ratio.low > 1 + _SAME:
                yield Finding(subject, REFUTED, seen, f"surely more than {_SAME:.0%} apart")
            else:
                yield Finding(subject, CANNOT_TELL, seen, f"the interval crosses {_SAME:.0%}")


@hypothesis(
    ".NET, instructions of its own",
    ".NET is faster than the system's library because it has AES and SHA in managed code",
    "large result of .NET beside the library that it should call, reached without Python's buffers",
)
def own_instructions(evidence: Evidence) -> Iterator[Finding]:
    """Hold a caller against what it should call: it cannot be faster."""
    for result in _dotnet(evidence):
        for path in LIBRARY:
            other = _other(evidence, result, path, INTO)
            if other is None:
                continue
            ratio = _ratio(evidence, result, other)
            seen = f"{_times(ratio)} the time of {other.cell.way}"
            subject = f"{result.cell.case.name}, {path}"
            if ratio.high < 1 - _APART:
                yield Finding(subject, SUPPORTED, seen, f"surely {_APART:.0%} faster than it")
            elif ratio.low > 1 - _SAME:
                yield Finding(subject, REFUTED, seen, "no faster than the library itself")
            else:
                yield Finding(subject, CANNOT_TELL, seen, "a little faster, or the same")


@hypothesis(
    ".NET against ctypes, buffers",
    "the lead is what fresh buffers cost: it goes when the ctypes caller reuses its own",
    "large result of .NET, and of ctypes on the same library with fresh and with reused buffers",
)
def fresh_buffers(evidence: Evidence) -> Iterator[Finding]:
    """Find what of the gap goes with the buffers; the rest is the door's."""
    for pair in _pairs(evidence):
        reused = _other(evidence, pair.ctypes, pair.ctypes.cell.path, INTO)
        if reused is None:
            continue
        work = evidence.prices.work
        gap = work(pair.ctypes) - work(pair.dotnet)
        if gap.interval.low <= 0:
            seen = f"a gap of {gap.value / 1e6:.1f} ms"
            yield Finding(pair.name, CANNOT_TELL, seen, "there is no gap to explain")
            continue
        share = (work(pair.ctypes) - work(reused)).over(gap).interval
        seen = f"{percent(share)} of {gap.value / 1e6:.1f} ms goes with a reused buffer"
        outcome = by_share(share, _MOST, _LITTLE)
        reason = {
            SUPPORTED: f"at least {_MOST:.0%} of the gap",
            REFUTED: f"at most {_LITTLE:.0%} of the gap",
        }.get(outcome, f"not surely above {_MOST:.0%} nor below {_LITTLE:.0%} of the gap")
        yield Finding(pair.name, outcome, seen, reason)


@hypothesis(
    ".NET against ctypes, marshalling",
    "the lead is what ctypes takes to make the call: it stays when the buffers are reused",
    "large result of .NET beside ctypes on the same library, both over reused buffers",
)
def marshalling(evidence: Evidence) -> Iterator[Finding]:
    """With reused buffers on both sides nothing but the call is left."""
    for result in _dotnet(evidence):
        for path in CTYPES:
            other = _other(evidence, result, path, INTO)
            if other is None:
                continue
            ratio = _ratio(evidence, other, result)
            seen = f"{_times(ratio)} the time of .NET, both over reused buffers"
            subject = f"{result.cell.case.name}, {path}"
            if ratio.high < 1 + _SAME:
                yield Finding(subject, REFUTED, seen, f"less than {_SAME:.0%} more")
            elif ratio.low > 1 + _APART:
                yield Finding(subject, SUPPORTED, seen, f"surely more than {_APART:.0%} more")
            else:
                why = f"between {_SAME:.0%} and {_APART:.0%} more, or not sure"
                yield Finding(subject, CANNOT_TELL, seen, why)


@hypothesis(
    ".NET against ctypes, recycled pages",
    "with fresh arrays .NET's collector hands out pages that it kept, so that some rounds have no "
    "faults, and a minimum picks those; CPython gives large blocks back and always faults",
    "large result of .NET with fresh arrays beside ctypes with fresh buffers, with page faults",
)
def recycled_pages(evidence: Evidence) -> Iterator[Finding]:
    """Compare the faults of every round on both sides."""
    for pair in _pairs(evidence):
        for placement in (NEW, TYPICAL):
            fresh = _other(evidence, pair.dotnet, DOTNET, placement)
            here, there = (_faults(fresh) if fresh else []), _faults(pair.ctypes)
            if fresh is None or not here or not there:
                continue
            pages = _HALF * fresh.cell.case.size / evidence.prices.page
            few = sum(count < pages for count in here)
            seen = (
                f"{few} of {len(here)} rounds of {fresh.cell.way} with less than half a fault a "
                f"page, {sum(count < pages for count in there)} of {len(there)} of "
                f"{pair.ctypes.cell.way}"
            )
            if few and min(there) >= pages:
                yield Finding(fresh.cell.name, SUPPORTED, seen, "only .NET has rounds without")
            elif not few:
                yield Finding(fresh.cell.name, REFUTED, seen, ".NET faults in every round")
            else:
                yield Finding(fresh.cell.name, CANNOT_TELL, seen, "both have rounds without")


def _faults(result: Result) -> list[float]:
    """Page faults of a call, round by round."""
    return [
        value.number("page_faults") / value.loops
        for value in result.values
        if "page_faults" in value.extras
    ]


@hypothesis(
    ".NET against ctypes, clock",
    "the two ran at different clocks: other cores, or another moment",
    "core clock beside the values of .NET and of ctypes",
)
def clocks(evidence: Evidence) -> Iterator[Finding]:
    """Both stand in the same rounds, so their clocks can be paired."""
    for pair in _pairs(evidence):
        here, there = (
            evidence.prices.of(each, lambda v: v.number("clock_mhz") or None) for each in pair
        )
        if here is None or there is None:
            continue
        clock = here.over(there).interval
        lead = _ratio(evidence, pair.ctypes, pair.dotnet)
        seen = f"{_times(clock)} the clock, a lead of {_times(lead)}"
        if lead.low <= 1:
            yield Finding(pair.name, CANNOT_TELL, seen, "there is no gap to explain")
        elif clock.low >= 1 + _MOST * (lead.value - 1):
            yield Finding(pair.name, SUPPORTED, seen, f"at least {_MOST:.0%} of the lead")
        elif clock.high <= 1 + _LITTLE * (lead.value - 1):
            yield Finding(pair.name, REFUTED, seen, f"at most {_LITTLE:.0%} of the lead")
        else:
            yield Finding(pair.name, CANNOT_TELL, seen, "a part of the lead, not all")


@hypothesis(
    ".NET against ctypes, background",
    "what else the machine did makes differences as large as the lead",
    "large result of .NET beside ctypes, in a case with an A/A pair",
)
def background(evidence: Evidence) -> Iterator[Finding]:
    """Hold the gap against what two measurements of one and the same thing differ by."""
    for pair in _pairs(evidence):
        noise = _noise(evidence, pair)
        if noise is None:
            continue
        gap = (evidence.prices.work(pair.ctypes) - evidence.prices.work(pair.dotnet)).interval
        seen = f"a gap of {gap.value / 1e6:.1f} ms, {noise / 1e6:.1f} ms between equal entries"
        if gap.high <= noise:
            yield Finding(pair.name, SUPPORTED, seen, "not beyond the noise")
        elif gap.low > _BEYOND_NOISE * noise:
            yield Finding(pair.name, REFUTED, seen, f"surely {_BEYOND_NOISE:.0f} times the noise")
        else:
            yield Finding(pair.name, CANNOT_TELL, seen, "not far enough beyond the noise")


def _noise(evidence: Evidence, pair: _Pair) -> float | None:
    """Tell what the A/A pair of this case differs by at most, in nanoseconds."""
    for result in evidence.measurement.results:
        if not result.cell.again or result.cell.case != pair.dotnet.cell.case:
            continue
        first = evidence.measurement.find(twin_of(result.cell))
        if first is not None:
            apart = evidence.prices.work(first) - evidence.prices.work(result)
            return max(abs(apart.interval.low), abs(apart.interval.high))
    return None


@hypothesis(
    ".NET against ctypes, unit",
    "one side counts 10^6 bytes a MB, the other 2^20: a lead of 4.9 % that is none",
    "large result of .NET beside ctypes",
)
def units(evidence: Evidence) -> Iterator[Finding]:
    """Compare with the unit's factor; here both sides are bytes and seconds anyway."""
    for pair in _pairs(evidence):
        lead = _ratio(evidence, pair.ctypes, pair.dotnet)
        seen = f"a lead of {_times(lead)}, {_MB:.3f} by the unit"
        if lead.low > _MB + _NEAR or lead.high < 1:
            yield Finding(pair.name, REFUTED, seen, "the unit does not explain it")
        elif lead.low >= _MB - _NEAR and lead.high <= _MB + _NEAR:
            yield Finding(pair.name, SUPPORTED, seen, "as large as the unit would make it")
        else:
            yield Finding(pair.name, CANNOT_TELL, seen, "too small or too unsure a lead")


@hypothesis(
    ".NET against CNG, another path in the DLL",
    "what .NET calls in bcrypt.dll is another, faster code than what Python calls",
    "dotnet-bcrypt beside cng-kernel (Windows only)",
)
def another_path(evidence: Evidence) -> Iterator[Finding]:
    """P/Invoke of the same functions from .NET's process, and a loop in C++ in Python's."""
    for result in evidence.measurement.results:
        cell = result.cell
        if cell.path != "dotnet-bcrypt" or cell.placement != INTO or cell.case.size < _LARGE:
            continue
        other = _other(evidence, result, "cng-kernel", INTO)
        if other is None:
            continue
        ratio = _ratio(evidence, result, other)
        seen = f"{_times(ratio)} the time of {other.cell.way}"
        if ratio.high < 1 - _APART:
            yield Finding(cell.name, SUPPORTED, seen, f"surely {_APART:.0%} faster")
        elif ratio.low >= 1 - _SAME:
            yield Finding(cell.name, REFUTED, seen, "no faster in .NET's process")
        else:
            yield Finding(cell.name, CANNOT_TELL, seen, "a little faster, or the same")


@hypothesis(
    ".NET against ctypes, emulation",
    "Python's process is translated from another architecture, .NET's is native",
    "architectures that both processes reported",
)
def one_emulated(evidence: Evidence) -> Iterator[Finding]:
    """Read what the two processes say of themselves."""
    python = evidence.measurement.machine.get("process", "")
    details = next((result.details for result in _dotnet(evidence)), {})
    process, system = details.get("process_arch", ""), details.get("os_arch", "")
    if not python or not process or not system:
        return
    seen = f"Python: {python}; .NET: {process} on {system}"
    emulated, native = python.startswith("emulated"), process == system
    if emulated and native:
        yield Finding("", SUPPORTED, seen, "only Python's is translated", fact=True)
    elif python.startswith("native"):
        yield Finding("", REFUTED, seen, "Python's is not translated", fact=True)
    else:
        yield Finding("", CANNOT_TELL, seen, "both are translated, or nobody knows", fact=True)


@hypothesis(
    ".NET, message cut in pieces",
    ".NET hands the message to the library in pieces that stay in the cache",
    "large result of .NET",
)
def pieces(evidence: Evidence) -> Iterator[Finding]:
    """Leave it open: times do not show calls. A trace counts them, which is no part of a run."""
    for result in _dotnet(evidence):
        why = "a run does not count calls; tools/dotnet/trace.sh does"
        yield Finding(result.cell.name, CANNOT_TELL, "-", why)


DOTNET_HYPOTHESES = (
    beside,
    own_instructions,
    fresh_buffers,
    marshalling,
    recycled_pages,
    clocks,
    background,
    units,
    another_path,
    one_emulated,
    pieces,
)
