"""The article's benchmark: its cases, its published figures, and its table with ours beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cases import ENCRYPT, HASH, SHA256, Case
from .cells import INTO, KEYS, NEW, TYPICAL, Cell
from .document import Section, Table
from .paths import PRICES
from .workload import ARTICLE_SIZE, stored_fingerprints

if TYPE_CHECKING:
    from .measurement import Measurement

ALGORITHMS = ("aes-128-cbc", "aes-256-cbc", "aes-256-gcm", SHA256)

# First 8 bytes of every path's output. SHA-256's holds for the full 128 MiB only.
PUBLISHED_FIRST8 = {
    "aes-128-cbc": "e8fae9c6dff5ee70",
    "aes-256-cbc": "ca81bae42aba59bf",
    "aes-256-gcm": "46ec5fe89cf24a1b",
    SHA256: "91e648e63213b952",
}

PUBLISHED_ON = (
    "* published figures of another machine: Snapdragon X Elite (X1E80100), Windows 11 on ARM64, "
    "128 MB, best of 9. They say nothing about this one."
)


@dataclass(frozen=True, slots=True)
class _Column:
    """A path of the article, and the cell of ours that does the same."""

    title: str
    path: str
    placement: str
    published: dict[str, float]


_COLUMNS = (
    _Column(
        "crypto-\ngraphy",
        "cryptography",
        NEW,
        {"aes-128-cbc": 190.6, "aes-256-cbc": 134.3, "aes-256-gcm": 67.6, SHA256: 139.0},
    ),
    _Column(
        "py-\ncrypto-\ndomex",
        "pycryptodomex",
        NEW,
        {"aes-128-cbc": 197.7, "aes-256-cbc": 110.0, "aes-256-gcm": 41.7},
    ),
    _Column(
        "CNG\nctypes",
        "cng-ctypes",
        TYPICAL,
        {"aes-128-cbc": 696.6, "aes-256-cbc": 481.5, "aes-256-gcm": 922.7, SHA256: 1424.8},
    ),
    _Column(
        ".NET 9",
        "dotnet",
        INTO,
        {"aes-128-cbc": 2188.1, "aes-256-cbc": 1544.1, "aes-256-gcm": 6143.2, SHA256: 2197.9},
    ),
    _Column("cngaes\nnew", "cpu", NEW, {}),
    _Column("cngaes\ninto", "cpu", INTO, {}),
)


def article_cases(size: int = ARTICLE_SIZE) -> tuple[Case, ...]:
    """Give the four cases of the article at `size`."""
    return tuple(Case(name, HASH if name == SHA256 else ENCRYPT, size) for name in ALGORITHMS)


def is_article(measurement: Measurement) -> bool:
    """Whether all four cases of the article were measured at one size."""
    sizes = {result.cell.case.size for result in measurement.results}
    measured = {r.cell.case for r in measurement.results if r.cell.path not in PRICES}
    return any(set(article_cases(size)) <= measured for size in sizes)


def article_section(measurement: Measurement) -> Section:
    """Set the table of the article beside the figures of this run."""
    size = max(result.cell.case.size for result in measurement.results)
    cases = article_cases(size)
    columns, cells = ["MB/s, best"], [[_title(case)] for case in cases]
    for column in _COLUMNS:
        here = [_best(measurement, case, column) for case in cases]
        if any(here):
            columns.append(column.title if not column.published else f"{column.title}\nhere")
            for row, text in zip(cells, here, strict=True):
                row.append(text or "-")
        if column.published:
            columns.append(f"{column.title}\npubl.*")
            for row, case in zip(cells, cases, strict=True):
                figure = column.published.get(case.algorithm)
                row.append("-" if figure is None else f"{figure:.1f}")
    notes = [
        PUBLISHED_ON,
        (
            "MB/s = 10^6 bytes a second by the fastest value, as published; medians and means "
            "stand below. The libraries return fresh bytes here; 'into' writes to a reused buffer."
        ),
    ]
    if size != ARTICLE_SIZE:
        notes.append(
            f"The input is {size >> 20} MiB of the article's 128: figures of buffers that fit a "
            "cache are not the article's, and SHA-256 has another value."
        )
    return Section("The article's table", Table(columns, cells), notes)


def _title(case: Case) -> str:
    return "SHA-256" if case.algorithm == SHA256 else case.algorithm.upper()


def _best(measurement: Measurement, case: Case, column: _Column) -> str:
    for key in KEYS:
        result = measurement.find(Cell(case, column.path, column.placement, key))
        if result is not None:
            speed = case.size / min(result.seconds) / 1e6
            return f"{speed:,.1f}" if speed < 1000 else f"{speed:,.0f}"
    return ""


def outputs_section(measurement: Measurement) -> Section:
    """Show that nobody skipped work: prefixes as published, whole outputs as recorded."""
    size = max(result.cell.case.size for result in measurement.results)
    rows = []
    for case in article_cases(size):
        found = [
            r.fingerprint
            for r in measurement.results
            if r.cell.case == case and r.cell.path not in PRICES
        ]
        first = found[0]
        stored = stored_fingerprints().get(case.name)
        rows.append(
            [
                _title(case),
                first.first8,
                _published(case, first.first8),
                first.last16,
                f"{first.sha256[:16]}...",
                "as the reference" if stored is None else "as recorded",
                f"{found.count(first)} of {len(found)}",
            ]
        )
    columns = ("output of", "first 8 bytes", "published", "last 16 bytes", "SHA-256 of all of it",
               "known", "equal in")  # fmt: skip
    table = Table(columns, rows, words=len(columns) - 1, optional=("last 16 bytes", "known"))
    note = (
        "Recorded: made once by independent libraries (two for each) and stored with the suite. "
        "Entries that differ in any of these are not measured."
    )
    return Section("Equal outputs", table, [note])


def _published(case: Case, first8: str) -> str:
    if case.algorithm == SHA256 and case.size != ARTICLE_SIZE:
        return "other size"
    return "the same" if first8 == PUBLISHED_FIRST8[case.algorithm] else "DIFFERENT"
