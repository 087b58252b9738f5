"""`python -m cngaes sha256`: prints and checks SHA-256 as coreutils' sha256sum does."""

from __future__ import annotations

import os
import re
import shlex
import sys
from typing import TYPE_CHECKING

from cngaes._filehash import hash_files, hash_stream

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

# So many files are hashed before their lines are printed, in order.
FILES_AT_ONCE = 4096

_GNU_LINE = re.compile(rb"([0-9a-fA-F]{64}) [ *](.+)", re.DOTALL)
_TAG_LINE = re.compile(rb"SHA256 ?\((.+)\) ?= ?([0-9a-fA-F]{64})", re.DOTALL)
_ESCAPES = {b"\\": b"\\\\", b"\n": b"\\n", b"\r": b"\\r"}
_UNESCAPES = {escaped: plain for plain, escaped in _ESCAPES.items()}


def escape(name: bytes) -> tuple[bytes, bytes]:
    """Write a name in one line: the mark that stands before the line, and the name."""
    escaped = re.sub(rb"[\\\n\r]", lambda found: _ESCAPES[found[0]], name)
    return (b"\\" if escaped != name else b""), escaped


def unescape(name: bytes) -> bytes | None:
    """Read a name back; None if it holds something that escape() does not write."""
    if re.search(rb"\\(?![\\nr])", re.sub(rb"\\\\", b"", name)):
        return None
    return re.sub(rb"\\[\\nr]", lambda found: _UNESCAPES[found[0]], name)


def parse_line(line: bytes) -> tuple[bytes, bytes] | None:
    """Read the digest and the name from a line of a list; None if it is none."""
    line = line.lstrip(b" \t")
    marked = line.startswith(b"\\")
    line = line[1:] if marked else line
    if found := _GNU_LINE.fullmatch(line):
        digest, name = found[1], found[2]
    elif found := _TAG_LINE.fullmatch(line):
        name, digest = found[1], found[2]
    else:
        return None
    plain = unescape(name) if marked else name
    return None if plain is None else (bytes.fromhex(digest.decode()), plain)


def hash_names(names: Sequence[str]) -> Iterator[tuple[str, bytes | OSError]]:
    """Hash files, "-" being standard input; results in order."""
    for start in range(0, len(names), FILES_AT_ONCE):
        part = names[start : start + FILES_AT_ONCE]
        results = iter(hash_files([n for n in part if n != "-"], on_error="return"))
        for name in part:
            yield name, _hash_stdin() if name == "-" else next(results)


def _hash_stdin() -> bytes | OSError:
    try:
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as file:
            return hash_stream(file, "-")
    except OSError as error:
        return error


def complain(text: str) -> None:
    """Print a line on standard error."""
    print(f"sha256: {text}", file=sys.stderr)


def _complain_of(name: str, error: OSError) -> None:
    shown = shlex.quote(os.fsencode(name).decode(errors="backslashreplace"))
    complain(f"{shown}: {error.strerror or error}")


def print_digests(options: argparse.Namespace) -> int:
    """Print a line for each file; 1 if one could not be read."""
    status = 0
    end = b"\0" if options.zero else b"\n"
    for name, digest in hash_names(options.files):
        if isinstance(digest, OSError):
            _complain_of(name, digest)
            status = 1
            continue
        raw = os.fsencode(name)
        mark, shown = (b"", raw) if options.zero else escape(raw)
        line = (
            b"%sSHA256 (%s) = %s" % (mark, shown, digest.hex().encode())
            if options.tag
            else b"%s%s %s%s"
            % (mark, digest.hex().encode(), b"*" if options.binary else b" ", shown)
        )
        sys.stdout.buffer.write(line + end)
    sys.stdout.flush()
    return status


