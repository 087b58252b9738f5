"""`bench --against WHEEL`: two builds in the same rounds, and what counts as slower."""

from __future__ import annotations

import json
import subprocess
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import cngaes
from cngaes_bench import against, results
from cngaes_bench.against import Builds, NoPairError, WheelError, check_pairs, check_wheel
from cngaes_bench.cli import main
from cngaes_bench.measurement import Measurement, Missing
from report_pages import made

PACKAGE = Path(cngaes.__file__).resolve().parent
CASE = "aes-256-gcm/encrypt/16KiB"
SHORT = ["--case", CASE, "--placement", "into", "--rounds", "5", "--min-time", "2"]
SPIN = """
from time import perf_counter as _clock

class AESGCM:
    def __init__(self, key, **options):
        self._cipher = _core.AESGCM(key, **options)
        self.backend, self.kernel = self._cipher.backend, self._cipher.kernel

    def encrypt_into(self, *arguments):
        until = _clock() + 0.0005
        while _clock() < until:
            pass
        return self._cipher.encrypt_into(*arguments)
"""


def write_wheel(path: Path, changes: dict[str, str] | None = None) -> Path:
    """The package as it is now, with files replaced (or, by an empty text, left out)."""
    changes = changes or {}
    with zipfile.ZipFile(path, "w") as wheel:
        for file in sorted(PACKAGE.rglob("*")):
            name = f"cngaes/{file.relative_to(PACKAGE).as_posix()}"
            if file.is_file() and "__pycache__" not in name and name not in changes:
                wheel.write(file, name)
        for name, text in changes.items():
            if text:
                wheel.writestr(name, text)
        wheel.writestr("cngaes_bench/__init__.py", "raise ImportError('not the wheel\\'s suite')")
    return path


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return write_wheel(tmp_path / "cngaes-0.1.0-cp311-cp311-linux.whl")


def leftovers() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob("cngaes-against-*"))


# What counts as slower.


def builds(new: float = 1.0, twin: float = 1.0, old: float = 1.0, rounds: int = 5) -> Measurement:
    times = {"build/into": new, "build-again/into": twin, "build-old/into": old}
    return made({way: 0.001 * factor for way, factor in times.items()}, rounds=rounds)


@pytest.mark.parametrize(
    ("factors", "verdict"),
    [
        ({}, "within noise"),
        ({"new": 1.1}, "within noise"),  # the twin is not as slow: so it is not the build
        ({"new": 1.1, "twin": 1.1}, "slower"),
        ({"new": 1.1, "twin": 1.04}, "slower"),
        ({"new": 1.1, "twin": 1.25}, "within noise"),
        ({"old": 1.1}, "faster"),
        ({"new": 1.1, "twin": 1.1, "rounds": 1}, "one round"),
    ],
)
def test_slower_is_what_is_so_by_more_than_the_noise_floor(
    factors: dict[str, float], verdict: str
) -> None:
    [pair] = against.pairs(builds(**factors))  # type: ignore[arg-type]
    assert pair.comparison.verdict == verdict
    assert bool(against.suspects(builds(**factors))) == (verdict == "slower")  # type: ignore[arg-type]


def test_a_second_measurement_must_agree() -> None:
    first, second = builds(new=1.1, twin=1.1), builds()
    against.add_run(first, second)
    assert first.runs == 2
    assert {value.run for result in first.results for value in result.values} == {0, 1}
    assert not against.suspects(first)
    first = builds(new=1.1, twin=1.1)
    against.add_run(first, builds(new=1.1, twin=1.1))
    assert [cell.name for cell in against.suspects(first)] == [
        "aes-256-gcm/encrypt/1MiB/build/into"
    ]


def test_the_section_names_the_wheel_and_its_way_of_judging() -> None:
    section = against.against_section(builds(new=1.1, twin=1.1), Path("x/old.whl"), 1)
    assert section.title == "Against old.whl"
    assert section.table is not None
    [row] = section.table.rows
    assert row[-1] == "slower"
    assert "third process" in section.notes[0]
    assert "1 cells looked slower" in section.notes[1]


def test_no_pair_is_an_error_with_the_reasons() -> None:
    measurement = builds()
    measurement.results = [r for r in measurement.results if r.cell.path == against.NEW]
    measurement.lost = [Missing("build-old", "it died")]
    with pytest.raises(NoPairError, match="build-old: it died"):
        check_pairs(measurement)


# Wheels.


