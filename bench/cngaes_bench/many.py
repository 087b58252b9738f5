"""Batches and several cores, against loops and against processes of their own.

Every ratio is the median over rounds in which all sides ran, in shuffled order. Outputs are reused
("into") unless a row says "fresh".
"""

from __future__ import annotations

import hashlib
import hmac
import multiprocessing
import os
import random
import secrets
import statistics
import sys
from array import array
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import cngaes
from cngaes import AESCTR, AESGCM

from .cases import format_size
from .document import Document, Section, Table, to_markdown
from .machine import cpu_name, load_warning
from .stats import paired_ratio
from .targets import table_options, table_parser
from .workload import MIB

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection

SMALL, NONCE, TAG, DIGEST = 64, 12, 16, 32
THREADED = ("aes-256-gcm", "aes-256-ctr", "sha256_packed")
_HALF_BATCH = 4 << 10  # message size in the threaded hash batch


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of each way, one value a round; the first way is what the others are held against."""

    seconds: dict[str, list[float]]

    def median(self, way: str) -> float:
        """Of the rounds."""
        return statistics.median(self.seconds[way])

    def times(self, slower: str, faster: str) -> float:
        """How many times as long `slower` takes: the median over the rounds."""
        pair = [dict(zip(((0, i) for i in range(len(s))), s, strict=True))
                for s in (self.seconds[slower], self.seconds[faster])]  # fmt: skip
        ratio = paired_ratio(*pair)
        assert ratio is not None
        return ratio.median


def interleave(ways: dict[str, Callable[[], object]], rounds: int) -> Timed:
    """Run each way once a round, after a round that is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    chance = random.Random(1)
    for number in range(rounds + 1):
        for name in chance.sample(list(ways), len(ways)):
            begun = perf_counter()
            ways[name]()
            if number:
                seconds[name].append(perf_counter() - begun)
    return Timed(seconds)


def batch_table(timed: Timed, count: int, first: str) -> Table:
    """Make a row for each way: ns a message, and how many times as fast `first` is."""
    rows = [
        (
            way,
            f"{timed.median(way) / count * 1e9:.1f}",
            f"{count / timed.median(way) / 1e6:.2f}",
            f"{timed.times(way, first):.2f}",
        )
        for way in timed.seconds
    ]
    return Table(("way", "ns a message", "million a second", "times as long"), rows)


def offsets_of(count: int, size: int) -> array[int]:
    """Of messages of one size, as int64."""
    return array("q", range(0, count * size + 1, size))


def gcm_batch(count: int, rounds: int) -> tuple[Section, Timed]:
    """Encrypt a column of small messages, AES-256-GCM, one core."""
    from cryptography.hazmat.primitives.ciphers import aead

    key = secrets.token_bytes(32)
    ours, theirs = AESGCM(key), aead.AESGCM(key)
    data, offsets = secrets.token_bytes(count * SMALL), offsets_of(count, SMALL)
    counters = b"".join(i.to_bytes(NONCE, "big") for i in range(count))
    chosen = secrets.token_bytes(count * NONCE)
    messages = [data[i : i + SMALL] for i in range(0, len(data), SMALL)]
    nonces = [counters[i : i + NONCE] for i in range(0, len(counters), NONCE)]
    out, opened = bytearray(count * (SMALL + TAG)), bytearray(count * SMALL)
    sealed, sealed_offsets = ours.encrypt_packed(counters, data, offsets)

    def packed(nonces: bytes, **options: Any) -> Callable[[], object]:
        return lambda: ours.encrypt_packed(nonces, data, offsets, threads=1, **options)

    ways: dict[str, Callable[[], object]] = {
        "encrypt_packed into out, counter nonces": packed(counters, out=out),
        "the same, random nonces": packed(chosen, out=out),
        "the same, not checked": packed(chosen, out=out, allow_repeated_nonces=True),
        "encrypt_packed, fresh output": packed(counters),
        "decrypt_packed into out": lambda: ours.decrypt_packed(
            counters, sealed, sealed_offsets, out=opened, threads=1
        ),
        "encrypt_many": lambda: ours.encrypt_many(nonces, messages, threads=1),
        "loop over encrypt": lambda: [
            ours.encrypt(n, m) for n, m in zip(nonces, messages, strict=True)
        ],
        "loop over cryptography": lambda: [
            theirs.encrypt(n, m, None) for n, m in zip(nonces, messages, strict=True)
        ],
    }
    timed = interleave(ways, rounds)
    if opened != data or ways["loop over cryptography"]() != ways["encrypt_many"]():
        raise AssertionError("wrong results")
    title = f"{count:,} messages of {SMALL} B, AES-256-GCM, one core"
    return Section(title, batch_table(timed, count, next(iter(ways)))), timed


