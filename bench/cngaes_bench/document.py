"""A report as plain data, and its plain forms: terminal, Markdown, CSV (HTML: `report`)."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

_GAP = 2  # blanks between two columns on a terminal


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text. The first `labels` columns are words, the last `words` too.

    `optional` names columns that a narrow terminal may go without, the dearest last.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1
    words: int = 0
    optional: Sequence[str] = ()

    def is_text(self, column: int) -> bool:
        """Whether a column is aligned to the left."""
        return column < self.labels or column >= len(self.columns) - self.words

    def fitting(self, width: int) -> list[int]:
        """Choose the columns to show in `width` characters."""
        kept = list(range(len(self.columns)))
        for name in self.optional:
            if sum(self._width(column) + _GAP for column in kept) <= width:
                break
            kept.remove(self.columns.index(name))
        return kept

    def _width(self, column: int) -> int:
        texts = (self.columns[column], *(row[column] for row in self.rows))
        return max(len(line) for text in texts for line in text.split("\n"))


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, perhaps a table, and sentences under it."""

    title: str
    table: Table | None = None
    notes: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    title: str
    sections: Sequence[Section]


def unbroken(title: str) -> str:
    """Join words that were broken after a hyphen to keep a terminal's column narrow."""
    return title.replace("-\n", "")


def to_markdown(document: Document) -> str:
    """Write GitHub's Markdown."""
    lines = [f"# {_plain(document.title)}"]
    for section in document.sections:
        lines += ["", f"## {_plain(section.title)}"]
        if section.table is not None:
            lines += ["", *_markdown_table(section.table)]
        for note in section.notes:
            lines += ["", _plain(note)]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Keep what looks like a tag from being one: names and notes may come from a file."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _markdown_table(table: Table) -> Iterable[str]:
    def line(cells: Iterable[str]) -> str:
        words = (_plain(cell).replace("|", "\\|").replace("\n", " ").strip() for cell in cells)
        return f"| {' | '.join(words)} |"

    yield line(unbroken(title) for title in table.columns)
    marks = ("---" if table.is_text(i) else "---:" for i in range(len(table.columns)))
    yield f"|{'|'.join(marks)}|"
    for row in table.rows:
        yield line(row)


def to_terminal(document: Document, console: Console) -> None:
    """Print with rich."""
    from rich.text import Text

    console.print()
    console.print(Text(document.title, style="bold"))
    left_out = False
    for section in document.sections:
        console.print()
        console.print(Text(section.title, style="bold cyan"))
        if section.table is not None:
            columns = section.table.fitting(console.width)
            left_out = left_out or len(columns) < len(section.table.columns)
            _print_table(section.table, columns, console)
        for note in section.notes:
            console.print(Text(note, style="dim"))
    if left_out:
        console.print()
        console.print(Text("Columns that did not fit here stand in the files.", style="dim"))


def _print_table(table: Table, columns: list[int], console: Console) -> None:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    # One blank of padding and one of the box make the gap.
    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for i in columns:
        text = table.is_text(i)
        shown.add_column(Text(table.columns[i]), justify="left" if text else "right",
                         no_wrap=not text, overflow="fold")  # fmt: skip
    for row in table.rows:
        shown.add_row(*(Text(row[i]) for i in columns))
    console.print(shown)


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write CSV as RFC 4180 has it; None is an empty field."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return out.getvalue()
