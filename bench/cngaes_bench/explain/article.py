"""The article's published numbers through the same arithmetic, and what that proves.

Nothing here was measured on the article's machine. What can be had from published figures alone is
a difference between two paths of the same engine, in milliseconds and a page; the price of a page
there is not known, so the number of fresh passes is a guess that two prices bracket.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..article import ALGORITHMS, COLUMNS, name_of
from ..cases import SHA256
from ..document import Section, Table
from ..workload import ARTICLE_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..measurement import Measurement

PAGE = 4096
_NS_MS = 1e6
# First and second complete run of the CNG column, and two more figures of AES-128-CBC (MB/s).
PUBLISHED_RUNS = {
    "aes-128-cbc": (537.5, 696.6, 876.1, 667.2),
    "aes-256-cbc": (500.8, 481.5),
}
_GENEROUS_CALL_MS = 0.01  # ten times what ctypes takes for ten arguments on a slow machine
_FRESH = ("zeroed", "copied")


@dataclass(frozen=True, slots=True)
class Gap:
    """One algorithm in both doors to CNG: milliseconds for 128 MiB."""

    algorithm: str
    ctypes_ms: float
    dotnet_ms: float
    spread_ms: float | None  # of the repeated figures of the ctypes path

    @property
    def ms(self) -> float:
        """What the ctypes path takes longer."""
        return self.ctypes_ms - self.dotnet_ms

    @property
    def ns_a_page(self) -> float:
        """The same for each page of the message."""
        return self.ms * _NS_MS / (ARTICLE_SIZE / PAGE)


def milliseconds(rate: float) -> float:
    """Time of 128 MiB at a published rate. MB is taken as 2^20 bytes; as 10^6 it is 4.9 % more."""
    return ARTICLE_SIZE / (1 << 20) / rate * 1e3


def gaps() -> tuple[Gap, ...]:
    """Work out the gaps of the published table."""
    by_path = {column.path: column.published for column in COLUMNS if column.published}
    found = []
    for name in ALGORITHMS:
        runs = [milliseconds(rate) for rate in PUBLISHED_RUNS.get(name, ())]
        spread = max(runs) - min(runs) if runs else None
        slow, fast = by_path["cng-ctypes"][name], by_path["dotnet"][name]
        found.append(Gap(name, milliseconds(slow), milliseconds(fast), spread))
    return tuple(found)


def article_sections(measurement: Measurement | None) -> list[Section]:
    """Set the published gaps beside the price of a page here, if one was measured."""
    price = page_price(measurement) if measurement else None
    columns = ["", "ctypes ms", ".NET ms", "gap ms", "gap ns\na page", "spread of\nits runs ms"]
    if price is not None:
        columns.append("passes at\nour price")
    rows = []
    for gap in gaps():
        spread = "-" if gap.spread_ms is None else f"{gap.spread_ms:.0f}"
        row = [
            name_of(gap.algorithm),
            f"{gap.ctypes_ms:.1f}",
            f"{gap.dotnet_ms:.1f}",
            f"{gap.ms:.0f}",
            f"{gap.ns_a_page:,.0f}",
            spread,
        ]
        if price is not None:
            row.append(f"{gap.ns_a_page / price:.1f}")
        rows.append(row)
    return [
        Section("The article's gap, by its published numbers", Table(columns, rows), notes(price))
    ]


def page_price(measurement: Measurement) -> float | None:
    """Nanoseconds of a fresh page here, the mean of zeroed and copied ones."""
    found = [
        statistics.median(value.seconds for value in probe.values) * 1e9
        for probe in measurement.probes
        if probe.name.split("/")[0] in _FRESH and probe.values
    ]
    return statistics.fmean(found) if found else None


def notes(price: float | None) -> Sequence[str]:
    """Say what follows from the table and what does not, by its own numbers."""
    found = gaps()
    ciphers = [gap for gap in found if gap.algorithm != SHA256]
    hashing = next(gap for gap in found if gap.algorithm == SHA256)
    of_gaps, of_engines = [gap.ms for gap in ciphers], [gap.dotnet_ms for gap in ciphers]
    call_share = _GENEROUS_CALL_MS / min(of_gaps)
    spread = max(gap.spread_ms or 0.0 for gap in found)
    said = [
        (
            "Published figures of another machine (Snapdragon X Elite, best of 9, MB taken as 2^20 "
            "bytes). Nothing was measured there by this suite."
        ),
        (
            f"What it shows: the ciphers' gap is {min(of_gaps):.0f} to {max(of_gaps):.0f} ms, "
            f"{_times(of_gaps)} times from end to end, while their own times differ by "
            f"{_times(of_engines)}: it is added rather than multiplied. Even a ctypes call of "
            f"{_GENEROUS_CALL_MS * 1e3:.0f} us would be {call_share:.3%} of the smallest gap: "
            "marshalling is not it."
        ),
        (
            f"The hash, which writes no output, has the smallest gap ({hashing.ms:.0f} ms), as it "
            "would if the gap were buffers. Figures that agree with an explanation do not prove it."
        ),
        (
            "What it does not show: how many fresh buffers there were. The ctypes figures of one "
            f"algorithm differ by up to {spread:.0f} ms between runs, which is most of a gap; the "
            "price of a page on that machine is not published; .NET did not run in the same rounds."
        ),
    ]
    if price is not None:
        said.append(
            f"At this machine's {price:,.0f} ns a fresh page the gap would be the passes in the "
            "last column. Another machine has another price: that is arithmetic, not evidence."
        )
    said.append(
        "To settle it, run `python -m cngaes bench` on that machine: it counts the faults of "
        "cng-ctypes/typical and prices them there."
    )
    return said


def _times(values: Sequence[float]) -> str:
    return f"{max(values) / min(values):.1f}"
