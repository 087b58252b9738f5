"""What a call costs before its first byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...cases import format_size
from ...document import Table
from ..units import between, unit_for
from .figure import Figure, sentence
from .rows import Dot, Row, RowChart, Whisker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...explanation import Fit, Interval

_LEAST = 1.0  # ns: what is less, or below zero, cannot stand on a logarithmic axis


def call_figures(fits: Sequence[Fit]) -> list[Figure]:
    """Draw the fixed costs of all paths, one figure a task."""
    tasks = dict.fromkeys(fit.task for fit in fits)
    return [_figure(task, [fit for fit in fits if fit.task == task]) for task in tasks]


def _figure(task: str, fits: list[Fit]) -> Figure:
    fits.sort(key=lambda fit: fit.fixed.value)
    factor, unit = unit_for(max(_LEAST, min(fit.fixed.value for fit in fits)))
    rows = [
        Row(way(fit), _interval(fit.fixed), [
            Whisker(*(max(_LEAST, end) / factor for end in (fit.fixed.low, fit.fixed.high))),
            Dot(max(_LEAST, fit.fixed.value) / factor),
        ])
        for fit in fits
    ]  # fmt: skip
    chart = RowChart(
        title=f"Cost of a call: {task}",
        text=sentence(["The fixed cost of a call by path, with its 95 % interval",
                       *(f"{row.label}: {row.figure}" for row in rows)]),
        rows=rows,
        axis=f"{unit} a call before its first byte, logarithmic",
        figures="fixed [95 %]",
    )  # fmt: skip
    note = (
        "By a line through the sizes, time = fixed + per byte x size. From the size in the last "
        "column of the numbers on, the bytes cost more than the call."
    )
    return Figure(chart.title, chart, _table(fits), [note])


def way(fit: Fit) -> str:
    """Name the path of a fit as tables do."""
    parts = [fit.path, fit.placement]
    parts += ["per-call"] if fit.key == "per-call" else []
    parts += [f"t{fit.threads}"] if fit.threads > 1 else []
    return "/".join(parts)


def _table(fits: Sequence[Fit]) -> Table:
    columns = ("path/placement", "fixed ns", "95 %", "ns a KiB", "95 %", "breaks at",
               "largest residual", "bytes dominate from")  # fmt: skip
    rows = []
    for fit in fits:
        per_kib = fit.per_byte.scaled(1024)
        residual = max((abs(point.residual) for point in fit.residuals), default=0.0)
        breaks = [f"{format_size(each.size)} {each.cache}".strip() for each in fit.breaks]
        rows.append(
            [
                way(fit),
                f"{fit.fixed.value:,.1f}",
                f"{fit.fixed.low:,.1f} to {fit.fixed.high:,.1f}",
                f"{per_kib.value:,.2f}",
                f"{per_kib.low:,.2f} to {per_kib.high:,.2f}",
                ", ".join(breaks) or "none",
                f"{residual:.1%}",
                "-" if fit.crossover_bytes is None else f"{fit.crossover_bytes:,.0f} B",
            ]
        )
    return Table(columns, rows)


def _interval(interval: Interval) -> str:
    return between(interval.low, interval.value, interval.high)
