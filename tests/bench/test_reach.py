"""The table of ratios to cryptography and hashlib, and the goals it is held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cngaes_bench import reach
from cngaes_bench.measurement import Measurement, Result, Value
from cngaes_bench.outputs import Fingerprint
from cngaes_bench.reach import ROWS, SIZES, Row
from cngaes_bench.runner import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from cngaes_bench.cells import Cell

KIB, MIB, ALL = 1 << 10, 1 << 20, 1 << 27


@pytest.mark.parametrize(
    ("row", "size", "plain", "avx512"),
    [
        (Row("aes-256-gcm", "encrypt", "new"), 16, 4.0, 4.0),
        (Row("aes-256-gcm", "encrypt", "new"), KIB, 4.0, 2.5),
        (Row("aes-256-gcm", "encrypt", "new"), 256, 0.97, 0.97),
        (Row("aes-256-gcm", "encrypt", "into"), MIB, 1.6, 0.9),
        (Row("aes-256-gcm", "decrypt", "into"), MIB, 0.97, 0.9),
        (Row("aes-128-gcm", "encrypt", "new"), 16, 0.97, 0.97),
        (Row("aes-128-ctr", "encrypt", "into"), MIB, 1.5, 0.9),
        (Row("aes-256-cbc", "decrypt", "into"), MIB, 1.5, 0.9),
        (Row("aes-256-cbc", "encrypt", "into"), MIB, 0.97, 0.97),
        (Row("aes-256-ecb", "decrypt", "into"), ALL, 0.9, 0.9),
        (Row("aes-256-cbc", "encrypt", "into"), ALL, 0.9, 0.9),
        (Row("sha256", "hash", "new", "hashlib"), 16, 2.5, 2.5),
        (Row("sha256", "hash", "new", "hashlib"), MIB, 0.97, 0.97),
    ],
)
def test_goals(row: Row, size: int, plain: float, avx512: float) -> None:
    assert row.floor(size, avx512=False) == plain
    assert row.floor(size, avx512=True) == avx512


def test_all_modes_keys_directions_and_sizes_are_there() -> None:
    assert len(ROWS) == 8 + 12 + 1
    assert len({row.title for row in ROWS}) == len(ROWS)
    assert SIZES == (16, 256, KIB, 16 * KIB, MIB, ALL)
    assert all(row.sizes == SIZES for row in ROWS if row.placement == "into")


def synthetic(ratio: float) -> Measurement:
    measurement = Measurement(1, 0.0, 3)

    def add(cell: Cell, seconds: float) -> None:
        values = [Value(seconds, 1, 0, n, 0) for n in range(3)]
        measurement.results.append(Result(cell, Fingerprint("", "", ""), "1", values=values))

    for row in ROWS:
        for size in row.sizes:
            theirs, ours = row.pair(size)
            add(theirs, ratio)
            add(ours, 1.0)
    return measurement


def test_cells_below_their_goal_are_marked_and_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "has_avx512", lambda: False)
    document, faults = reach.report(synthetic(1.2))
    table = document.sections[0].table
    assert table is not None
    rows = {row[0]: row for row in table.rows}
    gcm = ["1.20 !", "1.20", "1.20 !", "1.20", "1.20", "-"]
    assert rows["AES-256-GCM encrypt"] == ["AES-256-GCM encrypt", *gcm]
    assert rows["AES-256-CBC encrypt_into"][1:] == ["1.20"] * 6
    assert any(
        "AES-256-GCM encrypt 16B: 1.200" in fault and "wanted 4.0" in fault for fault in faults
    )
    _, none = reach.report(synthetic(4.5))
    assert none == []


def test_one_command_measures_prints_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reach, "SIZES", (16, KIB, ALL))
    monkeypatch.setattr(reach, "ROWS", (ROWS[1], ROWS[-1]))
    fast = Settings(rounds=3, min_time=0.0005)
    monkeypatch.setattr(reach, "_settings", lambda *_, **__: fast)
    arguments = ["--quick", "-o", str(tmp_path / "o.json"), "--md", str(tmp_path / "o.md")]
    status = reach.main(arguments)
    printed = capsys.readouterr()
    assert status == (1 if "BELOW" in printed.err else 0)
    assert "| AES-128-GCM encrypt_into |" in printed.out
    assert "| SHA-256 sha256_digest |" in printed.out
    assert (tmp_path / "o.md").read_text() in printed.out
    with pytest.raises(SystemExit):
        reach.main(arguments)
