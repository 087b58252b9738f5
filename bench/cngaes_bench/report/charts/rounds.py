"""Every value of a case: rounds from top to bottom in each row, filled by its page faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...document import Table
from ...stats import summarize
from ..units import duration, unit_for
from .figure import Figure, sentence
from .rows import Dot, Mark, Median, Row, RowChart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...measurement import Measurement, Result, Value

_PAGE = 4096
_MOST = 4
_LEGEND = (
    ("passes-0", "no fresh memory"),
    ("passes-1", "1 fresh pass"),
    ("passes-2", "2"),
    ("passes-3", "3"),
    ("passes-4", "4 or more"),
    ("cross", "not counted"),
)
_HOW_TO_READ = (
    "One row a path, one dot a round from the top of the row to its bottom, a stroke at the "
    "median; darker dots had more page faults"
)
_MANY = 40  # values in a row from which on it is given more height


def rounds_figure(measurement: Measurement, results: Sequence[Result]) -> Figure:
    """Draw all values of one case."""
    page = _page_size(measurement)
    factor, unit = unit_for(min(min(r.seconds) for r in results) * 1e9)
    rows = [_row(result, page, factor) for result in results]
    kinds = {mark.kind for row in rows for mark in row.marks if isinstance(mark, Dot)}
    told = (f"{row.label}: median {row.figure}" for row in rows)
    chart = RowChart(
        title=f"Time of a call in every round: {results[0].cell.case.name}",
        text=sentence([_HOW_TO_READ, *told]),
        rows=rows,
        axis=f"{unit} a call, logarithmic: left is faster",
        figures="median",
        row_height=44 if max(len(r.values) for r in results) > _MANY else 28,
        legend=[entry for entry in _LEGEND if entry[0] in kinds],
    )
    note = (
        f"A fresh pass is one page fault for every {page:,} B of the message: memory that the "
        "operating system had to hand out and clear during the call. With huge pages a fault "
        "brings more, and the passes are too few."
    )
    return Figure(chart.title, chart, _table(results, page), [note])


def passes(value: Value, bytes_per_call: int, page: int) -> float | None:
    """Tell how many times a call touched new memory of the message's size; None if not counted."""
    faults = value.extras.get("page_faults")
    if not isinstance(faults, int | float):
        return None
    return faults / value.loops * page / max(bytes_per_call, page)


def _row(result: Result, page: int, factor: float) -> Row:
    values = sorted(result.values, key=lambda value: value.moment)
    last = max(1, len(values) - 1)
    dots: list[Mark] = [
        Dot(v.seconds * 1e9 / factor, _kind(v, result, page), i / last if len(values) > 1 else 0.5)
        for i, v in enumerate(values)
    ]
    middle = summarize(result.seconds).median * 1e9
    return Row(result.cell.way, _median(result), [Median(middle / factor), *dots])


def _kind(value: Value, result: Result, page: int) -> str:
    count = passes(value, result.cell.bytes_per_call, page)
    return "cross" if count is None else f"passes-{min(_MOST, round(count))}"


def _median(result: Result) -> str:
    return duration(summarize(result.seconds).median * 1e9)


def _table(results: Sequence[Result], page: int) -> Table:
    rows = []
    for result in results:
        for value in sorted(result.values, key=lambda value: value.moment):
            count = passes(value, result.cell.bytes_per_call, page)
            faults = value.extras.get("page_faults")
            rows.append(
                [
                    result.cell.way,
                    str(value.run + 1),
                    str(value.round + 1),
                    f"{value.seconds * 1e9:,.1f}",
                    str(value.loops),
                    "-" if faults is None else f"{faults:,}",
                    "-" if count is None else f"{count:.2f}",
                ]
            )
    columns = (
        "path/placement",
        "run",
        "round",
        "ns a call",
        "calls",
        "page faults",
        "fresh passes",
    )
    return Table(columns, rows)


def _page_size(measurement: Measurement) -> int:
    number = measurement.machine.get("page_size", "").split(" ")[0]
    return int(number) if number.isdigit() else _PAGE
