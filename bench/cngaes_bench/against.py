"""Two builds of the package side by side: `bench --against WHEEL`.

Three processes take part in every round: the older build, this one, and this one once more. The
last pair differs by nothing but what a process is given (addresses, pages, cores): that is the
noise floor, cell by cell. A cell that looks slower is measured again in new processes, and is
called a regression only if it is slower there, too.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from dataclasses import dataclass, replace
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING

from .document import Section, Table
from .stats import Comparison, judge, paired_ratio, summarize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from .cells import Cell
    from .measurement import Measurement, Result

NEW, TWIN, OLD = "build", "build-again", "build-old"
SLOWER = "slower"
_PACKAGE = "cngaes/"
_SUITE = str(Path(__file__).resolve().parents[1])
# The suite of this process, wherever it is: PYTHONPATH may be relative to another folder.
_SERVE = """\
import sys
sys.path.insert(0, sys.argv[1])
from cngaes_bench.serve import serve
serve(*sys.argv[2:])
"""

Command = tuple[str, list[str], None]


class WheelError(ValueError):
    """Not a wheel of this package that this Python can load; the text says what it is."""


class NoPairError(RuntimeError):
    """Nothing was measured with both builds; the text says why."""


class Builds:
    """The programs of a comparison; `with` makes and removes the folder of the older build."""

    def __init__(self, wheel: Path | None) -> None:
        self._wheel = wheel
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        if self._wheel is not None:
            self._folder = tempfile.TemporaryDirectory(prefix="cngaes-against-")
            try:
                unpack(self._wheel, Path(self._folder.name))
            except BaseException:
                self._folder.cleanup()
                raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def commands(self) -> list[Command]:
        """What to start."""
        if self._folder is None:
            return []
        folders = {OLD: self._folder.name, NEW: current_folder(), TWIN: current_folder()}
        return [
            (name, [sys.executable, "-c", _SERVE, _SUITE, folder, name], None)
            for name, folder in folders.items()
        ]


def current_folder() -> str:
    """Where this build of the package is imported from."""
    import cngaes

    return str(Path(cngaes.__file__).resolve().parents[1])


def check_wheel(wheel: Path) -> None:
    """Raise WheelError unless this Python can load the package in the wheel."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            damaged = archive.testzip()
    except (OSError, zipfile.BadZipFile) as error:
        raise WheelError(f"--against {wheel}: not a wheel: {error}") from error
    if damaged is not None:
        raise WheelError(f"--against {wheel}: {damaged} in it is damaged")
    cores = [name.rpartition("/")[2] for name in names if name.startswith(f"{_PACKAGE}_core.")]
    cores = [name for name in cores if not name.endswith(".pyi")]
    if not cores:
        raise WheelError(f"--against {wheel}: it has no {_PACKAGE}_core, so it is none of cngaes")
    if not any(name == f"_core{suffix}" for name in cores for suffix in EXTENSION_SUFFIXES):
        raise WheelError(
            f"--against {wheel}: it has {', '.join(cores)}; this Python loads "
            f"_core{EXTENSION_SUFFIXES[0]}"
        )


def unpack(wheel: Path, folder: Path) -> None:
    """Take the package out of a wheel, and not the suite that came with it: one suite measures."""
    check_wheel(wheel)
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.startswith(_PACKAGE)]
        archive.extractall(folder, members)


@dataclass(frozen=True, slots=True)
class Pair:
    """One cell with both builds. `floor` is what two processes of this build differ by."""

    new: Result
    old: Result
    floor: float
    comparison: Comparison

    @property
    def is_slower(self) -> bool:
        """Whether this build is slower than the older one, beyond the noise floor."""
        return self.comparison.verdict == SLOWER


def pairs(measurement: Measurement) -> Iterator[Pair]:
    """Compare all cells that were measured with this build, the older one, and this one again."""
    for new in measurement.results:
        if new.cell.path != NEW or new.cell.again:
            continue
        old, twin = (measurement.find(replace(new.cell, path=name)) for name in (OLD, TWIN))
        if old is None or twin is None:
            continue
        noise = paired_ratio(twin.by_moment(), new.by_moment())
        if noise is None:
            continue
        comparison = judge(old, new, noise.reach, measurement.runs)
        if comparison is not None:
            yield Pair(new, old, noise.reach, comparison)


def suspects(measurement: Measurement) -> list[Cell]:
    """List the cells in which this build looks slower."""
    return [pair.new.cell for pair in pairs(measurement) if pair.is_slower]


def add_run(measurement: Measurement, other: Measurement) -> None:
    """Take in a second measurement of some cells as another run of them."""
    for result in other.results:
        first = measurement.find(result.cell)
        if first is not None:
            first.values += [replace(v, run=v.run + measurement.runs) for v in result.values]
    measurement.runs += other.runs


def check_pairs(measurement: Measurement) -> None:
    """Raise NoPairError when there is nothing to judge."""
    if any(True for _ in pairs(measurement)):
        return
    gone = measurement.lost + measurement.unsupported
    reasons = [f"{each.name}: {each.why}" for each in gone if each.name.startswith((NEW, OLD))]
    why = "\n  ".join(reasons) or "no cell was measured with both"
    raise NoPairError(f"nothing to compare the builds by\n  {why}")


def against_section(measurement: Measurement, wheel: Path, again: int) -> Section:
    """Show all pairs; `again` cells were measured a second time."""
    rows = []
    for pair in pairs(measurement):
        old, new = summarize(pair.old.seconds), summarize(pair.new.seconds)
        ratio = pair.comparison.ratio
        rows.append(
            [
                pair.new.cell.case.name,
                pair.new.cell.way.partition("/")[2],
                f"{old.median * 1e9:,.1f}",
                f"{new.median * 1e9:,.1f}",
                f"{ratio.median:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]",
                f"{pair.floor:.1%}",
                pair.comparison.verdict,
            ]
        )
    columns = ("case", "placement", "old ns\nmedian", "new ns\nmedian", "times the\nold [95 %]",
               "noise\nfloor", "verdict")  # fmt: skip
    versions = dict.fromkeys(
        f"{pair.old.version} then, {pair.new.version} now" for pair in pairs(measurement)
    )
    first = (
        f"The package in {wheel.name} ({'; '.join(versions)}), paired by round. Noise floor: this "
        "build against itself in a third process, in the same rounds. Slower means: the whole "
        "interval is, by more than the floor, and in every run by itself."
    )
    notes = [first]
    if again:
        notes.append(
            f"{again} cells looked slower and were measured again in new processes; what did not "
            "repeat is called not reproduced."
        )
    return Section(f"Against {wheel.name}", Table(columns, rows, labels=2, words=1), notes)
