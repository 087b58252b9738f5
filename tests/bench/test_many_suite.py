"""The suite of batches and cores: its tables, and the model of more cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cngaes_bench import many
from cngaes_bench.many import Model, Timed

if TYPE_CHECKING:
    from pathlib import Path


def test_all_tables_from_one_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert many.main(["--quick"]) == 0
    text = capsys.readouterr().out
    for title in (
        "20,000 messages of 64 B, AES-256-GCM",
        "SHA-256 and HMAC",
        "many messages against",
        "Two cores",
        "Model: more cores",
    ):
        assert title in text
    for row in ("the same, random nonces", "loop over cryptography", "loop over hmac_sha256",
                *(f"{what} 4MiB" for what in many.THREADED)):  # fmt: skip
        assert f"| {row} |" in text
    assert "MODEL, not measured" in text


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "old.md"
    target.write_text("old", encoding="utf-8")
    with pytest.raises(SystemExit):
        many.main(["--quick", "--md", str(target)])
    assert target.read_text(encoding="utf-8") == "old"


def test_ratios_are_of_the_same_round() -> None:
    """Rounds of a machine that gets three times as slow change nothing."""
    timed = Timed({"slow": [2.0, 6.0, 2.0], "fast": [1.0, 3.0, 1.0]})
    assert timed.times("slow", "fast") == pytest.approx(2)
    assert timed.median("slow") == 2


def test_every_way_in_every_round() -> None:
    ran: list[str] = []
    timed = many.interleave({"a": lambda: ran.append("a"), "b": lambda: ran.append("b")}, 3)
    assert [len(values) for values in timed.seconds.values()] == [3, 3]
    assert all(sorted(ran[i : i + 2]) == ["a", "b"] for i in range(0, 8, 2))
    assert len(ran) == 8


def test_the_model_bends_where_it_must() -> None:
    ideal = Model(serial=0, wake=0, work=1, traffic=0, bandwidth=1)
    assert [ideal.speedup(n) for n in (1, 2, 64)] == [1, 2, 64]
    amdahl = Model(serial=1, wake=0, work=1, traffic=0, bandwidth=1)
    assert amdahl.speedup(64) == pytest.approx(2 / (1 + 1 / 64))
    memory = Model(serial=0, wake=0, work=1, traffic=1, bandwidth=4)
    assert memory.speedup(64) == 4
    waking = Model(serial=0, wake=0.01, work=1, traffic=0, bandwidth=1)
    assert max(range(1, 65), key=waking.speedup) == 10
