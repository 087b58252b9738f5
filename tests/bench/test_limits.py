"""limits.py: its loops compute what they should, its bounds and its verdicts come out right."""

from __future__ import annotations

import ctypes
import hashlib
import shutil
from typing import TYPE_CHECKING, Any

import pytest

import cngaes
from cngaes import _core
from cngaes_bench import instruction_bounds, limits
from cngaes_bench.instruction_bounds import Row, bound
from cngaes_bench.limits import OURS, Limits, LimitsError, Racer, Result, report

if TYPE_CHECKING:
    from pathlib import Path

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
RATES = {
    "aesenc": 0.5,
    "aesenc-latency": 4.0,
    "vaesenc-ymm": 0.5,
    "pclmulqdq": 2.0,
    "vpclmulqdq-ymm": 2.0,
    "sha256rnds2-latency": 4.0,
    "sha-block": 32.0,
}


@pytest.mark.parametrize("streams", [1, 3, 8, 17])
def test_messages_in_step(streams: int) -> None:
    key, data = bytes(range(16)), bytes(range(64)) * 2 * streams
    each = len(data) // streams
    out = bytearray(len(data))
    assert _core._time_streams("cbc", key, data, out, streams, 2) > 0
    cbc = cngaes.AESCBC(key, padding=None)
    pieces = [data[i * each : (i + 1) * each] for i in range(streams)]
    assert out == b"".join(cbc.encrypt(bytes(16), piece) for piece in pieces)

    padding = b"\x80" + bytes(55) + (8 * each).to_bytes(8, "big")
    digests = bytearray(32 * streams)
    padded = b"".join(piece + padding for piece in pieces)
    assert _core._time_streams("sha256", b"", padded, digests, streams, 2) > 0
    assert digests == b"".join(hashlib.sha256(piece).digest() for piece in pieces)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("ctr", bytes(16), bytes(64), bytearray(64), 1, 1), "mode"),
        (("cbc", bytes(16), bytes(63), bytearray(63), 1, 1), "data"),
        (("cbc", bytes(16), bytes(64), bytearray(48), 1, 1), "buf"),
        (("cbc", bytes(16), bytes(64), bytearray(64), 0, 1), "streams"),
        (("cbc", bytes(16), bytes(64), bytearray(64), 65, 1), "streams"),
        (("cbc", bytes(15), bytes(64), bytearray(64), 1, 1), "key"),
        (("sha256", b"", bytes(64), bytearray(64), 1, 1), "buf"),
    ],
)
def test_streams_of_wrong_shape(arguments: tuple[Any, ...], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        _core._time_streams(*arguments)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (Row("ctr", "encrypt", 128), 10 * 0.5 / 32),
        (Row("cbc", "decrypt", 256), 14 * 0.5 / 32),
        (Row("cbc", "encrypt", 128), 10 * 4 / 16),
        (Row("cbc", "encrypt", 128, 8), 10 * 0.5 / 32),
        (Row("gcm", "encrypt", 128), 3 * 2 / 32),
        (Row("gcm", "encrypt", 256), 14 * 0.5 / 32),
        (Row("sha256", "hash"), 32 * 4 / 64),
        (Row("sha256", "hash", 0, 16), 32 / 64),
    ],
)
def test_bounds(row: Row, expected: float) -> None:
    assert bound(row, RATES) == pytest.approx(expected)
    assert bound(row, {}) is None


def _result(peer_ns: float) -> Result:
    racers = []
    for name, ns in ((OURS, 100.0), ("peer", peer_ns)):
        racer = Racer(name, lambda turns: turns, ctypes.create_string_buffer(1))
        racer.ns = {(0, moment): ns + moment for moment in range(9)}
        racers.append(racer)
    return Result(Row("ctr", "encrypt", 128), 1000, 0.5, racers)


def test_a_row_behind_a_peer_is_a_fault() -> None:
    versions = {OURS: "1", "peer": "2"}
    document, faults = report([_result(90.0)], RATES, versions)
    assert len(faults) == 1
    assert "peer" in faults[0]
    table = document.sections[0].table
    assert table is not None
    assert "!" in table.rows[0][-1]
    assert report([_result(110.0)], RATES, versions)[1] == []


@needs_compiler
def test_our_loops_run_and_wrong_bytes_are_told(tmp_path: Path) -> None:
    here = Limits(tmp_path)
    for row in instruction_bounds.ROWS:
        racers = here._racers(row, 64 * 48)
        assert racers[0].name == OURS
        assert racers[0].run(1) > 0
    assert here.wrong == []
    racers = here._racers(Row("ctr", "encrypt", 128), 4096)
    racers.append(Racer("liar", lambda turns: turns, ctypes.create_string_buffer(4096)))
    assert [r.name for r in here._agreeing(Row("ctr", "encrypt", 128), 4096, racers)][-1] != "liar"
    assert here.wrong == ["liar: AES-128-CTR encrypt 4KiB"]


@needs_compiler
def test_a_compiler_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    with pytest.raises(LimitsError, match=r"limits_loop\.c"):
        limits.compile_loop(tmp_path)