def hash_batch(count: int, rounds: int) -> tuple[Section, Timed]:
    """Hash and authenticate the same column."""
    key = secrets.token_bytes(32)
    data, offsets = secrets.token_bytes(count * SMALL), offsets_of(count, SMALL)
    messages = [data[i : i + SMALL] for i in range(0, len(data), SMALL)]
    out = bytearray(count * DIGEST)
    ways: dict[str, Callable[[], object]] = {
        "sha256_packed": lambda: cngaes.sha256_packed(data, offsets, out=out, threads=1),
        "sha256_many": lambda: cngaes.sha256_many(messages, threads=1),
        "loop over sha256_digest": lambda: [cngaes.sha256_digest(m) for m in messages],
        "loop over hashlib": lambda: [hashlib.sha256(m).digest() for m in messages],
        "hmac_sha256_packed": lambda: cngaes.hmac_sha256_packed(
            key, data, offsets, out=out, threads=1
        ),
        "loop over hmac_sha256": lambda: [cngaes.hmac_sha256(key, m) for m in messages],
        "loop over hmac.digest": lambda: [hmac.digest(key, m, "sha256") for m in messages],
    }
    timed = interleave(ways, rounds)
    if ways["loop over hashlib"]() != ways["sha256_many"]():
        raise AssertionError("wrong results")
    title = f"{count:,} messages of {SMALL} B, SHA-256 and HMAC, one core"
    return Section(title, batch_table(timed, count, next(iter(ways)))), timed


