"""The table of the README: how many times as fast as what users have.

Every ratio is the median over rounds in which ours and theirs ran side by side in one process:
ours one-shot, theirs likewise where there is such a call (AESGCM, hashlib), else `update_into`
on a context that is used again and again, the cheapest way they have.
"""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import results
from .buffers import Buffers
from .cases import DECRYPT, ENCRYPT, HASH, SHA256, Case, format_size
from .cells import INTO, NEW, Cell
from .document import Document, Section, Table, to_markdown
from .machine import cpu_features, cpu_name, describe, has_avx512, load_warning
from .measurement import Measurement
from .planner import Selection
from .progress import shown
from .runner import Runner, Settings
from .stats import Ratio, noise_floor, paired_ratio
from .targets import table_options, table_parser
from .workload import ARTICLE_SIZE, MIB, Workload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .progress import Progress

SIZES = (16, 256, 1 << 10, 1 << 14, MIB, ARTICLE_SIZE)
OK, TOO_SLOW = 0, 1


@dataclass(frozen=True, slots=True)
class Row:
    """One call of ours against one of theirs."""

    algorithm: str
    direction: str
    placement: str
    theirs: str = "cryptography"

    @property
    def sizes(self) -> tuple[int, ...]:
        """128 MiB is measured into a reused buffer only, and as a hash."""
        if self.placement == INTO or self.algorithm == SHA256:
            return SIZES
        return tuple(size for size in SIZES if size < ARTICLE_SIZE)

    @property
    def title(self) -> str:
        """What ours is called."""
        if self.algorithm == SHA256:
            return "SHA-256 sha256_digest"
        into = "_into" if self.placement == INTO else ""
        return f"{self.algorithm.upper()} {self.direction}{into}"

    def pair(self, size: int) -> tuple[Cell, Cell]:
        """Theirs and ours at one size."""
        case = Case(self.algorithm, self.direction, size)
        return Cell(case, self.theirs, self.placement), Cell(case, "cpu", self.placement)

    def floor(self, size: int, *, avx512: bool) -> float:
        """Find the ratio that a cell must reach.

        With AVX-512 the other side has kernels for it, so less is asked from 16 KiB up.
        """
        floor = 0.97
        chained = self.algorithm == SHA256 or (self._mode == "cbc" and self.direction == ENCRYPT)
        if size == ARTICLE_SIZE or (avx512 and size >= 1 << 14 and not chained):
            floor = 0.9
        if (self.algorithm, self.direction, self.placement) == ("aes-256-gcm", ENCRYPT, NEW):
            floor = max(floor, {16: 4.0, 1 << 10: 2.5 if avx512 else 4.0}.get(size, 0.0))
        if self.algorithm == SHA256 and size == SHORT:
            floor = 2.5
        if not avx512 and size == MIB and self.placement == INTO and not chained:
            if (self.algorithm, self.direction) == ("aes-256-gcm", ENCRYPT):
                floor = 1.6
            elif self._mode != "gcm":
                floor = 1.5
        return floor

    @property
    def _mode(self) -> str:
        return self.algorithm.rpartition("-")[2]


SHORT = SIZES[0]
ROWS = (
    *(
        Row(f"aes-{bits}-gcm", direction, placement)
        for bits in (128, 256)
        for direction in (ENCRYPT, DECRYPT)
        for placement in (NEW, INTO)
    ),
    *(
        Row(f"aes-{bits}-{mode}", direction, INTO)
        for mode in ("ctr", "ecb", "cbc")
        for bits in (128, 256)
        for direction in (ENCRYPT, DECRYPT)
    ),
    Row(SHA256, HASH, NEW, "hashlib"),
)


def measure(progress: Progress, *, quick: bool = False) -> Measurement:
    """Measure all rows; a group is one case, so that memory holds one input at a time."""
    workload, buffers = Workload(), Buffers()
    seed = secrets.randbits(32)
    whole = Measurement(seed, 0.0, 0, checked_after=True)
    groups: dict[Case, list[Row]] = {}
    for size in SIZES[:-1] if quick else SIZES:
        for row in ROWS:
            if size in row.sizes:
                groups.setdefault(Case(row.algorithm, row.direction, size), []).append(row)
    for case, rows in groups.items():
        runner = Runner(
            _settings(case, seed, quick=quick),
            workload=workload,
            buffers=buffers,
            progress=progress,
        )
        placements = tuple(dict.fromkeys(row.placement for row in rows))
        selection = Selection((case,), ("cpu", rows[0].theirs), placements, ("reused",))
        whole.merge(runner.measure(selection))
        workload.forget()
        if whole.interrupted:
            break
    return whole


