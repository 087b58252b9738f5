"""The checker of .NET's library calls: what it accepts, and planted faults that it must see."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

CHECKER = Path(__file__).parents[1] / "tools" / "dotnet" / "trace_calls.py"
sys.path.insert(0, str(CHECKER.parent))
trace_calls: Any = import_module("trace_calls")

BYTES, FROM, TO = 1 << 20, 0x1000, 0x2000
_EVP = {"EVP_CipherUpdate", "EVP_DigestUpdate"}


def _line(library: str, call: str) -> str:
    """Write a call as its tracer would."""
    name, _, data = call.partition("(")
    across = "input -> output" in data
    source = FROM if "input" in data else TO
    if library == "evp":
        if name not in _EVP:
            return f"CALL {name}"
        target = "" if name == "EVP_DigestUpdate" else f" output={TO:x}"
        return f"CALL {name} bytes={BYTES} input={source:x}{target}"
    head = f"016c:trace:bcrypt:{name}"
    match name:
        case "BCryptEncrypt" | "BCryptDecrypt":
            return f"{head} 0001, {source:016X}, {BYTES}, 0, 0, 0, {TO:016X}, {BYTES}, 0009, 0"
        case "BCryptHash":
            assert across
            return f"{head} 0041, 0, 0, {FROM:016X}, {BYTES}, {TO:016X}, 32"
        case "BCryptHashData":
            return f"{head} 0001, {FROM:016X}, {BYTES}, 0"
        case _:
            return f"{head} 0001"


def trace(library: str) -> list[str]:
    """Make a trace of exactly what is expected."""
    lines = []
    for name, phases in trace_calls.EXPECTED[library].items():
        for phase, calls in zip(("create", "run"), phases, strict=True):
            arrays = f" bytes={BYTES} input={FROM:x} output={TO:x}" if phase == "run" else ""
            lines.append(f"MARK begin {name}/{phase}{arrays}")
            lines += [_line(library, call) for call in calls.split("; ") if call]
            lines.append(f"MARK end {name}/{phase}")
    return lines


def check(library: str, lines: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECKER), library]
    return subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, check=False
    )


LIBRARIES = pytest.mark.parametrize("library", list(trace_calls.EXPECTED))


@LIBRARIES
def test_what_is_expected_passes_and_is_printed(library: str) -> None:
    done = check(library, trace(library))
    assert done.returncode == 0, done.stderr
    update = "EVP_CipherUpdate" if library == "evp" else "BCryptEncrypt"
    assert f"dotnet-stream/aes-256-cbc/encrypt/run: {update}(all input -> output)" in done.stdout
    assert "dotnet-intrinsics/aes-256-gcm/encrypt/run: no call" in done.stdout


@LIBRARIES
@pytest.mark.parametrize(
    ("good", "bad", "seen"),
    [
        (f"{BYTES}", "65536", "65536 bytes"),
        (f"{FROM:x}", "3000", "another buffer"),
        (f"{TO:x}", "3000", "another buffer"),
    ],
    ids=["in pieces", "from a copy", "into a copy"],
)
def test_another_buffer_or_length_is_seen(library: str, good: str, bad: str, seen: str) -> None:
    lines = trace(library)
    at = next(
        i
        for i, line in enumerate(lines)
        if not line.startswith("MARK") and str(BYTES) in line and f"{FROM:x}" in line
    )
    lines[at] = lines[at].replace(good, bad, 1)
    done = check(library, lines)
    assert done.returncode == 1
    assert seen in done.stderr


@LIBRARIES
def test_one_call_more_or_less_is_seen(library: str) -> None:
    lines = trace(library)
    at = next(i for i, line in enumerate(lines) if not line.startswith("MARK"))
    for changed in ([*lines[:at], lines[at], *lines[at:]], [*lines[:at], *lines[at + 1 :]]):
        done = check(library, changed)
        assert done.returncode == 1
        assert "expected" in done.stderr


@LIBRARIES
def test_an_operation_that_was_not_traced_is_missed(library: str) -> None:
    done = check(library, trace(library)[:-2])
    assert done.returncode == 1
    assert "was not traced" in done.stderr


def test_an_unknown_operation_is_seen() -> None:
    done = check("evp", [*trace("evp"), "MARK begin new/run", "MARK end new/run"])
    assert done.returncode == 1
    assert "new/run is not expected" in done.stderr


@pytest.mark.parametrize(
    "lines",
    [["MARK begin a/run"], ["MARK end a/run"], ["MARK begin a/run", "MARK begin b/run"]],
)
def test_marks_must_pair(lines: list[str]) -> None:
    with pytest.raises(ValueError, match=r"a/run|b/run"):
        list(trace_calls.read(lines))


def test_nothing_at_all_is_no_proof() -> None:
    assert check("bcrypt", []).returncode == 1
