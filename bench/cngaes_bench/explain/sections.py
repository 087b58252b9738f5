"""An explanation as sections of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cases import format_size
from ..document import Section, Table
from ..explanation import REFUTED, SUPPORTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..explanation import Explanation, Fit, Interval, ProbeValue, Verdict, Waterfall

_US, _MS, _S = 1e3, 1e6, 1e9


def sections(explanation: Explanation) -> list[Section]:
    """Show everything."""
    whole = [each for each in explanation.waterfalls if each.complete]
    found = [_waterfall(each) for each in whole]
    if whole:
        found.insert(0, _overview(whole))
    if incomplete := [each for each in explanation.waterfalls if not each.complete]:
        found.append(_incomplete(incomplete))
    if explanation.fits:
        found.append(_fits(explanation.fits))
    if explanation.verdicts:
        found.append(_verdicts(explanation.verdicts))
    if explanation.probes:
        found.append(_probes(explanation.probes))
    return found


def brief(explanation: Explanation) -> list[Section]:
    """Show an overview, the waterfall that the article asks about, and what was decided."""
    whole = [each for each in explanation.waterfalls if each.complete]
    if not whole:
        return []
    found = [_overview(whole)]
    asked = [each for each in whole if "-ctypes/typical" in each.result_name]
    if asked:
        found.append(_waterfall(max(asked, key=lambda each: "aes-256-gcm" in each.result_name)))
    if decided := list(_telling(explanation.verdicts)):
        found.append(_verdicts(decided))
    return found


def _telling(verdicts: Sequence[Verdict]) -> Iterator[Verdict]:
    """Choose what was supported, and of each hypothesis that never was, one refutation."""
    by_name: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_name.setdefault(verdict.hypothesis.split(": ")[0], []).append(verdict)
    for of_name in by_name.values():
        supported = [each for each in of_name if each.verdict == SUPPORTED]
        yield from supported or [each for each in of_name if each.verdict == REFUTED][-1:]


_PARTS = (
    ("engine", {"engine"}),
    ("fresh\npages", {"zeroed", "copied", "faults", "advised", "release"}),
    ("copies,\nfills", {"copies", "fills"}),
    ("calls", {"foreign", "extension", "functions", "buffers", "reads"}),
)


def _overview(waterfalls: Sequence[Waterfall]) -> Section:
    rows = []
    for each in waterfalls:
        scale, unit = _unit(each.measured.value)
        parts = (
            sum(term.predicted.value for term in each.terms if term.name in names)
            for _, names in _PARTS
        )
        rows.append(
            [
                each.result_name,
                unit,
                *(f"{part / scale:,.2f}" for part in parts),
                f"{each.predicted.value / scale:,.2f}",
                f"{each.measured.value / scale:,.2f}",
                f"{each.residual_share:+.1%}",
            ]
        )
    columns = ("result", "unit", *(title for title, _ in _PARTS), "sum", "measured", "residual")
    return Section("Where the time goes", Table(columns, rows, labels=2), [_HOW])


_HOW = (
    "Each term is counted events times the price that a probe of its own found in the same "
    "rounds, or the engine's loop over reused buffers; the residual is what they leave over. "
    "Times are those in which the program ran."
)


def _waterfall(waterfall: Waterfall) -> Section:
    scale, unit = _unit(waterfall.measured.value)
    rows = [
        [
            term.label,
            "" if term.count is None else f"{term.count:,.0f}",
            "" if term.unit_ns is None else f"{term.unit_ns.value:,.3f}",
            *_numbers(term.predicted, scale),
            term.probe,
        ]
        for term in waterfall.terms
    ]
    for label, interval in (
        ("predicted: their sum", waterfall.predicted),
        ("measured: median", waterfall.measured),
    ):
        rows.append([label, "", "", *_numbers(interval, scale), ""])
    share = f"{waterfall.residual_share:+.1%} of the measured"
    rows.append(["residual", "", "", *_numbers(waterfall.residual, scale), share])
    columns = ("term", "events", "ns each", unit, "95 %", "probe")
    notes = []
    if waterfall.away > 0.005 * waterfall.wall.value:
        notes.append(
            f"A user waits {waterfall.wall.value / scale:,.1f} {unit}: for "
            f"{waterfall.away / scale:,.1f} {unit} other programs or the host had the CPU."
        )
    table = Table(columns, rows, words=1, optional=("probe",))
    return Section(f"Where the time goes: {waterfall.result_name}", table, notes)


def _incomplete(waterfalls: Sequence[Waterfall]) -> Section:
    rows = [[each.result_name, ", ".join(each.missing)] for each in waterfalls]
    return Section("Not explained", Table(("result", "missing probes"), rows, labels=2))


def _fits(fits: Sequence[Fit]) -> Section:
    rows = []
    for fit in fits:
        way = "/".join(
            (fit.path, fit.placement)
            + ((fit.key,) if fit.key != "reused" else ())
            + ((f"t{fit.threads}",) if fit.threads > 1 else ())
        )
        worst = max(fit.residuals, key=lambda point: abs(point.residual))
        rows.append(
            [
                fit.task,
                way,
                _with_interval(fit.fixed, 1.0, 0),
                _with_interval(fit.per_byte, 1.0, 3),
                "-" if fit.crossover_bytes is None else f"{fit.crossover_bytes:,.0f}",
                "; ".join(_breaks(fit)) or "none",
                f"{worst.residual:+.0%} at {format_size(worst.size)}",
            ]
        )
    columns = (
        "task", "path/placement", "fixed ns\na call", "ns a byte", "bytes cost more\nfrom B on",
        "breaks", "worst residual",
    )  # fmt: skip
    note = (
        "time = fixed + per byte * size, by least absolute relative residuals over the sizes up to "
        "the first break; [95 % interval]. From the given size on bytes cost more than the call."
    )
    return Section("Cost of a call and of a byte", Table(columns, rows, labels=2, words=2), [note])


def _breaks(fit: Fit) -> Iterator[str]:
    for each in fit.breaks:
        cache = f", {each.cache}" if each.cache else ""
        steps = f"{each.per_byte_before:.3f} to {each.per_byte_after:.3f}"
        yield f"{format_size(each.size)}: {steps}{cache}"


def _verdicts(verdicts: Sequence[Verdict]) -> Section:
    rows = [[each.hypothesis, each.verdict, each.observation, each.reason] for each in verdicts]
    predictions = dict.fromkeys(
        f"{each.hypothesis.split(': ')[0]}: {each.prediction}." for each in verdicts
    )
    table = Table(("hypothesis", "verdict", "observation", "because"), rows, labels=4)
    return Section("Hypotheses", table, list(predictions))


def _probes(probes: Sequence[ProbeValue]) -> Section:
    rows = [
        [
            probe.name,
            probe.label,
            probe.unit,
            f"{probe.ns.value:,.3f}",
            f"[{probe.ns.low:,.3f}, {probe.ns.high:,.3f}]",
            str(probe.samples),
        ]
        for probe in probes
    ]
    columns = ("probe", "what", "unit", "ns a unit", "95 %", "values")
    return Section("Probes", Table(columns, rows, labels=3))


def _numbers(interval: Interval, scale: float) -> tuple[str, str]:
    low, value, high = (f"{x / scale:,.2f}" for x in (interval.low, interval.value, interval.high))
    return value, f"[{low}, {high}]"


def _with_interval(interval: Interval, scale: float, digits: int) -> str:
    low, value, high = (
        f"{x / scale:,.{digits}f}" for x in (interval.low, interval.value, interval.high)
    )
    return f"{value} [{low}, {high}]"


def _unit(ns: float) -> tuple[float, str]:
    for scale, unit in ((_S, "s"), (_MS, "ms"), (_US, "us")):
        if ns >= scale:
            return scale, unit
    return 1.0, "ns"
