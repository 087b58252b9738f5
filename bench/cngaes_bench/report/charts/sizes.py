"""Size of the message against MB/s, both logarithmic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...cases import format_size
from ...cells import INPLACE, INTO, NEW, TYPICAL
from ...document import Table
from ...stats import summarize
from ..markup import Markup, tag
from ..palette import series_of
from ..scales import Logarithmic, Sizes, text_width
from .figure import Figure, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...measurement import Measurement, Result

_HEIGHT = 380.0
_LINE = 16.0
_LEFT = 58.0
_AXIS = 44.0
_SHAPES = {
    INTO: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    NEW: "M-3.7-3.7h7.4v7.4h-7.4z",
    INPLACE: "M0-5l5 5-5 5-5-5z",
    TYPICAL: "M0-4.8l4.6 8.4h-9.2z",
    "stream": "M0 4.8l-4.6-8.4h9.2z",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One path over the sizes: (bytes, MB/s by the median)."""

    name: str
    path: str
    placement: str
    points: Sequence[tuple[int, float]]

    @property
    def place(self) -> str:
        """The placement without its variant: typical of typical-4."""
        return self.placement.partition("-")[0]

    @property
    def kind(self) -> str:
        """Classes of everything drawn for this line."""
        return f"series-{series_of(self.path)} {self.place}"


def size_figures(measurement: Measurement) -> list[Figure]:
    """Draw one figure for every task that was measured at two sizes or more."""
    tasks: dict[str, dict[str, list[Result]]] = {}
    for result in measurement.results:
        if not result.cell.again:
            task = f"{result.cell.case.algorithm}/{result.cell.case.direction}"
            tasks.setdefault(task, {}).setdefault(result.cell.way, []).append(result)
    figures = []
    for task, ways in tasks.items():
        lines = [_line(name, results) for name, results in ways.items()]
        if len({size for line in lines for size, _ in line.points}) > 1:
            figures.append(_figure(task, lines))
    return figures


def _line(name: str, results: Sequence[Result]) -> Line:
    points = sorted(
        (r.cell.case.size, r.cell.bytes_per_call / summarize(r.seconds).median / 1e6)
        for r in results
    )
    cell = results[0].cell
    return Line(name, cell.path, cell.placement, points)


def _figure(task: str, lines: list[Line]) -> Figure:
    lines.sort(key=lambda line: -line.points[-1][1])
    sizes = sorted({size for line in lines for size, _ in line.points})
    title = f"Speed by size: {task}"
    last = [f"{line.name}: {_speed(line.points[0][1])} MB/s at {format_size(line.points[0][0])}, "
            f"{_speed(line.points[-1][1])} at {format_size(line.points[-1][0])}"
            for line in lines]  # fmt: skip
    chart = SizeChart(title, sentence(["MB/s by the median, one line a path", *last]), lines, sizes)
    columns = ("path/placement", *(f"MB/s at {format_size(size)}" for size in sizes))
    rows = []
    for line in lines:
        speeds = dict(line.points)
        rows.append([line.name, *(_speed(speeds[s]) if s in speeds else "-" for s in sizes)])
    note = ("MB/s = 10^6 bytes a second, by the median. The colour tells the library, the shape "
             "where its output goes.")  # fmt: skip
    return Figure(title, chart, Table(columns, rows), [note])


