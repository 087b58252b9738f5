"""`python -m cngaes explain`: what it prints, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cngaes.__main__ import main as package_main
from cngaes_bench import results
from cngaes_bench.cli import main as bench_main
from cngaes_bench.events import Events
from cngaes_bench.explain.article import article_sections, gaps, notes, page_price
from cngaes_bench.explain.explaining import explain
from synthetic import measurement, probe, result

if TYPE_CHECKING:
    from pathlib import Path

CASE = "aes-256-gcm/encrypt/1KiB"
ARGUMENTS = ["--case", CASE, "sha256/hash/1KiB", "--path", "kernel", "cpu", "cpu-ctypes",
             "--rounds", "3", "--min-time", "0.5"]  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "out.json"
    assert bench_main([*ARGUMENTS, "-o", str(path)]) == 0
    return path


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert package_main(["explain", *arguments]) == 0
    return capsys.readouterr().out


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert package_main(["explain", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    return captured.err


def test_bench_stores_what_explain_finds_again(written: Path) -> None:
    stored = results.read(written)
    assert stored.explanation is not None
    assert explain(stored) == stored.explanation
    names = {each.name for each in stored.probes}
    assert {"foreign-call", "foreign-call-10", "extension-call", "copy/64KiB"} <= names


def test_a_file_is_explained(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said([str(written)], capsys)
    assert f"Where the time goes: {CASE}/cpu-ctypes/typical" in text
    for word in ("| engine (kernel/into) |", "| ctypes calls | 1 |", "| residual |", "predicted",
                 "## Hypotheses", "| extension-call |"):  # fmt: skip
        assert word in text
    only = said([str(written), "--case", CASE], capsys)
    assert CASE in only
    assert "sha256/hash" not in only.split("## Hypotheses")[0]


def test_a_case_is_measured_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(["--case", "aes-128-ecb/encrypt/1KiB", "--rounds", "3"], capsys)
    for passes in ("typical-1", "typical-2", "typical", "typical-4"):
        assert f"| aes-128-ecb/encrypt/1KiB/cpu-ctypes/{passes} |" in text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not a pyperf file"),
        ("{}", "is not a pyperf file"),
        (('{"version": "1.0", "benchmarks": [{"metadata": {"name": "x"}, "runs": '
         '[{"values": [1.0]}]}]}'), "not one of `python -m cngaes bench`"),
    ],
)  # fmt: skip
def test_files_that_are_not_ours(
    text: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert why in refused([str(path)], capsys)


def test_a_file_cut_short(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cut.json"
    path.write_text(written.read_text()[:-100])
    assert "is not a pyperf file" in refused([str(path)], capsys)


def test_an_older_schema(written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(written.read_text())
    data["metadata"]["cngaes_schema"] = 1
    path = tmp_path / "old.json"
    path.write_text(json.dumps(data))
    assert "written by an older version (schema 1" in refused([str(path)], capsys)


def test_no_such_file_and_no_such_case(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "missing.json" in refused(["missing.json"], capsys)
    text = refused([str(written), "--case", "aes-256-gcm/encrypt/1MiB"], capsys)
    assert f"it has {CASE}" in text
    assert "unknown case" in refused(["--case", "rsa"], capsys)
    assert "--rounds is 1 or more" in refused(["--case", CASE, "--rounds", "0"], capsys)


def test_a_file_without_layers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "flat.json"
    data = measurement(result("sha256/hash/1KiB/hashlib/new", 1.0, events=Events(extension=2)))
    results.write(data, path)
    assert "nothing to take apart" in refused([str(path)], capsys)


def test_a_path_without_probes_says_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bare.json"
    one = Events(foreign=1, arguments=10)
    results.write(
        measurement(
            result(f"{CASE}/kernel/into", 100.0, events=Events()),
            result(f"{CASE}/cpu-ctypes/into", 2000.0, events=one),
        ),
        path,
    )
    text = said([str(path)], capsys)
    assert "## Not explained" in text
    assert f"| {CASE}/cpu-ctypes/into | foreign-call |" in text


def test_the_articles_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(["--article"], capsys)
    assert "| AES-256-GCM | 138.7 | 20.8 | 118 | 3,598 | - |" in text
    assert "What it does not show" in text
    assert "passes at" not in text  # no price of a page: nothing was measured here
    assert [round(gap.ms) for gap in gaps()] == [125, 183, 118, 32]


def test_the_articles_gap_in_pages_of_this_machine() -> None:
    data = measurement(probes=[probe("zeroed/128MiB", 1000.0), probe("copied/128MiB", 1400.0)])
    assert page_price(data) == pytest.approx(1200.0)
    (section,) = article_sections(data)
    assert section.table is not None
    assert [row[-1] for row in section.table.rows] == ["3.2", "4.7", "3.0", "0.8"]
    assert any("arithmetic, not evidence" in note for note in notes(1200.0))
    assert page_price(measurement()) is None
