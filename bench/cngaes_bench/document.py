"""A report as plain data, and its four forms: terminal, Markdown, HTML, CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

_GAP = 2  # blanks between two columns on a terminal
_STYLE = """\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, \
transparent); text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid currentColor; vertical-align: bottom; white-space: pre-line; }
tbody th { font-weight: 500; text-align: left; }
td.text, th.text { text-align: left; }
p.note { color: color-mix(in srgb, currentColor 75%, transparent); margin: .3rem 0; }
code { font-size: .95em; }"""


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


def _unbroken(title: str) -> str:
    """Join words that were broken after a hyphen to keep a terminal's column narrow."""
    return title.replace("-\n", "")


def to_markdown(document: Document) -> str:
    """Write GitHub's Markdown."""
    lines = [f"# {document.title}"]
    for section in document.sections:
        lines += ["", f"## {section.title}"]
        if section.table is not None:
            lines += ["", *_markdown_table(section.table)]
        for note in section.notes:
            lines += ["", note]
    return "\n".join(lines) + "\n"


def _markdown_table(table: Table) -> Iterable[str]:
    def line(cells: Iterable[str]) -> str:
        words = (cell.replace("|", "\\|").replace("\n", " ").strip() for cell in cells)
        return f"| {' | '.join(words)} |"

    yield line(_unbroken(title) for title in table.columns)
    marks = ("---" if table.is_text(i) else "---:" for i in range(len(table.columns)))
    yield f"|{'|'.join(marks)}|"
    for row in table.rows:
        yield line(row)


def to_html(document: Document) -> str:
    """Write one page that needs nothing from elsewhere."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(document.title)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        "</head>",
        "<body>",
        f"<h1>{escape(document.title)}</h1>",
    ]
    for section in document.sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        if section.table is not None:
            parts += ['<div class="wide">', *_html_table(section.table), "</div>"]
        parts += [f'<p class="note">{escape(note)}</p>' for note in section.notes]
    return "\n".join([*parts, "</body>", "</html>", ""])


def _html_table(table: Table) -> Iterable[str]:
    def cell(tag: str, column: int, text: str, extra: str = "") -> str:
        kind = ' class="text"' if table.is_text(column) else ""
        return f"<{tag}{kind}{extra}>{escape(text)}</{tag}>"

    yield "<table><thead><tr>"
    titles = (_unbroken(title) for title in table.columns)
    yield from (cell("th", i, title, ' scope="col"') for i, title in enumerate(titles))
    yield "</tr></thead><tbody>"
    for row in table.rows:
        yield "<tr>"
        yield cell("th", 0, row[0], ' scope="row"')
        yield from (cell("td", i, text) for i, text in enumerate(row) if i)
        yield "</tr>"
    yield "</tbody></table>"


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
    """Write plain CSV; None is an empty field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return out.getvalue()
