"""This run held against an older file.

Runs on different days cannot be paired: clock, neighbours and libraries have changed between them.
What can be compared is how many times as fast as one path of the same run, the anchor, a path is.
If the anchor itself has changed, all of it is moot, so its versions and the CPUs are shown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .document import Section, Table
from .stats import Ratio, noise_floor, paired_ratio
from .tables import baseline

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from .cases import Case
    from .cells import Cell
    from .measurement import Measurement, Result


_UNPAIRED = (
    "Runs on different days cannot be paired, so no times are compared: only how many times as "
    "fast as the anchor of its own run each path is. A verdict needs intervals that lie apart by "
    "more than the noise floors of both runs. What one process is given anew (addresses, pages) "
    "is in no interval: `bench --against WHEEL` measures two builds side by side."
)


class EmptyComparisonError(ValueError):
    """Two files without a ratio in common; the text says what each of them has."""


@dataclass(frozen=True, slots=True)
class Change:
    """One path's ratio to the anchor, then and now."""

    cell: Cell
    anchor: Cell
    old: Ratio
    new: Ratio
    verdict: str

    @property
    def factor(self) -> float:
        """How many times as fast as then, as far as the anchor has not changed."""
        return self.new.median / self.old.median


def changes(new: Measurement, old: Measurement, wanted: str | None = None) -> list[Change]:
    """Compare every path of every case that both files have beside the same anchor."""
    found = []
    for case in dict.fromkeys(result.cell.case for result in new.results):
        anchor = baseline(new, case, wanted)
        then = old.find(anchor.cell) if anchor is not None else None
        if anchor is None or then is None:
            continue
        for result in new.results:
            before = old.find(result.cell)
            if result.cell.case != case or result is anchor or result.cell.again or before is None:
                continue
            ratio_then = paired_ratio(then.by_moment(), before.by_moment())
            ratio_now = paired_ratio(anchor.by_moment(), result.by_moment())
            if ratio_then is not None and ratio_now is not None:
                floor = _floor(new, result) + _floor(old, before)
                verdict = _verdict(ratio_then, ratio_now, floor)
                found.append(Change(result.cell, anchor.cell, ratio_then, ratio_now, verdict))
    return found


def check_cases(wanted: Collection[Case], old: Measurement, path: Path | None) -> None:
    """Raise EmptyComparisonError when no case that is to be measured stands in the old file."""
    theirs = dict.fromkeys(result.cell.case for result in old.results)
    if not theirs.keys() & set(wanted):
        raise EmptyComparisonError(
            f"nothing to compare with {path}: it has {_some(case.name for case in theirs)}, "
            f"this run would have {_some(case.name for case in wanted)}"
        )


def comparison_section(
    new: Measurement, old: Measurement, path: Path | None, wanted: str | None = None
) -> Section:
    """Put the comparison into a table; `path` names the old file. Raises EmptyComparisonError."""
    old_name = path.name if path else "an older run"
    found = changes(new, old, wanted)
    if not found:
        raise EmptyComparisonError(_why_empty(new, old, old_name, wanted))
    rows = [
        [
            change.cell.case.name,
            change.cell.way,
            change.anchor.way,
            _text(change.old),
            _text(change.new),
            f"{change.factor:.3f}",
            change.verdict,
        ]
        for change in found
    ]
    columns = ("case", "path/placement", "anchor", "times the\nanchor then [95 %]",
               "times the\nanchor now [95 %]", "now/then", "verdict")  # fmt: skip
    return Section(f"Compared with {old_name}", Table(columns, rows, labels=3, words=1),
                   _notes(new, old, found))  # fmt: skip


def _notes(new: Measurement, old: Measurement, found: list[Change]) -> list[str]:
    notes = [_UNPAIRED]
    cpus = old.machine.get("cpu", "unknown"), new.machine.get("cpu", "unknown")
    if cpus[0] != cpus[1]:
        notes.append(f"CAUTION: other CPUs, {cpus[0]} then and {cpus[1]} now.")
    for anchor in dict.fromkeys(change.anchor for change in found):
        then, now = old.find(anchor), new.find(anchor)
        if then is not None and now is not None and then.version != now.version:
            notes.append(
                f"CAUTION: the anchor {anchor.name} has changed: {then.version} then, "
                f"{now.version} now."
            )
    return notes


def _floor(measurement: Measurement, result: Result) -> float:
    floor = noise_floor(measurement, result)
    return math.inf if floor is None else floor


def _verdict(old: Ratio, new: Ratio, floor: float) -> str:
    if math.isinf(floor):
        return "no A/A pair"
    if min(old.rounds, new.rounds) < 2:
        return "one round"
    if new.low > old.high * (1 + floor):
        return "faster"
    if new.high * (1 + floor) < old.low:
        return "slower"
    return "within noise"


def _why_empty(new: Measurement, old: Measurement, old_name: str, wanted: str | None) -> str:
    ours, theirs = ({r.cell for r in m.results if not r.cell.again} for m in (new, old))
    if common := ours & theirs:
        anchor = wanted or "cryptography or hashlib"
        return (
            f"nothing to compare with {old_name}: both have {_names(common)}, but no case has the "
            f"anchor ({anchor}) and another path in both; name an anchor with --baseline"
        )
    return (
        f"nothing to compare with {old_name}: it has {_names(theirs)}, this run has {_names(ours)}"
    )


def _names(cells: set[Cell]) -> str:
    return _some(sorted(cell.name for cell in cells))


def _some(given: Iterable[str]) -> str:
    names = list(given)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (", ".join(names[:3]) or "nothing") + more


def _text(ratio: Ratio) -> str:
    return f"{ratio.median:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