def _settings(case: Case, seed: int, *, quick: bool) -> Settings:
    """Many short values below a MiB, where the machine's moods are the noise."""
    if case.size >= ARTICLE_SIZE:
        return Settings(rounds=9, min_time=0.005, seed=seed)
    return Settings(rounds=7 if quick else 25, min_time=0.001 if quick else 0.002, seed=seed)


def ratio_of(measurement: Measurement, row: Row, size: int) -> Ratio | None:
    """Find how many times as fast ours is; None when one side is missing."""
    theirs, ours = (measurement.find(cell) for cell in row.pair(size))
    if theirs is None or ours is None:
        return None
    return paired_ratio(theirs.by_moment(), ours.by_moment())


def report(measurement: Measurement) -> tuple[Document, list[str]]:
    """Make the table, and list the cells that do not reach what they must."""
    avx512 = has_avx512()
    rows, faults = [], []
    for row in ROWS:
        cells = [row.title]
        for size in SIZES:
            ratio = ratio_of(measurement, row, size) if size in row.sizes else None
            if ratio is None:
                cells.append("-")
                continue
            floor = row.floor(size, avx512=avx512)
            low = ratio.median < floor
            cells.append(f"{ratio.median:.2f}{' !' if low else ''}")
            if low:
                faults.append(
                    f"{row.title} {format_size(size)}: {ratio.median:.3f} "
                    f"[{ratio.low:.3f}, {ratio.high:.3f}], wanted {floor}"
                )
        rows.append(cells)
    columns = ("times as fast as cryptography / hashlib", *(format_size(s) for s in SIZES))
    features = " ".join(cpu_features())
    versions = {r.cell.path: r.version for r in measurement.results}
    floors = [f for f in (noise_floor(measurement, r) for r in measurement.results) if f]
    notes = [
        f"{cpu_name()} ({'with' if avx512 else 'without'} AVX-512; in use: {features}). "
        + ", ".join(f"{path} {version}" for path, version in versions.items())
        + ".",
        (
            "Median over the rounds of one process, both sides in every round, order shuffled; "
            "outputs checked before and after. Ours: one-shot calls. Theirs: AESGCM.encrypt and "
            "encrypt_into (and decrypt), update_into on a reused context, "
            "hashlib.sha256(d).digest()."
        ),
    ]
    if floors:
        notes.append(
            f"A/A noise of the single cells: median {sorted(floors)[len(floors) // 2]:.1%}, "
            f"worst {max(floors):.1%}."
        )
    return Document("Reach", [Section("Reach", Table(columns, rows), notes)]), faults


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the Markdown table, check it. 1 if a cell is too slow or lost."""
    parser = table_parser(__doc__, quick="no 128 MiB, fewer rounds")
    parser.add_argument("-o", dest="json", type=Path, metavar="FILE.json", help="a pyperf suite")
    given = table_options(parser, argv)
    machine, warning = describe(), load_warning()
    with shown() as progress:
        measurement = measure(progress, quick=given.quick)
    measurement.machine = machine
    document, faults = report(measurement)
    text = to_markdown(document)
    sys.stdout.write(text)
    if given.md:
        given.md.write_text(text, encoding="utf-8", newline="\n")
    if given.json and measurement.results:
        results.write(measurement, given.json, force=given.force)
    faults += [f"{missing.name}: {missing.why}" for missing in measurement.lost]
    faults += [f"{m.name}: {m.why}" for m in measurement.unsupported if "/" not in m.name]
    for line in [f"CAUTION: {warning}"] if warning else []:
        print(line, file=sys.stderr)
    for fault in faults:
        print(f"BELOW: {fault}", file=sys.stderr)
    return TOO_SLOW if faults or measurement.interrupted else OK
