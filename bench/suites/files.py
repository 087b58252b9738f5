"""Files: encrypt_file against its two bounds, hash_files against sha256sum, in interleaved rounds.

    python bench/suites/files.py [--folder FOLDER] [--mebibytes 512] [--files 10000] [--rounds 5]
        [--gibibytes 10]

With --gibibytes, one large file too: read in pieces, as hash_file does it, against mapped.

Not a pyperf script: the bounds must be taken in the same rounds, and every call writes a file.
"""

from __future__ import annotations

import argparse
import mmap
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import cngaes
from cngaes_bench.machine import cpu_name

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = bytes(range(16))
PIECE = 1 << 20
GCM_BYTES = 64 << 20


def seconds(call: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def copy(src: Path, dst: Path) -> None:
    """Copy through the page cache, a MiB at a time."""
    with (
        memoryview(bytearray(PIECE)) as view,
        src.open("rb", 0) as read,
        dst.open("wb", 0) as write,
    ):
        while count := read.readinto(view):
            write.write(view[:count])


def encryption(folder: Path, mebibytes: int, rounds: int) -> float:
    """Print each round; the median of encrypt_file's speed over that of the slower bound."""
    src, dst = folder / "src", folder / "dst"
    with src.open("wb") as file:
        for _ in range(mebibytes):
            file.write(os.urandom(PIECE))
    data, out = bytearray(GCM_BYTES), bytearray(GCM_BYTES + 16)
    aead = cngaes.AESGCM(KEY)

    def gcm() -> None:
        for i in range(mebibytes * PIECE // GCM_BYTES):
            aead.encrypt_into(i.to_bytes(12, "big"), data, None, out, threads=None)

    ratios = []
    for _ in range(rounds):
        times = {}
        for name, call in {
            "copy": lambda: copy(src, dst),
            "gcm": gcm,
            "encrypt_file": lambda: cngaes.encrypt_file(src, dst, KEY, fsync=False),
        }.items():
            dst.unlink(missing_ok=True)
            times[name] = seconds(call)
        ratios.append(max(times["copy"], times["gcm"]) / times["encrypt_file"])
        speeds = ", ".join(f"{n} {mebibytes * PIECE / t / 1e9:.2f}" for n, t in times.items())
        print(f"GB/s: {speeds}; of the slower bound {ratios[-1]:.2f}", flush=True)
    return statistics.median(ratios)


def hashing(folder: Path, files: int, rounds: int) -> float:
    """Print each round; the median of sha256sum's time over that of hash_files."""
    paths = [folder / f"{i:06}" for i in range(files)]
    for path in paths:
        path.write_bytes(os.urandom(8192))
    program = ["sha256sum", *map(str, paths)]

    def sha256sum() -> None:
        subprocess.run(program, check=True, stdout=subprocess.DEVNULL)

    ratios = []
    for _ in range(rounds):
        theirs = seconds(sha256sum) / files * 1e6
        ours = seconds(lambda: cngaes.hash_files(paths)) / files * 1e6
        ratios.append(theirs / ours)
        times = f"sha256sum {theirs:.1f}, hash_files {ours:.1f}"
        print(f"us a file: {times}; {ratios[-1]:.2f} times as fast", flush=True)
    return statistics.median(ratios)


def large(folder: Path, gibibytes: int, rounds: int) -> float:
    """Print each round; the median of a mapped file's time over that of hash_file."""
    path = folder / "large"
    piece = os.urandom(PIECE)
    with path.open("wb") as file:
        for i in range(gibibytes << 10):
            file.write(i.to_bytes(8, "big") + piece[8:])

    def mapped() -> bytes:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            return cngaes.sha256_digest(view)

    if mapped() != cngaes.hash_file(path):
        raise AssertionError("wrong results")
    ratios = []
    for _ in range(rounds):
        by_map, in_pieces = seconds(mapped), seconds(lambda: cngaes.hash_file(path))
        ratios.append(by_map / in_pieces)
        rates = (f"{(gibibytes << 30) / t / 1e9:.2f}" for t in (in_pieces, by_map))
        print(f"{gibibytes} GiB, GB/s in pieces and mapped:", *rates, flush=True)
    path.unlink()
    return statistics.median(ratios)


def main() -> int:
    """Print the two medians beside their goals; 1 if one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", help="where to write (default: the temporary folder)")
    parser.add_argument("--mebibytes", type=int, default=512, help="a multiple of 64")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--gibibytes", type=int, default=0, help="hash one file of that size, too")
    options = parser.parse_args()
    print(cpu_name())
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        encrypted = encryption(Path(name), options.mebibytes, options.rounds)
        hashed = hashing(Path(name), options.files, options.rounds)
        if options.gibibytes:
            times = large(Path(name), options.gibibytes, options.rounds)
            print(f"hash_file: {times:.2f} times as fast in pieces as mapped")
    print(f"encrypt_file: {encrypted:.2f} of the slower bound (goal 0.90)")
    print(f"hash_files: {hashed:.2f} times as fast as sha256sum (goal 3)")
    return 0 if encrypted >= 0.9 and hashed >= 3 else 1


if __name__ == "__main__":
    sys.exit(main())
