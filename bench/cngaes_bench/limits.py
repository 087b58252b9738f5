"""Kernels against what the CPU's units allow, and against every library that is found.

All of it runs in one process, in shuffled rounds. The peers, and our C ABI for comparison, go
through one timed loop in C (`limits_loop.c`, compiled here); our messages in step go through the
same kind of loop in the extension. The bounds are made of instruction rates that probes in the
same C file measure on this CPU: no table of somebody else's figures is needed.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cases import DECRYPT, ENCRYPT, format_size
from .document import Document, Section, Table, to_markdown
from .instruction_bounds import ROWS, Row, bound, measure_clock, probe
from .machine import cpu_features, cpu_name, describe, load_warning
from .paths.cpu import load
from .progress import shown
from .stats import Ratio, paired_ratio
from .targets import table_options, table_parser

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .progress import Progress

OURS = "cngaes"
GOAL = 0.98  # of the best peer's speed, as a paired ratio
TURN_NS = 400_000
ROUNDS, QUICK_ROUNDS = 41, 7
_PAGE = 4096
_OUT_OFFSET = 2048  # a line of the output shares no place in the first-level cache with its input


class LimitsError(Exception):
    """Nothing can be measured here."""


class _Work(ctypes.Structure):
    _fields_ = (
        ("mode", ctypes.c_char_p),
        ("decrypt", ctypes.c_int),
        ("key_len", ctypes.c_int),
        ("key", ctypes.c_char_p),
        ("iv", ctypes.c_char_p),
        ("out", ctypes.c_void_p),
        ("in_", ctypes.c_void_p),
        ("len", ctypes.c_size_t),
        ("streams", ctypes.c_int),
    )


SIZES = (16 << 10, 1 << 20)
STREAM_SIZES = (128 << 10,)  # in all


@dataclass(frozen=True, slots=True)
class Library:
    """Something that can be opened: which loop of limits_loop.c knows it."""

    name: str
    kind: str
    path: str


def find_libraries() -> list[Library]:
    """Ours, the system's, and those in $CNGAES_PEER_LIBRARIES (tools/limits_peers.sh)."""
    found = [Library(OURS, "ours", str(load()._core.__file__))]
    folder = os.environ.get("CNGAES_PEER_LIBRARIES")
    if folder:
        for name, kind in (("boringssl", "aead"), ("aws-lc", "aead"), ("ipsec-mb", "ipsec")):
            path = Path(folder, name, "libIPSec_MB.so" if kind == "ipsec" else "libcrypto.so")
            if path.exists():
                found.append(Library(name, kind, str(path)))
    found.append(Library("openssl", "evp", "libcrypto.so.3"))
    if all(library.name != "ipsec-mb" for library in found):
        found.append(Library("ipsec-mb", "ipsec", "libIPSec_MB.so.1"))
    return found


