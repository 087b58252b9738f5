"""The pyperf scripts run under pyperf, with backend and kernel carried to its workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyperf
import pytest

SUITES = Path(__file__).parents[2] / "bench" / "suites"
ONE_VALUE = ["--debug-single-value", "--quiet"]


def run(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.run(
        [sys.executable, str(SUITES / script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("aead.py", "aes-256-gcm/decrypt/1KiB/cpu/into"),
        ("ciphers.py", "aes-128-ecb/encrypt/1KiB/cpu/into"),
        ("hashes.py", "sha256/hash/1KiB/cpu/new"),
        ("layers.py", "aes-256-gcm/decrypt/1KiB/cpu/into"),
        ("calls.py", "aes-256-ctr/encrypt/1KiB/cpu/into/per-call"),
    ],
)
def test_every_script_is_a_pyperf_script(script: str, name: str, tmp_path: Path) -> None:
    out = tmp_path / "x.json"
    algorithm, placement = name.split("/")[0], name.split("/")[4]
    chosen = ["--algorithm", algorithm, "--placement", placement, "--size", "1KiB", "--path", "cpu"]
    done = run(script, *ONE_VALUE, "-o", str(out), *chosen)
    assert done.returncode == 0, done.stderr
    suite = pyperf.BenchmarkSuite.load(str(out))
    assert name in suite.get_benchmark_names()
    metadata = suite.get_benchmark(name).get_metadata()
    assert metadata["cngaes_bytes"] == 1024
    assert metadata["cngaes_backend"] == "cpu"


def test_a_kernel_reaches_the_workers_by_argument(tmp_path: Path) -> None:
    out = tmp_path / "x.json"
    chosen = ["--size", "64B", "--path", "cpu", "--kernel", "sha256=generic", "-o", str(out)]
    done = run("hashes.py", "-p1", "-n1", "-w0", "-l8", "--quiet", *chosen)
    assert done.returncode == 0, done.stderr
    [benchmark] = pyperf.BenchmarkSuite.load(str(out)).get_benchmarks()
    assert benchmark.get_metadata()["cngaes_kernel"] == "generic"


def test_a_kernel_named_in_the_environment_travels_too(tmp_path: Path) -> None:
    out = tmp_path / "x.json"
    chosen = ["--size", "64B", "--path", "cpu", "-o", str(out)]
    done = run("hashes.py", *ONE_VALUE, *chosen, CNGAES_KERNEL="sha256=generic")
    assert done.returncode == 0, done.stderr
    [benchmark] = pyperf.BenchmarkSuite.load(str(out)).get_benchmarks()
    assert benchmark.get_metadata()["cngaes_kernel"] == "generic"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--path", "gpu"], "known: kernel, cng-kernel, cpu"),
        (["--size", "1kb"], "bad size"),
        (["--kernel", "z80"], "z80"),
    ],
)
def test_bad_options(arguments: list[str], why: str) -> None:
    done = run("hashes.py", *ONE_VALUE, *arguments)
    assert done.returncode != 0
    assert why in done.stderr
