"""A run held against an older file: ratios to an anchor only, and never in silence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from cngaes_bench import results
from cngaes_bench.cli import main as bench_main
from cngaes_bench.comparison import EmptyComparisonError, changes, comparison_section
from cngaes_bench.report.cli import main as report_main
from report_pages import KIB, MIB, made

if TYPE_CHECKING:
    from pathlib import Path

    from cngaes_bench.measurement import Measurement

THEN = {"cpu/into": 0.001, "cpu/new": 0.002, "cryptography/into": 0.003}


def now(**factors: float) -> Measurement:
    """The same machine on a day when all is 1.7 times as slow, and some paths more."""
    return made(
        {way: seconds * 1.7 * factors.get(way.split("/")[1], 1) for way, seconds in THEN.items()}
    )


def test_a_slower_day_is_no_change() -> None:
    found = changes(now(), made(THEN))
    assert [change.cell.way for change in found] == ["cpu/into", "cpu/new"]
    for change in found:
        assert change.factor == pytest.approx(1)
        assert change.verdict == "within noise"


def test_what_changed_against_the_anchor_is_told() -> None:
    verdicts = {change.cell.way: change.verdict for change in changes(now(new=1.2), made(THEN))}
    assert verdicts == {"cpu/into": "within noise", "cpu/new": "slower"}
    verdicts = {change.cell.way: change.verdict for change in changes(now(new=0.8), made(THEN))}
    assert verdicts["cpu/new"] == "faster"


def test_a_verdict_needs_rounds_and_noise_floors() -> None:
    once = made(THEN, rounds=1)
    assert {change.verdict for change in changes(now(new=2), once)} == {"one round"}
    bare = made(THEN)
    bare.results = [result for result in bare.results if not result.cell.again]
    assert {change.verdict for change in changes(now(new=2), bare)} == {"no A/A pair"}


def test_the_section_says_that_days_cannot_be_paired() -> None:
    old = made(THEN)
    old.machine["cpu"] = "Another CPU"
    for result in old.results:
        if result.cell.path == "cryptography":
            result.version = "0.9"
    section = comparison_section(now(), old, None)
    text = "\n".join(section.notes)
    assert "cannot be paired" in text
    assert "other CPUs, Another CPU then and A CPU now" in text
    assert "the anchor aes-256-gcm/encrypt/1MiB/cryptography/into has changed: 0.9 then" in text


def test_an_anchor_of_ones_own() -> None:
    found = changes(now(), made(THEN), "cpu/new")
    assert {change.anchor.way for change in found} == {"cpu/new"}
    assert {change.cell.way for change in found} == {"cpu/into", "cryptography/into"}


@pytest.mark.parametrize(
    ("old", "why"),
    [
        (made(THEN, sizes=(KIB,)), r"it has aes-256-gcm/encrypt/1KiB.* this run has aes.*1MiB"),
        (made({"openssl/into": 1.0}), r"it has .*openssl/into, this run has .*and 0 more|openssl"),
        (made({"cpu/into": 1.0}), r"both have .*cpu/into, but no case has the anchor"),
        (made({"cryptography/into": 1.0}), "no case has the anchor .* another path"),
    ],
    ids=["other size", "other path", "no anchor", "anchor alone"],
)
def test_nothing_in_common_is_an_error_that_says_what_there_is(old: Measurement, why: str) -> None:
    with pytest.raises(EmptyComparisonError, match=why):
        comparison_section(now(), old, None)


# The two commands.


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.chdir(tmp_path)
    paths = tmp_path / "old.json", tmp_path / "new.json"
    for path, measurement in zip(paths, (made(THEN), now(new=1.5)), strict=True):
        results.write(measurement, path)
    return paths


def test_report_compares_two_files(files: tuple[Path, Path]) -> None:
    old, new = files
    assert report_main([str(new), "--compare", str(old), "-o", "a.html", "--md", "a.md"]) == 0
    for name in ("a.html", "a.md"):
        text = new.with_name(name).read_text(encoding="utf-8")
        assert "Compared with old.json" in text
        assert "0.667" in text
        assert "cannot be paired" in text


def test_report_refuses_an_empty_comparison(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    other = files[0].with_name("other.json")
    results.write(made(THEN, sizes=(KIB,)), other)
    assert report_main([str(files[1]), "--compare", str(other), "-o", "a.html"]) == 2
    assert "nothing to compare with other.json" in capsys.readouterr().err
    assert not files[0].with_name("a.html").exists()


SHORT = ["--case", "aes-256-gcm/encrypt/1MiB", "--path", "cpu", "cryptography", "--rounds", "2"]


def test_bench_compares_with_an_older_file(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*SHORT, "--min-time", "1", "--compare", str(files[0]), "-o", "out.json"]
    assert bench_main(arguments) == 0
    assert "## Compared with old.json" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "size", "why"),
    [("old.json", "2MiB", "nothing to compare"), ("nowhere.json", "1MiB", "not a pyperf file")],
)
def test_bench_refuses_before_measuring(
    name: str,
    size: str,
    why: str,
    files: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cngaes_bench.bench.measure", lambda *_: pytest.fail("measured"))
    path = files[0].with_name(name)
    assert bench_main([*SHORT, "--size", size, "--compare", str(path), "-o", "out.json"]) == 2
    assert why in capsys.readouterr().err


def test_what_was_measured_is_kept_when_the_comparison_turns_out_empty(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    old = files[0].with_name("hash.json")
    alone = made({"openssl/into": 0.001})
    results.write(alone, old)
    arguments = [*SHORT, "--min-time", "1", "--compare", str(old), "-o", "out.json"]
    assert bench_main(arguments) == 2
    assert "nothing to compare with hash.json" in capsys.readouterr().err
    assert results.read(files[0].with_name("out.json")).results


def test_a_baseline_that_was_not_measured_costs_nothing_but_a_word(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*SHORT, "--min-time", "1", "--baseline", "hashlib/new", "-o", "out.json"]
    assert bench_main(arguments) == 0
    assert "CAUTION: baseline 'hashlib/new' was not measured" in capsys.readouterr().out
    assert bench_main([*SHORT, "--baseline", "cpu", "-o", "b.json"]) == 2
    assert "--baseline is PATH/PLACEMENT" in capsys.readouterr().err


def test_versions_make_no_difference_to_who_is_compared() -> None:
    old = made(THEN)
    old.results = [replace(result, version="0.0.1") for result in old.results]
    assert len(changes(now(), old)) == 2


def test_several_sizes_are_compared_each_by_itself() -> None:
    old, new = made(THEN, sizes=(KIB, MIB)), made(THEN, sizes=(KIB, MIB))
    assert len(changes(new, old)) == 4