def compile_loop(folder: Path) -> ctypes.CDLL:
    """Build the timed loop."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise LimitsError("no C compiler (cc, or $CC)")
    target = folder / "limits_loop.so"
    source = Path(__file__).with_name("limits_loop.c")
    command = [compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(target), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LimitsError(f"{source.name} does not compile: {done.stderr.strip()}")
    loop = ctypes.CDLL(str(target))
    loop.loop_open.restype = ctypes.c_void_p
    loop.loop_open.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(_Work))
    loop.loop_run.restype = ctypes.c_int64
    loop.loop_run.argtypes = (ctypes.c_void_p, ctypes.c_int64)
    loop.loop_version.restype = ctypes.c_char_p
    loop.loop_version.argtypes = (ctypes.c_void_p,)
    loop.loop_close.argtypes = (ctypes.c_void_p,)
    loop.probe_run.restype = ctypes.c_int64
    loop.probe_run.argtypes = (ctypes.c_char_p, ctypes.c_int64)
    return loop


# ---- rounds -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Racer:
    """One library at one row and size."""

    name: str
    run: Callable[[int], int]  # turns -> nanoseconds
    output: ctypes.Array[ctypes.c_char]
    turns: int = 1
    ns: dict[tuple[int, int], float] = field(default_factory=dict)  # of one turn


@dataclass(slots=True)
class Result:
    """What one row gave at one size."""

    row: Row
    size: int
    clock: float
    racers: list[Racer]

    def clocks_a_byte(self, name: str) -> float | None:
        """Best round of a library."""
        for racer in self.racers:
            if racer.name == name:
                return min(racer.ns.values()) / self.clock / self.size
        return None

    def ratios(self) -> dict[str, Ratio]:
        """How many times as fast ours is as each peer, paired by rounds."""
        ours = next(racer for racer in self.racers if racer.name == OURS)
        found = {}
        for racer in self.racers:
            ratio = paired_ratio(racer.ns, ours.ns) if racer is not ours else None
            if ratio is not None:
                found[racer.name] = ratio
        return found


class Limits:
    """Opens the libraries and races them."""

    def __init__(self, folder: Path) -> None:
        self.loop = compile_loop(folder)
        self.libraries = find_libraries()
        self.versions: dict[str, str] = {OURS: str(load().__version__)}
        self.wrong: list[str] = []
        self._keep: list[Any] = []

    def measure(self, progress: Progress, *, quick: bool = False) -> list[Result]:
        """Race every row at its sizes."""
        results = []
        pairs = [(r, s) for r in ROWS for s in (SIZES if r.streams == 1 else STREAM_SIZES)]
        progress.stage("limits", len(pairs))
        for row, whole in pairs:
            size = whole - whole % (64 * row.streams)
            progress.step(f"{row.title} {format_size(size)}")
            racers = self._racers(row, size)
            clock = race(racers, QUICK_ROUNDS if quick else ROUNDS)
            results.append(Result(row, size, clock, racers))
        return results

    def _racers(self, row: Row, size: int) -> list[Racer]:
        self._keep = []
        rng = random.Random(f"{row.title}/{size}")
        key, data, iv = rng.randbytes(row.bits // 8 or 16), rng.randbytes(size), bytes(16)
        extra = 16 if row.mode == "gcm" else 32 * row.streams
        if (row.mode, row.direction) == ("gcm", DECRYPT):
            data = load().AESGCM(key).encrypt(iv[:12], data)
        source = _at_page(len(data), 0)
        ctypes.memmove(source, data, len(data))
        racers = []
        for library in self.libraries:
            out = _at_page(size + extra, _OUT_OFFSET)
            racer = (
                _in_step(row, key, source, size, out)
                if row.streams > 1 and library.kind == "ours"
                else self._through_c(library, row, key, iv, source, size, out)
            )
            if racer is not None:
                racers.append(racer)
        return self._agreeing(row, size, racers)

    def _through_c(
        self, library: Library, row: Row, key: bytes, iv: bytes, source: Any, size: int, out: Any
    ) -> Racer | None:
        work = _Work(
            row.mode.encode(),
            row.direction == DECRYPT,
            len(key),
            key,
            iv,
            ctypes.addressof(out),
            ctypes.addressof(source),
            size,
            row.streams,
        )
        handle = self.loop.loop_open(
            library.path.encode(), library.kind.encode(), ctypes.byref(work)
        )
        if handle is None:
            return None
        version = self.loop.loop_version(handle).decode()
        self.versions.setdefault(library.name, version or "version not told")
        self._keep.append((work, source))
        return Racer(library.name, lambda turns: self.loop.loop_run(handle, turns), out)

    def _agreeing(self, row: Row, size: int, racers: list[Racer]) -> list[Racer]:
        """Run each once; drop and report what fails or differs from ours."""
        length = 32 * row.streams if row.mode == "sha256" else size
        length += 16 if (row.mode, row.direction) == ("gcm", ENCRYPT) else 0
        kept: list[Racer] = []
        for racer in racers:
            if racer.run(1) < 0 or (kept and racer.output[:length] != kept[0].output[:length]):
                self.wrong.append(f"{racer.name}: {row.title} {format_size(size)}")
            else:
                kept.append(racer)
        return kept


def _at_page(size: int, offset: int) -> ctypes.Array[ctypes.c_char]:
    """Make a buffer so many bytes behind the start of a page: the same place for every library."""
    raw = bytearray(size + 2 * _PAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(raw))
    return (ctypes.c_char * size).from_buffer(raw, -address % _PAGE + offset)


def _in_step(row: Row, key: bytes, source: Any, size: int, out: Any) -> Racer:
    """Race our slots for messages in step. SHA-256 pads nothing there: the input ends padded."""
    core = load()._core
    each = size // row.streams
    if row.mode == "sha256":
        # What the last block of each message holds is the padding that others add by themselves.
        length = 32 * row.streams
        view = (ctypes.c_char * length).from_buffer(out)
        padded = b"".join(
            source.raw[i * each : (i + 1) * each] + _padding(each) for i in range(row.streams)
        )
        return Racer(
            OURS,
            lambda n: core._time_streams("sha256", b"", padded, view, row.streams, n),
            out,
        )
    view = (ctypes.c_char * size).from_buffer(out)
    return Racer(OURS, lambda n: core._time_streams("cbc", key, source, view, row.streams, n), out)


def _padding(length: int) -> bytes:
    """FIPS 180-4 section 5.1.1 behind whole blocks."""
    return b"\x80" + bytes(55) + (8 * length).to_bytes(8, "big")


def race(racers: list[Racer], rounds: int) -> float:
    """Fill in nanoseconds; returns those of a clock."""
    for racer in racers:
        runs = [racer.run(1) for _ in range(3)]
        if min(runs) < 0:
            raise LimitsError(f"{racer.name} works once and then fails")
        once = max(min(runs), 1)
        racer.turns = max(1, TURN_NS // once)
    rng = random.Random(secrets.randbits(32))
    clocks = []
    for number in range(rounds):
        rng.shuffle(racers)
        clocks.append(measure_clock())
        for racer in racers:
            racer.ns[(0, number)] = racer.run(racer.turns) / racer.turns
    return min(clocks)


# ---- report -------------------------------------------------------------------------------------


def report(
    results: Sequence[Result], rates: Mapping[str, float], versions: Mapping[str, str]
) -> tuple[Document, list[str]]:
    """Make the table; list the rows that do not reach the best peer."""
    names = [name for name in versions if name != OURS]
    rows, faults = [], []
    for result in results:
        limit = bound(result.row, rates)
        ours = result.clocks_a_byte(OURS)
        cells = [
            f"{result.row.title}, {format_size(result.size)}",
            "-" if limit is None else f"{limit:.3f}",
            "-" if ours is None else f"{ours:.3f}",
        ]
        for name in names:
            value = result.clocks_a_byte(name)
            cells.append("-" if value is None else f"{value:.3f}")
        ratios = result.ratios()
        if ratios:
            best = min(ratios, key=lambda name: ratios[name].median)
            worst = ratios[best]
            low = worst.median < GOAL
            cells.append(f"{worst.median:.2f} ({best}){' !' if low else ''}")
            if low:
                faults.append(
                    f"{cells[0]}: {worst.median:.3f} [{worst.low:.3f}, {worst.high:.3f}] times "
                    f"as fast as {best}, wanted {GOAL}"
                )
        else:
            cells.append("-")
        rows.append(cells)
    clock = statistics.median(1 / result.clock for result in results)
    chosen = {family: names[0] for family, names in load().supported_kernels().items()}
    notes = [
        (
            f"{cpu_name()}, {clock:.2f} GHz by dependent adds; features in use: "
            f"{' '.join(cpu_features())}; kernels: {chosen['aes']}, {chosen['sha256']}."
        ),
        "; ".join(f"{name}: {version}" for name, version in versions.items()) + ".",
        (
            "Clocks a byte, the best of the rounds; last column: how many times as fast as the "
            "fastest peer, median of the rounds in which both ran."
        ),
    ]
    if "avx512" not in cpu_features():
        notes.append("x86-vaes512: not measured, no AVX-512.")
    costs = Table(
        ("instruction", "clocks each"), [[name, f"{value:.2f}"] for name, value in rates.items()]
    )
    table = Table(("clocks a byte", "bound", OURS, *names, "ours / best peer"), rows)
    sections = [
        Section("Limits", table, notes),
        Section("Instructions", costs, ["One of eight independent ones; -latency: in a chain."]),
    ]
    return Document("Limits", sections), faults


def measure_here(
    progress: Progress, *, quick: bool = False
) -> tuple[list[Result], dict[str, float], Limits]:
    """Measure all; the compiled loop lives in a temporary folder meanwhile."""
    with tempfile.TemporaryDirectory(prefix="cngaes-limits-") as folder:
        limits = Limits(Path(folder))
        rates = probe(limits.loop, cpu_features())
        return limits.measure(progress, quick=quick), rates, limits


def as_json(
    results: Sequence[Result], rates: Mapping[str, float], versions: Mapping[str, str]
) -> str:
    """Everything that was measured."""
    rows = [
        {
            "row": result.row.title,
            "bytes": result.size,
            "bound_clocks_per_byte": bound(result.row, rates),
            "clock_ns": result.clock,
            "ns": {
                racer.name: [racer.ns[moment] for moment in sorted(racer.ns)]
                for racer in sorted(result.racers, key=lambda racer: racer.name)
            },
        }
        for result in results
    ]
    whole = {"machine": describe(), "versions": dict(versions), "clocks": dict(rates), "rows": rows}
    return json.dumps(whole, indent=1) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the Markdown tables; 1 if a row is slower than a peer or gave other bytes."""
    parser = table_parser(__doc__, quick="fewer rounds")
    parser.add_argument("-o", dest="json", type=Path, metavar="FILE.json", help="all values")
    given = table_options(parser, argv)
    try:
        with shown() as progress:
            results, rates, limits = measure_here(progress, quick=given.quick)
    except LimitsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    document, faults = report(results, rates, limits.versions)
    text = to_markdown(document)
    sys.stdout.write(text)
    if given.md:
        given.md.write_text(text, encoding="utf-8", newline="\n")
    if given.json:
        given.json.write_text(as_json(results, rates, limits.versions), encoding="utf-8")
    warning = load_warning()
    for line in [f"CAUTION: {warning}"] if warning else []:
        print(line, file=sys.stderr)
    for fault in faults:
        print(f"BELOW: {fault}", file=sys.stderr)
    for wrong in limits.wrong:
        print(f"WRONG: {wrong}", file=sys.stderr)
    return 1 if faults or limits.wrong else 0
