"""Where the time of one path goes: predicted terms, their sum, and what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...document import Table
from ..units import between, unit_for
from .figure import Figure, sentence
from .rows import Bar, Row, RowChart, Whisker

if TYPE_CHECKING:
    from ...explanation import Explanation, Interval, Waterfall

_NOTICEABLE = 0.02


def waterfall_figure(waterfall: Waterfall, explanation: Explanation) -> Figure:
    """Draw one waterfall with its residual."""
    factor, unit = unit_for(waterfall.measured.value)
    rows, reached = [], 0.0
    for term in waterfall.terms:
        end = reached + term.predicted.value
        spread = (reached + term.predicted.low, reached + term.predicted.high)
        bar = Bar(reached / factor, end / factor, "term")
        row = Row(term.label, _text(term.predicted), [bar, _whisker(spread, factor)],
                  carry=end / factor)  # fmt: skip
        rows.append(row)
        reached = end
    predicted, measured, residual = (
        waterfall.predicted, waterfall.measured, waterfall.residual,
    )  # fmt: skip
    name = "predicted" if waterfall.complete else "predicted (not whole)"
    rows += [
        Row(name, _text(predicted), _total(predicted, factor, "sum"), strong=True),
        Row("measured", _text(measured), _total(measured, factor, "measured"), strong=True),
        Row(
            "residual",
            f"{_text(residual)} {waterfall.residual_share:+.1%}",
            [
                Bar(predicted.value / factor, measured.value / factor, "residual"),
                _whisker((predicted.value + residual.low, predicted.value + residual.high), factor),
            ],
            strong=True,
        ),
    ]
    away = _away(waterfall)
    if away:
        row = Row("by the wall clock", _text(waterfall.wall), _total(waterfall.wall, factor, "sum"))
        rows.append(row)
    missing = _missing(waterfall)
    chart = RowChart(
        title=f"Where the time goes: {waterfall.result_name}",
        text=sentence([*(f"{row.label}: {row.figure}" for row in rows), missing]),
        rows=rows,
        axis=f"{unit} a call",
        figures="with its 95 % interval",
        logarithmic=False,
    )
    notes = [note for note in (missing, away) if note]
    return Figure(chart.title, chart, _table(waterfall, explanation), notes)


def _missing(waterfall: Waterfall) -> str:
    if waterfall.complete:
        return ""
    names = ", ".join(waterfall.missing)
    return f"Not whole: there is no value of {names}. The sum proves nothing."


def _away(waterfall: Waterfall) -> str:
    share = waterfall.away / waterfall.wall.value
    if share < _NOTICEABLE:
        return ""
    return (
        f"Other programs or the host had the CPU for {share:.0%} of the time by the wall clock; "
        "terms predict the rest, which is what was measured of this program."
    )


def _total(interval: Interval, factor: float, kind: str) -> list[Bar | Whisker]:
    ends = interval.low, interval.high
    return [Bar(0.0, interval.value / factor, kind), _whisker(ends, factor)]


def _whisker(ends: tuple[float, float], factor: float) -> Whisker:
    low, high = ends
    return Whisker(low / factor, high / factor)


def _text(interval: Interval) -> str:
    return between(interval.low, interval.value, interval.high)


def _table(waterfall: Waterfall, explanation: Explanation) -> Table:
    probes = {probe.name: probe for probe in explanation.probes}
    columns = ("term", "ns", "low", "high", "events", "ns an event", "from the probe")
    rows = []
    for term in waterfall.terms:
        probe = probes.get(term.probe)
        rows.append(
            [
                term.label,
                *_ends(term.predicted),
                "-" if term.count is None else f"{term.count:,.0f}",
                "-" if term.unit_ns is None else f"{term.unit_ns.value:,.4g}",
                f"{probe.label} ({probe.unit})" if probe else term.probe,
            ]
        )
    rows += [
        [name, *_ends(getattr(waterfall, name)), "-", "-", "-"]
        for name in ("predicted", "measured", "residual", "wall")
    ]
    return Table(columns, rows, words=1)


def _ends(interval: Interval) -> list[str]:
    return [f"{value:,.0f}" for value in (interval.value, interval.low, interval.high)]
