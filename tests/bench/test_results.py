"""The JSON: a pyperf suite that pyperf's own tools read, and that reads back as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pyperf
import pytest

from bench_fakes import SMALL, measure, sha256
from cngaes_bench import results
from cngaes_bench.explanation import Explanation, Verdict
from cngaes_bench.measurement import Missing, ProbeSeries, Value
from cngaes_bench.runner import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from cngaes_bench.measurement import Measurement


def something() -> Measurement:
    settings = Settings(rounds=4, min_time=0.0, seed=11)
    measurement = measure({"one": sha256, "two": sha256}, SMALL, settings, twins=True)
    measurement.machine = {"cpu": "a CPU", "os": "an OS"}
    measurement.command = "python -m cngaes bench"
    measurement.notes = ["note\nwith a line break"]
    measurement.lost = [Missing("x", "y")]
    values = [Value(1e-6 + i * 1e-9, 100, 0, i, i, {"page_faults": i}) for i in range(4)]
    measurement.probes = [ProbeSeries("fault", "first touch of a page", "page", values)]
    verdict = Verdict("buffers", "p", "o", "supported", "because")
    measurement.explanation = Explanation(verdicts=(verdict,))
    return measurement


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Measurement]:
    measurement = something()
    path = tmp_path_factory.mktemp("results") / "out.json"
    results.write(measurement, path)
    return path, measurement


@pytest.mark.parametrize(
    "command", [["stats"], ["hist"], ["dump"], ["metadata"], ["show"], ["compare_to", "--table"]]
)
def test_pyperf_reads_it(command: list[str], written: tuple[Path, Measurement]) -> None:
    path = str(written[0])
    files = [path, path] if command[0] == "compare_to" else [path]
    done = subprocess.run(
        [sys.executable, "-m", "pyperf", *command, *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if command[0] != "compare_to":
        assert "sha256/hash/1KiB/one/new" in done.stdout


def test_one_pyperf_run_holds_one_value_and_its_circumstances(
    written: tuple[Path, Measurement],
) -> None:
    suite = pyperf.BenchmarkSuite.load(str(written[0]))
    assert len(suite) == 3 + 1  # two paths, one A/A twin, one probe
    assert suite.get_benchmark("probe/fault").get_nrun() == 4
    for benchmark in suite.get_benchmarks()[:3]:
        runs = benchmark.get_runs()
        assert len(runs) == 4
        assert all(len(run.values) == 1 for run in runs)
        for number, run in enumerate(runs):
            metadata = run.get_metadata()
            assert metadata["cngaes_round"] == number
            assert metadata["cngaes_bytes"] == 1024
            assert metadata["cngaes_extra_page_faults"] >= 0
            assert metadata["load_avg_1min"] >= 0
            assert len(metadata["cngaes_sha256"]) == 64


def test_it_reads_back_as_it_was(written: tuple[Path, Measurement]) -> None:
    path, measurement = written
    assert results.read(path) == measurement


def test_what_is_not_ours_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    foreign = {"metadata": {"name": "x"}, "runs": [{"values": [1.0]}]}
    old = {"metadata": {"name": "x", "cngaes_schema": 1}, "runs": [{"values": [1.0]}]}
    for text, why in (
        ("", "not a pyperf file"),
        ("{}", "not a pyperf file"),
        (
            json.dumps({"version": "1.0", "benchmarks": [foreign]}),
            "not one of `python -m cngaes bench`",
        ),
        (json.dumps({"version": "1.0", "benchmarks": [old]}), "older version .schema 1"),
    ):
        path.write_text(text)
        with pytest.raises(results.NotOursError, match=why):
            results.read(path)
    with pytest.raises(results.NotOursError, match="not a pyperf file"):
        results.read(tmp_path / "missing.json")


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.99])
def test_a_file_cut_short_is_refused(
    cut: float, tmp_path: Path, written: tuple[Path, Measurement]
) -> None:
    text = written[0].read_text()
    path = tmp_path / "cut.json"
    path.write_text(text[: int(len(text) * cut)])
    with pytest.raises(results.NotOursError):
        results.read(path)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("cngaes_header", "{}", "header"),
        ("cngaes_explanation", "{}", "explanation is not of schema"),
        ("cngaes_sha256", None, "sha256/hash/1KiB/one/new: it has no cngaes_sha256"),
    ],
)
def test_broken_metadata_is_refused(
    name: str, text: str | None, why: str, tmp_path: Path, written: tuple[Path, Measurement]
) -> None:
    data = json.loads(written[0].read_text())
    for metadata in (data["metadata"], *(each["metadata"] for each in data["benchmarks"])):
        if name in metadata:
            metadata[name] = text
            if text is None:
                del metadata[name]
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(data))
    with pytest.raises(results.NotOursError, match=why):
        results.read(path)


def test_an_existing_file_is_not_replaced_unasked(written: tuple[Path, Measurement]) -> None:
    path, measurement = written
    with pytest.raises(OSError, match="exists"):
        results.write(measurement, path)
    results.write(measurement, path, force=True)
