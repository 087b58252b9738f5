"""A picture with its heading, its words and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..grid import to_table
from ..markup import Markup, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...document import Table

WIDE, NARROW = 760, 340  # pixels: the style sheet shows the one that suits the screen


class Picture(Protocol):
    """Something that can be drawn at any width."""

    def draw(self, width: int, name: str) -> Markup:
        """Draw for a width; `name` is unique in the page."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture; `table` has the numbers of all its marks, for whoever cannot see them."""

    title: str
    picture: Picture
    table: Table
    notes: Sequence[str] = ()


def to_figure(figure: Figure, name: str) -> Markup:
    """Write a figure, drawn for wide and for narrow screens."""
    return tag(
        "figure",
        tag("figcaption", figure.title),
        *(
            tag("div", figure.picture.draw(width, f"{name}-{kind}"), class_=f"chart {kind}")
            for kind, width in (("wide", WIDE), ("narrow", NARROW))
        ),
        *(tag("p", note, class_="note") for note in figure.notes),
        tag(
            "details",
            tag("summary", "Numbers of this chart"),
            to_table(figure.table, f"Numbers: {figure.title}"),
        ),
        id=name,
    )


def sentence(parts: Sequence[str]) -> str:
    """Join what a listener is told."""
    return " ".join(part.rstrip(".") + "." for part in parts if part)