class _Check:
    """One list of digests."""

    def __init__(self, options: argparse.Namespace, name: str) -> None:
        self.options = options
        self.shown = "'standard input'" if name == "-" else name
        self.entries: list[tuple[bytes, str]] = []
        self.malformed = 0
        data = sys.stdin.buffer.read() if name == "-" else _read_list(name)
        for number, line in enumerate(data.split(b"\n"), 1):
            if not line or line.startswith(b"#"):
                continue
            entry = parse_line(line.removesuffix(b"\r"))
            if entry is None or (entry[1] == b"-" and name == "-"):
                self.malformed += 1
                if options.warn:
                    complain(f"{self.shown}: {number}: improperly formatted SHA256 checksum line")
            else:
                self.entries.append((entry[0], os.fsdecode(entry[1])))

    def run(self) -> bool:
        """Hash every file of the list, say what is wrong; whether nothing is."""
        if not self.entries:
            complain(f"{self.shown}: no properly formatted checksum lines found")
            return False
        unreadable = wrong = right = 0
        results = hash_names([name for _, name in self.entries])
        for (expected, _), (name, digest) in zip(self.entries, results, strict=True):
            if isinstance(digest, OSError):
                if self.options.ignore_missing and isinstance(digest, FileNotFoundError):
                    continue
                unreadable += 1
                _complain_of(name, digest)
                self._say(name, b"FAILED open or read")
            elif digest != expected:
                wrong += 1
                self._say(name, b"FAILED")
            else:
                right += 1
                if not self.options.quiet:
                    self._say(name, b"OK")
        sys.stdout.flush()
        if not self.options.status:
            self._warn(self.malformed, "line is", "lines are", "improperly formatted")
            self._warn(unreadable, "listed file", "listed files", "could not be read")
            self._warn(wrong, "computed checksum", "computed checksums", "did NOT match")
            if self.options.ignore_missing and not right:
                complain(f"{self.shown}: no file was verified")
        return not (
            unreadable
            or wrong
            or (self.options.strict and self.malformed)
            or (self.options.ignore_missing and not right)
        )

    def _say(self, name: str, verdict: bytes) -> None:
        if not self.options.status:
            raw = os.fsencode(name)
            mark, shown = escape(raw) if b"\n" in raw else (b"", raw)
            sys.stdout.buffer.write(b"%s%s: %s\n" % (mark, shown, verdict))

    @staticmethod
    def _warn(count: int, one: str, many: str, what: str) -> None:
        if count:
            complain(f"WARNING: {count} {one if count == 1 else many} {what}")


def _read_list(name: str) -> bytes:
    with open(name, "rb") as file:  # noqa: PTH123 - any path
        return file.read()


def check_lists(options: argparse.Namespace) -> int:
    """Check every list; 1 if anything is not as it says."""
    status = 0
    for name in options.files:
        try:
            good = _Check(options, name).run()
        except OSError as error:
            _complain_of(name, error)
            good = False
        status |= not good
    return status


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser the options of sha256sum."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="- or none: standard input")
    parser.add_argument("-b", "--binary", action="store_true", help="mark names by *")
    parser.add_argument("-t", "--text", action="store_false", dest="binary", help="(default)")
    parser.add_argument("--tag", action="store_true", help="BSD's form of line")
    parser.add_argument(
        "-z", "--zero", action="store_true", help="end lines by NUL, escape nothing"
    )
    parser.add_argument("-c", "--check", action="store_true", help="the files are lists to check")
    for name, short, text in (
        ("ignore-missing", (), "pass over files that are not there"),
        ("quiet", (), "do not print OK"),
        ("status", (), "print nothing, the exit status tells"),
        ("strict", (), "exit status 1 for lines that are none"),
        ("warn", ("-w",), "name lines that are none"),
    ):
        parser.add_argument(f"--{name}", *short, action="store_true", help=f"with -c: {text}")


def command(options: argparse.Namespace) -> int:
    """Run it; 1 if a file could not be read, is not what the list says, or options contradict."""
    options.files = options.files or ["-"]
    if not options.check:
        for name in ("ignore_missing", "quiet", "status", "strict", "warn"):
            if getattr(options, name):
                option = name.replace("_", "-")
                complain(f"the --{option} option is meaningful only when verifying checksums")
                return 1
        return print_digests(options)
    for name in ("tag", "zero", "binary"):
        if getattr(options, name):
            complain(f"the --{name} option is meaningless when verifying checksums")
            return 1
    return check_lists(options)
