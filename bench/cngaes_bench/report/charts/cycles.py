"""Cycles a byte, held against what the CPU's instructions allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...bounds import bound_source, find_bound
from ...document import Table
from ...tables import cycles_per_byte
from .figure import Figure, sentence
from .rows import Dot, Reference, Row, RowChart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...measurement import Measurement, Result


def cycles_figure(measurement: Measurement, results: Sequence[Result]) -> Figure | None:
    """Draw the fastest value of every path; None without a clock."""
    found = [(r, c) for r in results if r.cell.threads == 1 and (c := cycles_per_byte(r))]
    if not found:
        return None
    case = results[0].cell.case
    bound = find_bound(measurement.machine, case)
    found.sort(key=lambda pair: pair[1])
    rows = [Row(result.cell.way, _figure(cycles), [Dot(cycles)]) for result, cycles in found]
    chart = RowChart(
        title=f"Cycles a byte against the bound: {case.name}",
        text=sentence(
            [
                f"The bound is {bound.cycles:.3f} cycles a byte" if bound else "No bound is known",
                *(f"{row.label}: {row.figure}" for row in rows),
            ]
        ),
        rows=rows,
        axis="core cycles a byte by the fastest value, logarithmic: left is faster",
        figures="cycles/B",
        references=[Reference(bound.cycles, f"bound {bound.cycles:.3f}")] if bound else (),
    )
    table = Table(
        ("path/placement", "cycles a byte", "bound", "times the bound"),
        [
            [r.cell.way, f"{c:.4f}", *(
                (f"{bound.cycles:.4f}", f"{c / bound.cycles:.2f}") if bound else ("-", "-"))]
            for r, c in found
        ],
    )  # fmt: skip
    why = [f"Bound: {bound.why}."] if bound else []
    notes = [" ".join([*why, bound_source(measurement.machine)])]
    return Figure(chart.title, chart, table, notes)


def _figure(cycles: float) -> str:
    return f"{cycles:.3f}" if cycles < 10 else f"{cycles:,.1f}"
