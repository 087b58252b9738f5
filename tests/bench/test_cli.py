"""The command line: what it refuses before measuring, and what it leaves behind."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cngaes_bench import article, bench, extras, options
from cngaes_bench.cli import main
from cngaes_bench.pace import Budget
from cngaes_bench.results import read
from cngaes_bench.targets import TargetError, check_targets

SHORT = [
    "--case",
    "aes-256-gcm/encrypt/1KiB",
    "sha256/hash/1KiB",
    "--path",
    "cryptography",
    "hashlib",
]
FAST = ["--rounds", "3", "--min-time", "0.5"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    return captured.err


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (["--path", "cpu", "gpu"], "known: kernel, cng-kernel, cpu, cng"),
        (["--suite", "all"], "known: aead, ciphers, hashes, perl, layers"),
        (["--case", "aes-256-xts/encrypt/1KiB"], "known: aes-128-gcm/encrypt"),
        (["--case", "rsa"], "known: aes-128-gcm/encrypt"),
        (["--placement", "onto"], "known: into, new, inplace, typical"),
        (["--key", "fresh"], "known: reused, per-call"),
    ],
)
def test_unknown_names_list_the_known_ones(
    arguments: list[str], known: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = refused(arguments, capsys)
    assert f"unknown {arguments[0][2:]} {arguments[-1]!r}" in text
    assert known in text


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--size", "1kb"], "bad size '1kb'"),
        (["--size", "1KiB"], "whole MiB"),
        (["--case", "aes-256-gcm/encrypt"], "has no size"),
        (["--case", "sha256/hash/1KiB/cpu"], "bad case"),
        (["--rounds", "0"], "--rounds is 1 or more"),
        (["--runs", "0"], "--runs is 1 or more"),
        (["--min-time", "0"], "--min-time"),
        (["--threads", "0"], "--threads is 1 or more"),
        (["--budget", "0"], "--budget is 1 or more"),
    ],
)
def test_wishes_that_make_no_sense(
    arguments: list[str], why: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert why in refused(arguments, capsys)


def test_an_existing_file_is_refused_before_measuring(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("out.json").write_text("mine")
    assert "--force" in refused([*SHORT, "-o", "out.json"], capsys)
    assert Path("out.json").read_text() == "mine"
    assert main([*SHORT, *FAST, "-o", "out.json", "--force"]) == 0
    assert len(read(Path("out.json")).results) == 4 + 2  # and an A/A twin a case


def test_folders_that_cannot_be_written_are_refused_before_measuring(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "there is no folder" in refused([*SHORT, "-o", "nowhere/out.json"], capsys)
    assert "is a folder" in refused([*SHORT, "-o", "."], capsys)
    assert "named twice" in refused([*SHORT, "-o", "x", "--csv", "./x"], capsys)

    def read_only(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", read_only)
    text = refused([*SHORT], capsys)
    assert "Read-only file system" in text
    assert "-o FILE.json" in text


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc, where nobody can make files")
def test_a_folder_that_takes_no_files_is_refused() -> None:
    with pytest.raises(TargetError, match="cannot write into /proc"):
        check_targets([Path("/proc/out.json")], force=False)


def test_no_room_is_an_error_that_offers_a_smaller_input(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cngaes_bench.buffers.free_memory", lambda: 300 << 20)
    text = refused(["--rounds", "3"], capsys)
    assert "MiB are free" in text
    assert re.search(r"try --size \d+MiB", text)


def test_missing_extras_give_the_command(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(extras._NEEDED, "a-missing-one", "no_such_module")
    text = refused([], capsys)
    assert "a-missing-one" in text
    assert 'python -m pip install "cngaes[bench]"' in text


def test_extras_are_asked_for_before_anything_needs_them() -> None:
    code = (
        "import sys\n"
        "for name in ('pyperf', 'psutil', 'cryptography', 'Cryptodome', 'rich'):\n"
        "    sys.modules[name] = None\n"
        "from importlib.util import find_spec\n"
        "import importlib.util as util\n"
        "util.find_spec = lambda name: None\n"
        "from cngaes_bench.cli import main\n"
        "sys.exit(main([]))\n"
    )
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 2, done.stderr
    assert 'pip install "cngaes[bench]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_a_short_run_leaves_json_markdown_csv_and_html(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["-o", "o.json", "--md", "o.md", "--csv", "o.csv", "--html", "o.html"]
    assert main([*SHORT, *FAST, *files, "--seed", "5"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""  # no progress where there is no terminal
    assert "\x1b" not in printed.out
    assert "| cryptography/into |" in printed.out
    assert "Noise floor" in printed.out
    measurement = read(Path("o.json"))
    assert measurement.seed == 5
    assert measurement.command.startswith("python -m cngaes bench --case aes-256-gcm")
    assert measurement.machine["cpu"]
    with Path("o.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(measurement.results)
    assert all(float(r["min_s"]) <= float(r["median_s"]) <= float(r["max_s"]) for r in rows)
    assert Path("o.md").read_text() in printed.out
    html = Path("o.html").read_text()
    assert html.startswith("<!DOCTYPE html>")
    assert not re.search(r"https?:|src=", html)


def test_without_files_named_a_run_leaves_json_and_html(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SHORT, *FAST]) == 0
    assert sorted(path.suffix for path in here.iterdir()) == [".html", ".json"]
    assert "written: cngaes-bench-" in capsys.readouterr().out


def test_ctrl_c_writes_what_is_there(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import cngaes_bench.runner as runner

    original, calls = runner.Runner._take_round, iter(range(100))

    def interrupted(self: runner.Runner, run: int, number: int, *, last: bool) -> None:
        if next(calls) == 2:
            raise KeyboardInterrupt
        original(self, run, number, last=last)

    monkeypatch.setattr(runner.Runner, "_take_round", interrupted)
    assert main([*SHORT, *FAST, "-o", "o.json"]) == 130
    measurement = read(Path("o.json"))
    assert measurement.interrupted
    assert {len(r.values) for r in measurement.results} == {2}
    assert "Interrupted" in capsys.readouterr().out


def test_nothing_to_measure_says_why(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(["--case", "aes-128-ecb/encrypt/1KiB", "--path", "hashlib"], capsys)
    assert "hashlib has no ciphers" in text


def test_defaults_are_the_articles() -> None:
    plan = options.parse([])
    assert plan.selection.cases == article.article_cases()
    assert [case.name for case in plan.selection.cases][2] == "aes-256-gcm/encrypt/128MiB"
    assert (plan.rounds, plan.runs, plan.min_time, plan.budget) == (9, 1, 0.02, 120.0)
    assert plan.shrinkable
    quick = options.parse(["--quick"])
    assert (quick.rounds, quick.budget) == (5, 20.0)
    sized = options.parse(["--size", "64MiB", "--rounds", "4"])
    assert not sized.shrinkable
    assert sized.budget is None


def test_suites_take_other_sizes() -> None:
    plan = options.parse(["--suite", "hashes", "aead", "--size", "2KiB"])
    assert {case.size for case in plan.selection.cases} == {2048}
    assert len(plan.selection.cases) == 1 + 4


def test_a_slow_machine_gets_a_smaller_input(monkeypatch: pytest.MonkeyPatch) -> None:
    from cngaes_bench.buffers import Buffers
    from cngaes_bench.paths import REGISTRY
    from cngaes_bench.progress import Silent
    from cngaes_bench.workload import Workload

    plan = options.parse(["--path", "hashlib", "cryptography"])
    monkeypatch.setattr(bench, "seconds_needed", lambda _, size, __: size / (1 << 20) * 2.0)
    budget = Budget(100.0, 0.0, lambda: 0.0)
    kit = bench._Kit(Workload(), Buffers(), REGISTRY, Silent())
    smaller, notes = bench._fitted(plan, budget, kit)
    assert {case.size for case in smaller.selection.cases} == {32 << 20}
    assert "32MiB instead of 128MiB" in notes[0]