@dataclass(frozen=True, slots=True)
class SizeChart:
    """Lines with their names at the end, or below where there is no room."""

    title: str
    text: str
    lines: Sequence[Line]
    sizes: Sequence[int]

    def draw(self, width: int, name: str) -> Markup:
        """Draw for a width; `name` is unique in the page."""
        names = max(text_width(line.name) for line in self.lines)
        beside = width - _LEFT - names - 34 > 320
        right = width - (names + 34 if beside else 10)
        plot = max(_HEIGHT, _LINE * len(self.lines) + 20) if beside else 300.0
        top = 26.0
        bottom = top + plot
        across = Sizes(self.sizes, _LEFT + 8, right - 6)
        speeds = [speed for line in self.lines for _, speed in line.points]
        upward = Logarithmic.over(speeds, bottom, top)
        below = [] if beside else self._legend(bottom + _AXIS + 8)
        height = bottom + _AXIS + (0 if beside else _LINE * 1.25 * len(self.lines) + 8)
        return tag(
            "svg",
            tag("title", self.title, id=f"{name}-title"),
            tag("desc", self.text, id=f"{name}-text"),
            *_axes(across, upward, right, bottom, top),
            *(mark for line in self.lines for mark in _draw_line(line, across, upward)),
            *(self._names(across, upward, right, top, bottom) if beside else below),
            role="img",
            aria_labelledby=f"{name}-title {name}-text",
            viewBox=f"0 0 {width} {height:.0f}",
            width=width,
            height=round(height),
        )

    def _names(
        self, across: Sizes, upward: Logarithmic, right: float, top: float, bottom: float
    ) -> list[Markup]:
        """Put each name at the height of its line's end, or as near as the others allow."""
        wanted = [upward(line.points[-1][1]) for line in self.lines]
        places = spread(wanted, _LINE, top + 4, bottom - 4)
        marks = []
        for line, end, place in zip(self.lines, wanted, places, strict=True):
            x = across(line.points[-1][0])
            marks += [
                tag("path", d=f"M{x + 7:.1f} {end:.1f}L{right + 10:.1f} {place:.1f}h6",
                    class_="leader"),
                _shape(right + 22, place, line),
                tag("text", line.name, x=right + 32, y=place + 4),
            ]  # fmt: skip
        return marks

    def _legend(self, top: float) -> list[Markup]:
        marks = []
        for number, line in enumerate(self.lines):
            y = top + number * _LINE * 1.25
            marks += [
                tag("path", d=f"M4 {y:.1f}h22", class_=f"line {line.kind}"),
                _shape(15, y, line),
                tag("text", line.name, x=34, y=y + 4),
            ]
        return marks


def spread(wanted: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Move places that are in order apart until none is nearer than `gap`, staying between ends."""
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + gap if places else top))
    limit = bottom
    for i in reversed(range(len(places))):
        places[i] = min(places[i], limit)
        limit = places[i] - gap
    return places


def _axes(
    across: Sizes, upward: Logarithmic, right: float, bottom: float, top: float
) -> list[Markup]:
    marks = []
    for value, text in across.ticks():
        x = across(value)
        marks.append(tag("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid"))
        if text:
            marks.append(tag("text", text, x=x, y=bottom + 16, class_="tick middle"))
    for value, text in upward.ticks():
        y = upward(value)
        marks.append(tag("line", x1=_LEFT, x2=right, y1=y, y2=y, class_="grid"))
        marks.append(tag("text", text, x=_LEFT - 8, y=y + 4, class_="tick end"))
    middle = (_LEFT + right) / 2
    marks.append(tag("text", "bytes of a message", x=middle, y=bottom + 34, class_="axis middle"))
    marks.append(tag("text", "MB/s", x=_LEFT - 8, y=12, class_="axis end"))
    return marks


def _draw_line(line: Line, across: Sizes, upward: Logarithmic) -> list[Markup]:
    places = [(across(size), upward(speed)) for size, speed in line.points]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    return [
        tag("path", d=path, class_=f"line {line.kind}"),
        *(_shape(x, y, line) for x, y in places),
    ]


def _shape(x: float, y: float, line: Line) -> Markup:
    shape = _SHAPES.get(line.place, _SHAPES[INTO])
    return tag(
        "path", d=shape, transform=f"translate({x:.1f} {y:.1f})", class_=f"point {line.kind}"
    )


def _speed(speed: float) -> str:
    digits = 0 if speed >= 1000 else max(0, 2 - math.floor(math.log10(max(speed, 1e-9))))
    return f"{speed:,.{min(digits, 3)}f}"
