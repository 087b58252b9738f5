"""`python -m cngaes encrypt` and `decrypt`."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from cngaes._chunked import wipe
from cngaes.exceptions import InvalidFile
from cngaes.files import decrypt_file, encrypt_file

if TYPE_CHECKING:
    import argparse


def read_key(path: str) -> bytearray:
    """Read the 16 or 32 bytes of a key file. Raises ValueError for other lengths, OSError."""
    key = bytearray(33)
    with open(path, "rb", buffering=0) as file, memoryview(key) as view:  # noqa: PTH123
        length = 0
        while length < len(view) and (count := file.readinto(view[length:])):
            length += count
    if length not in (16, 32):
        wipe(key)
        most = "more than 32" if length > 32 else length
        raise ValueError(f"the key file must have 16 or 32 bytes, {path} has {most}")
    wanted = key[:length]
    wipe(key)
    return wanted


class ProgressLine:
    """One line on a terminal, written anew a few times a second."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()
        self._shown = False

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._last < 0.2 and not (self._shown and done == total):
            return
        self._last = now
        self._shown = True
        part = f"{100 * done // total:3d} % of {total:,} bytes" if total else f"{done:,} bytes"
        speed = done / max(now - self._start, 1e-9) / 1e6
        print(f"\r{part}, {speed:.0f} MB/s ", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        if self._shown:
            print(file=sys.stderr)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser the options of both commands."""
    parser.add_argument("src", metavar="SRC")
    parser.add_argument("dst", metavar="DST", help="appears whole, or stays as it is")
    parser.add_argument(
        "--key-file",
        required=True,
        metavar="FILE",
        help="16 or 32 random bytes, which select AES-128-GCM or AES-256-GCM",
    )
    parser.add_argument("--context", default="", metavar="TEXT", help="must be the same both ways")
    parser.add_argument("--threads", type=int, metavar="N", help="cores to use (default: all)")
    parser.add_argument("--no-fsync", action="store_true", help="do not wait for the disk")
    parser.add_argument("--quiet", action="store_true", help="no progress, even on a terminal")


def command(options: argparse.Namespace) -> int:
    """Encrypt or decrypt a file; 1 and one line on standard error if that fails."""
    action = encrypt_file if options.name == "encrypt" else decrypt_file
    line = ProgressLine()
    show = sys.stderr.isatty() and not options.quiet
    try:
        key = read_key(options.key_file)
        try:
            action(
                options.src,
                options.dst,
                key,
                context=os.fsencode(options.context),
                threads=options.threads,
                progress=line if show else None,
                fsync=not options.no_fsync,
            )
        finally:
            wipe(key)
            line.end()
    except InvalidFile as error:
        print(f"error: {options.src}: {error}", file=sys.stderr)
    except (OSError, ValueError, OverflowError) as error:
        print(f"error: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted; nothing was written", file=sys.stderr)
        return 130
    else:
        return 0
    return 1
