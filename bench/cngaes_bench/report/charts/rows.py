"""A chart of rows: a name, marks along one axis, and a figure at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..markup import Markup, tag
from ..scales import Linear, Logarithmic, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..scales import Scale

_PAD = 14.0
_LEGEND_LINE = 22.0
_AXIS = 42.0
_LABEL_LINE = 18.0
_BAR = 12.0


@dataclass(frozen=True, slots=True)
class Dot:
    """One value; `drop` is its place within the row, 0 the top and 1 the bottom."""

    value: float
    kind: str = "dot"
    drop: float = 0.5


@dataclass(frozen=True, slots=True)
class Bar:
    """From one value to another."""

    start: float
    end: float
    kind: str = "bar"


@dataclass(frozen=True, slots=True)
class Whisker:
    """An interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Median:
    """An upright stroke through the row."""

    value: float


Mark = Dot | Bar | Whisker | Median


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the chart; a `carry` draws a thin line down to the next row at that value."""

    label: str
    figure: str
    marks: Sequence[Mark]
    strong: bool = False
    carry: float | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A value to hold the rows against."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class RowChart:
    """Everything but the width, which the reader's screen decides."""

    title: str
    text: str  # what a listener is told in place of the picture
    rows: Sequence[Row]
    axis: str
    figures: str  # heading of the figures at the end
    logarithmic: bool = True
    row_height: float = 24.0
    references: Sequence[Reference] = ()
    legend: Sequence[tuple[str, str]] = field(default_factory=tuple)  # kind of dot, its meaning

    def draw(self, width: int, name: str) -> Markup:
        """Draw for a width; `name` is unique in the page."""
        return _Drawing(self, width).svg(name)


