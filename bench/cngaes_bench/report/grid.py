"""Tables of a report as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..document import unbroken
from .markup import Markup, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..document import Table


def to_table(
    table: Table, caption: str, *, rows: Sequence[str] = (), marks: Sequence[str] = ()
) -> Markup:
    """Write a table that scrolls by itself where it is wider than the page.

    `rows` are values for data-row, `marks` classes of the last columns: what a script may change.
    """
    plain = len(table.columns) - len(marks)

    def cell(name: str, column: int, text: str, scope: str | None = None) -> Markup:
        kinds = ["text"] if table.is_text(column) else []
        kinds += [marks[column - plain]] if column >= plain else []
        return tag(name, text, class_=" ".join(kinds) or None, scope=scope)

    head = tag("tr", *(cell("th", i, unbroken(t), "col") for i, t in enumerate(table.columns)))
    body = [
        tag(
            "tr",
            cell("th", 0, row[0], "row"),
            *(cell("td", i, text) for i, text in enumerate(row) if i),
            data_row=rows[number] if rows else None,
        )
        for number, row in enumerate(table.rows)
    ]
    return tag(
        "div",
        tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body)),
        class_="scroll",
        role="region",
        tabindex="0",
        aria_label=f"{caption} (scrolls sideways)",
    )