def streams(total: int, rounds: int) -> Section:
    """Longer messages against as many bytes in one."""
    data = secrets.token_bytes(total)
    out = bytearray(DIGEST * (total // SMALL))
    rows = []
    for size in (SMALL, 256, 1 << 10, 1 << 14, 1 << 18):
        offsets = offsets_of(total // size, size)
        into = memoryview(out)[: DIGEST * (total // size)]
        ways: dict[str, Callable[[], object]] = {
            "packed": partial(cngaes.sha256_packed, data, offsets, out=into, threads=1),
            "one": lambda: cngaes.sha256_digest(data),
        }
        timed = interleave(ways, rounds)
        rates = (total / timed.median(way) / 1e9 for way in ways)
        times = timed.times("one", "packed")
        rows.append((format_size(size), *(f"{r:.2f}" for r in rates), f"{times:.2f}"))
    columns = ("message", "sha256_packed, GB/s", "one stream, GB/s", "times as fast")
    return Section("SHA-256: many messages against one, one core", Table(columns, rows))


# ---- several cores ------------------------------------------------------------------------------


def threaded_work(what: str, size: int, threads: int) -> Callable[[], object]:
    """Make one call over `size` bytes into a touched output."""
    data = secrets.token_bytes(size)
    if what == "sha256_packed":
        offsets = offsets_of(size // _HALF_BATCH, _HALF_BATCH)
        digests = bytearray(DIGEST * (size // _HALF_BATCH))
        return lambda: cngaes.sha256_packed(data, offsets, out=digests, threads=threads)
    out = bytearray(size + TAG)
    if what == "aes-256-gcm":
        gcm = AESGCM(bytes(32))
        return lambda: gcm.encrypt_into(bytes(NONCE), data, None, out, threads=threads)
    ctr, into = AESCTR(bytes(32)), memoryview(out)[:size]
    return lambda: ctr.encrypt_into(bytes(16), data, into, threads=threads)


def repeat(work: Callable[[], object], times: int) -> float:
    """Seconds of so many calls."""
    begun = perf_counter()
    for _ in range(times):
        work()
    return perf_counter() - begun


def serve(pipe: Connection, what: str, size: int) -> None:
    """Be one of the processes: for each number received, so many calls, their seconds back."""
    work = threaded_work(what, size, 1)
    work()
    pipe.send(0.0)
    while times := pipe.recv():
        pipe.send(repeat(work, times))


def against_processes(what: str, size: int, rounds: int) -> tuple[float, float, float]:
    """GB/s: one thread, two threads, two processes with half of the data each; medians.

    Every side runs for some 20 ms a value, so that starting together does not matter.
    """
    context = multiprocessing.get_context("spawn")
    pipes, processes = [], []
    for _ in range(2):
        mine, other = context.Pipe()
        process = context.Process(target=serve, args=(other, what, size // 2), daemon=True)
        process.start()
        pipes.append(mine)
        processes.append(process)
    one, two = threaded_work(what, size, 1), threaded_work(what, size, 2)
    one(), two()
    for pipe in pipes:
        pipe.recv()
    times = max(2, round(0.02 / repeat(two, 1)))

    def processes_rate() -> float:
        for pipe in pipes:
            pipe.send(times)
        seconds: list[float] = [pipe.recv() for pipe in pipes]
        return sum(size // 2 * times / each for each in seconds)

    sides: dict[str, Callable[[], float]] = {
        "one": lambda: size * times / repeat(one, times),
        "two": lambda: size * times / repeat(two, times),
        "processes": processes_rate,
    }
    values: dict[str, list[float]] = {name: [] for name in sides}
    chance = random.Random(2)
    for _ in range(rounds):
        for name in chance.sample(list(sides), len(sides)):
            values[name].append(sides[name]())
    for pipe, process in zip(pipes, processes, strict=True):
        pipe.send(0)
        process.join()
    ratio = statistics.median(
        t / p for t, p in zip(values["two"], values["processes"], strict=True)
    )
    return statistics.median(values["one"]), statistics.median(values["two"]), ratio


def threads(sizes: Sequence[int], rounds: int) -> Section:
    """threads=2 against two processes."""
    rows = []
    for what in THREADED:
        for size in sizes:
            one, two, ratio = against_processes(what, size, rounds)
            rows.append((f"{what} {format_size(size)}", f"{one / 1e9:.2f}", f"{two / 1e9:.2f}",
                         f"{two / one:.2f}", f"{ratio:.2f}"))  # fmt: skip
    columns = ("call", "one thread, GB/s", "threads=2, GB/s", "times one thread",
               "share of two processes")  # fmt: skip
    note = (
        "Two processes: one thread and half of the data each, started together; their rates are "
        f"added. sha256_packed: messages of {format_size(_HALF_BATCH)}."
    )
    return Section("Two cores", Table(columns, rows), [note])


# ---- a model of more cores ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Model:
    """Seconds of a call on n cores: what one core does alone, then pieces, or the memory."""

    serial: float  # seconds a call that are not shared
    wake: float  # seconds for each further thread
    work: float  # seconds of one core for all that is shared
    traffic: float  # bytes to and from memory
    bandwidth: float  # bytes a second of the whole machine

    def seconds(self, cores: int) -> float:
        """Whatever takes longer: computing, or moving the bytes."""
        shared = self.work / cores + self.wake * (cores - 1)
        return self.serial + max(shared, self.traffic / self.bandwidth)

    def speedup(self, cores: int) -> float:
        """Against one core."""
        return self.seconds(1) / self.seconds(cores)


def waking(rounds: int) -> float:
    """Measure seconds that a second thread costs: a call that is just worth splitting."""
    size = 256 << 10
    sides = {n: threaded_work("aes-256-ctr", size, n) for n in (1, 2)}
    timed = interleave({str(n): work for n, work in sides.items()}, 20 * rounds)
    return max(0.0, timed.median("2") - timed.median("1") / 2)


def model(gcm: Timed, count: int, rounds: int, bandwidth: float) -> Section:
    """Where splitting bends on 64 cores, from what is measured here; a model, not a measurement."""
    wake = waking(rounds)
    # Arguments, offsets and the comparison of nonces are done by the caller alone.
    lone = serial_part(count, rounds)
    packed = gcm.median(next(iter(gcm.seconds)))
    gcm_call, size = threaded_work("aes-256-gcm", 4 * MIB, 1), 4 * MIB
    per_byte = min(repeat(gcm_call, 1) for _ in range(5 * rounds)) / size
    rows = []
    cases = [(f"AES-256-GCM {format_size(s)}", Model(0, wake, per_byte * s, 2 * s, bandwidth))
             for s in (MIB, 4 * MIB, 64 * MIB, 1024 * MIB)]  # fmt: skip
    moved = count * (2 * SMALL + TAG + NONCE + 16)
    cases.append((f"encrypt_packed, {count:,} x {SMALL} B",
                  Model(lone, wake, packed - lone, moved, bandwidth)))  # fmt: skip
    cores = (1, 2, 4, 8, 16, 32, 64)
    for name, each in cases:
        best = max(range(1, 65), key=each.speedup)
        rows.append((name, *(f"{each.speedup(n):.1f}" for n in cores), str(best)))
    note = (
        "MODEL, not measured: seconds = serial + max(work / n + wake * (n - 1), traffic / "
        f"bandwidth). Measured here: wake {wake * 1e6:.1f} us a thread, serial part of the packed "
        f"call {lone / count * 1e9:.1f} ns a message, GCM {1 / per_byte / 1e9:.2f} GB/s a core. "
        f"Assumed: {bandwidth / 1e9:.0f} GB/s of memory bandwidth (--bandwidth)."
    )
    columns = ("times one core", *(str(n) for n in cores), "best at")
    return Section("Model: more cores", Table(columns, rows), [note])


def serial_part(count: int, rounds: int) -> float:
    """Measure what a packed call does before the work: a call that is refused at the very end."""
    ours = AESGCM(bytes(32))
    offsets = offsets_of(count, SMALL)
    data = bytes(count * SMALL)
    nonces = b"".join(i.to_bytes(NONCE, "big") for i in range(count))
    wrong = bytearray(1)  # an output of the wrong size

    def refused() -> None:
        try:
            ours.encrypt_packed(nonces, data, offsets, out=wrong)
        except ValueError:
            return
        raise AssertionError("an output of the wrong size was taken")

    return interleave({"refused": refused}, rounds).median("refused")


# ---- the command --------------------------------------------------------------------------------


def report(count: int, rounds: int, sizes: Sequence[int], bandwidth: float) -> Document:
    """Measure everything and make the tables."""
    gcm_section, gcm = gcm_batch(count, rounds)
    hash_section, _ = hash_batch(count, rounds)
    sections = [
        gcm_section,
        hash_section,
        streams(min(16 * MIB, count * SMALL // MIB * MIB or MIB), rounds),
        threads(sizes, 3 * rounds),
        model(gcm, count, rounds, bandwidth),
    ]
    kernel = f"AES by {AESGCM(bytes(32)).kernel}, SHA-256 by {cngaes.sha256().kernel}"
    note = f"{cpu_name()}, {os.cpu_count()} CPUs; {kernel}. Medians of {rounds} rounds."
    sections[0] = Section(gcm_section.title, gcm_section.table, [note])
    return Document("Many messages, several cores", sections)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print the tables as Markdown."""
    parser = table_parser(__doc__, quick="fewer messages and rounds")
    parser.add_argument("--bandwidth", type=float, default=300.0, metavar="GB/S",
                        help="of the modelled machine's memory (300)")  # fmt: skip
    given = table_options(parser, argv)
    warning = load_warning()
    document = (
        report(20_000, 2, (4 * MIB,), given.bandwidth * 1e9)
        if given.quick
        else report(1_000_000, 7, (4 * MIB, 16 * MIB, 64 * MIB), given.bandwidth * 1e9)
    )
    text = to_markdown(document)
    sys.stdout.write(text)
    if given.md:
        given.md.write_text(text, encoding="utf-8", newline="\n")
    if warning:
        print(f"CAUTION: {warning}", file=sys.stderr)
    return 0