class _Drawing:
    """One chart at one width. Names stand above their rows where there is no room beside them."""

    def __init__(self, chart: RowChart, width: int) -> None:
        self._chart, self._width = chart, width
        names = max(text_width(row.label) for row in chart.rows)
        ends = max(text_width(text) for text in (chart.figures, *(r.figure for r in chart.rows)))
        self._stacked = width - names - ends < 280
        left = _PAD if self._stacked else names + _PAD
        right = _PAD if self._stacked else ends + _PAD
        self._left, self._right = left, width - right
        kind = Logarithmic if chart.logarithmic else Linear
        self._scale: Scale = kind.over(self._values(), left, self._right)
        self._legend = _legend_lines(chart.legend, width)
        self._top = 8 + len(self._legend) * _LEGEND_LINE
        self._top += 0 if self._stacked else _LABEL_LINE  # the heading of the figures
        self._heading = self._top - 6
        self._top += _LABEL_LINE if chart.references else 0
        self._step = chart.row_height + (_LABEL_LINE if self._stacked else 0)
        self._bottom = self._top + self._step * len(chart.rows)

    def _values(self) -> list[float]:
        values = [reference.value for reference in self._chart.references]
        for row in self._chart.rows:
            for mark in row.marks:
                if isinstance(mark, Bar):
                    values += [mark.start, mark.end]
                elif isinstance(mark, Whisker):
                    values += [mark.low, mark.high]
                else:
                    values.append(mark.value)
        return values

    def svg(self, name: str) -> Markup:
        chart = self._chart
        height = self._bottom + _AXIS
        return tag(
            "svg",
            tag("title", chart.title, id=f"{name}-title"),
            tag("desc", chart.text, id=f"{name}-text"),
            *self._legend_marks(),
            *self._grid(),
            *self._references(),
            *(mark for i, row in enumerate(chart.rows) for mark in self._row(i, row)),
            role="img",
            aria_labelledby=f"{name}-title {name}-text",
            viewBox=f"0 0 {self._width} {height:.0f}",
            width=self._width,
            height=round(height),
        )

    def _legend_marks(self) -> list[Markup]:
        marks = []
        for line, entries in enumerate(self._legend):
            y = 14 + line * _LEGEND_LINE
            for x, kind, text in entries:
                marks += [_dot(x + 6, y, kind), tag("text", text, x=x + 16, y=y + 4)]
        return marks

    def _grid(self) -> list[Markup]:
        top, bottom = self._top, self._bottom
        marks = []
        for value, text in self._scale.ticks():
            x = self._scale(value)
            marks.append(tag("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid"))
            marks.append(tag("text", text, x=x, y=bottom + 16, class_="tick middle"))
        middle = (self._left + self._right) / 2
        marks.append(tag("text", self._chart.axis, x=middle, y=bottom + 34, class_="axis middle"))
        if not self._stacked:
            marks.append(tag("text", self._chart.figures, x=self._width, y=self._heading,
                             class_="axis end"))  # fmt: skip
        return marks

    def _row(self, index: int, row: Row) -> list[Markup]:
        top = self._top + index * self._step
        height = self._chart.row_height
        kind = "strong" if row.strong else None
        if self._stacked:
            y = top + 14
            marks = [
                tag("text", row.label, x=0, y=y, class_=kind),
                tag("text", row.figure, x=self._width, y=y, class_="end"),
            ]
            top += _LABEL_LINE
        else:
            y = top + height / 2 + 4
            marks = [
                tag(
                    "text", row.label, x=self._left - _PAD, y=y, class_=f"end {kind or ''}".strip()
                ),
                tag("text", row.figure, x=self._width, y=y, class_="end"),
            ]
        marks.append(tag("line", x1=self._left, x2=self._right, y1=top + height / 2,
                         y2=top + height / 2, class_="rail"))  # fmt: skip
        marks += [self._mark(mark, top, height) for mark in row.marks]
        if row.carry is not None:
            x = self._scale(row.carry)
            bottom = top + height / 2 + self._step
            marks.append(tag("line", x1=x, x2=x, y1=top + height / 2, y2=bottom, class_="carry"))
        return marks

    def _mark(self, mark: Mark, top: float, height: float) -> Markup:
        middle = top + height / 2
        if isinstance(mark, Dot):
            y = top + 4 + mark.drop * (height - 8)
            return _dot(self._scale(mark.value), y, mark.kind)
        if isinstance(mark, Bar):
            start, end = sorted((self._scale(mark.start), self._scale(mark.end)))
            return tag("rect", x=start, y=middle - _BAR / 2, width=max(1.0, end - start),
                       height=_BAR, class_=mark.kind)  # fmt: skip
        if isinstance(mark, Whisker):
            low, high = self._scale(mark.low), self._scale(mark.high)
            shape = f"M{low:.1f} {middle - 4:.1f}v8m0-4H{high:.1f}m0-4v8"
            return tag("path", d=shape, class_="whisker")
        x = self._scale(mark.value)
        return tag("line", x1=x, x2=x, y1=top + 2, y2=top + height - 2, class_="median")

    def _references(self) -> list[Markup]:
        marks = []
        for reference in self._chart.references:
            x = self._scale(reference.value)
            marks.append(tag("line", x1=x, x2=x, y1=self._top - 4, y2=self._bottom,
                             class_="reference"))  # fmt: skip
            # On the side where the label stays inside the picture.
            is_right = x + text_width(reference.label) > self._width
            side = "reference end" if is_right else "reference"
            x += -4 if is_right else 4
            marks.append(tag("text", reference.label, x=x, y=self._top - 6, class_=side))
        return marks


def _legend_lines(
    legend: Sequence[tuple[str, str]], width: int
) -> list[list[tuple[float, str, str]]]:
    lines: list[list[tuple[float, str, str]]] = []
    x = float(width)
    for kind, text in legend:
        needed = 16 + text_width(text) + 14
        if x + needed > width or not lines:
            lines.append([])
            x = 0.0
        lines[-1].append((x, kind, text))
        x += needed
    return lines


def _dot(x: float, y: float, kind: str) -> Markup:
    if kind == "cross":
        return tag("path", d=f"M{x - 3.5:.1f} {y - 3.5:.1f}l7 7m-7 0l7-7", class_="cross")
    return tag("circle", cx=x, cy=y, r=4, class_=kind)
