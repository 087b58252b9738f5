"""The article's benchmark: its cases, its published figures, and its table with ours beside it."""

from __future__ import annotations

import re
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


_RUNTIME = re.compile(r"\.NET [0-9]+")


@dataclass(frozen=True, slots=True)
class Column:
    """A path of the article, and the cell of ours that does the same."""

    title: str
    path: str
    placement: str
    published: dict[str, float]


COLUMNS = (
    Column(
        "crypto-\ngraphy",
        "cryptography",
        NEW,
        {"aes-128-cbc": 190.6, "aes-256-cbc": 134.3, "aes-256-gcm": 67.6, SHA256: 139.0},
    ),
    Column(
        "py-\ncrypto-\ndomex",
        "pycryptodomex",
        NEW,
        {"aes-128-cbc": 197.7, "aes-256-cbc": 110.0, "aes-256-gcm": 41.7},
    ),
    Column(
        "CNG\nctypes",
        "cng-ctypes",
        TYPICAL,
        {"aes-128-cbc": 696.6, "aes-256-cbc": 481.5, "aes-256-gcm": 922.7, SHA256: 1424.8},
    ),
    Column(
        ".NET 9",
        "dotnet",
        INTO,
        {"aes-128-cbc": 2188.1, "aes-256-cbc": 1544.1, "aes-256-gcm": 6143.2, SHA256: 2197.9},
    ),
    Column("cngaes\nnew", "cpu", NEW, {}),
    Column("cngaes\ninto", "cpu", INTO, {}),
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
    columns, cells = ["MB/s, best"], [[name_of(case.algorithm)] for case in cases]
    for column in COLUMNS:
        here = [_best(measurement, case, column) for case in cases]
        if any(here):
            title = _title_here(measurement, column)
            columns.append(title if not column.published else f"{title}\nhere")
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


def _title_here(measurement: Measurement, column: Column) -> str:
    """Name our column: .NET by the version that ran here, not by the published one."""
    for result in measurement.results:
        ran = _RUNTIME.match(result.version)
        if result.cell.path == column.path and ran is not None:
            return ran[0]
    return column.title


def name_of(algorithm: str) -> str:
    """Write an algorithm as the article does."""
    return "SHA-256" if algorithm == SHA256 else algorithm.upper()


def _best(measurement: Measurement, case: Case, column: Column) -> str:
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
                name_of(case.algorithm),
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