@pytest.mark.parametrize("kind", ["missing", "text", "cut", "foreign", "tag"])
def test_what_is_no_wheel_of_ours_is_refused_before_measuring(
    kind: str, wheel: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cngaes_bench.bench.measure", lambda *_: pytest.fail("measured"))
    bad = wheel.with_name("bad.whl")
    if kind == "text":
        bad.write_text("not a wheel")
    elif kind == "cut":
        bad.write_bytes(wheel.read_bytes()[:-4000])
    elif kind in ("foreign", "tag"):
        name = "numpy/core.py" if kind == "foreign" else "cngaes/_core.cp399-win_amd64.pyd"
        with zipfile.ZipFile(bad, "w") as archive:
            archive.writestr(name, "")
            archive.writestr("cngaes/_core.pyi", "")
    assert main([*SHORT, "--against", str(bad), "-o", "out.json"]) == 2
    error = capsys.readouterr().err
    assert f"--against {bad}" in error
    reasons = {"foreign": "none of cngaes", "tag": "it has _core.cp399-win_amd64.pyd; this Python"}
    assert reasons.get(kind, "not a wheel") in error
    assert not leftovers()


def test_damage_inside_is_noticed(wheel: Path) -> None:
    data = bytearray(wheel.read_bytes())
    at = data.index(b"__init__.py") + 400
    data[at] ^= 1
    wheel.write_bytes(data)
    with pytest.raises(WheelError, match=r"damaged|not a wheel"):
        check_wheel(wheel)


def test_only_the_package_is_unpacked_and_nothing_stays(wheel: Path) -> None:
    with Builds(wheel) as programs:
        [folder] = leftovers()
        assert [entry.name for entry in folder.iterdir()] == ["cngaes"]
        assert [name for name, _, _ in programs.commands] == ["build-old", "build", "build-again"]
    assert not leftovers()


# The program.


def test_the_program_answers_as_a_peer(wheel: Path) -> None:
    question = {"case": CASE, "path": "x", "placement": "new", "key": "reused", "threads": 1}
    questions = [
        {"verify": 1},
        {"hello": 1},
        {"prepare": question},
        {"run": 3},
        {"verify": 1},
        {"prepare": {**question, "placement": "typical"}},
        {"run": "x"},
        {"quit": 1},
        {"hello": 1},
    ]
    with Builds(wheel) as programs:
        command = programs.commands[0][1]
        done = subprocess.run(
            command,
            input="".join(json.dumps(each) + "\n" for each in questions),
            capture_output=True,
            text=True,
            check=True,
        )
        folder = leftovers()[0]
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert str(folder) in command
    assert len(answers) == 7  # nothing after quit
    nothing, hello, prepared, run, verified, unsupported, wrong = answers
    assert nothing == {"error": "nothing was prepared"}
    assert hello["paths"] == ["build-old/into", "build-old/new", "build-old/inplace"]
    assert hello["version"] == cngaes.__version__
    assert prepared["ok"] == verified["ok"]
    assert run["ns"] > 0
    assert run["extras"]["page_faults"] >= 0
    assert "no placement typical" in unsupported["unsupported"]
    assert "error" in wrong


# The whole command.


def test_the_same_build_is_no_regression(wheel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SHORT, "--against", str(wheel), "-o", "out.json", "--html", "o.html"]) == 0
    text = capsys.readouterr().out
    assert f"## Against {wheel.name}" in text
    paths = {result.cell.path for result in results.read(Path("out.json")).results}
    assert paths == {"build", "build-again", "build-old"}
    assert f"Against {wheel.name}" in Path("o.html").read_text(encoding="utf-8")
    assert not leftovers()


def test_a_slower_build_ends_with_status_3(
    wheel: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = wheel.with_name("slow")
    init = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    against.unpack(
        write_wheel(
            wheel.with_name("slow.whl"),
            {"cngaes/__init__.py": f"{init}\nfrom cngaes import _core\n{SPIN}"},
        ),
        slow,
    )
    monkeypatch.setattr(against, "current_folder", lambda: str(slow))
    assert main([*SHORT, "--against", str(wheel), "-o", "out.json"]) == 3
    captured = capsys.readouterr()
    assert f"REGRESSION: {CASE}/build/into" in captured.err
    assert "1 cells looked slower and were measured again" in captured.out
    assert results.read(Path("out.json")).runs == 2


def test_an_older_package_without_what_is_needed_is_named(
    wheel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = write_wheel(wheel.with_name("old.whl"), {"cngaes/__init__.py": "__version__ = '0.0.1'\n"})
    assert main([*SHORT, "--against", str(old), "-o", "out.json"]) == 2
    error = capsys.readouterr().err
    assert "nothing to compare the builds by" in error
    assert "build-old: module 'cngaes' has no attribute 'available_backends'" in error


def test_other_paths_join_when_they_are_named(wheel: Path) -> None:
    arguments = ["--path", "cryptography", "--against", str(wheel), "-o", "out.json"]
    assert main([*SHORT, *arguments]) in (0, 3)
    paths = {result.cell.path for result in results.read(Path("out.json")).results}
    assert paths == {"build", "build-again", "build-old", "cryptography"}


def test_a_cell_that_lost_its_twin_is_not_judged() -> None:
    measurement = builds(new=2.0)
    measurement.results = [replace(r) for r in measurement.results if r.cell.path != against.TWIN]
    assert not list(against.pairs(measurement))
