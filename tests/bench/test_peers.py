"""Peers in other processes: a good one is a path like any other, a bad one loses its cells only."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

import fake_peer
from bench_fakes import SMALL, fake, sha256
from cngaes.backends import windows_info
from cngaes_bench.buffers import memory_needed
from cngaes_bench.cases import Case, UnknownNameError
from cngaes_bench.cells import Cell
from cngaes_bench.options import parse
from cngaes_bench.paths import REGISTRY
from cngaes_bench.paths.base import PathDiedError
from cngaes_bench.peers import registry
from cngaes_bench.peers.path import Peer
from cngaes_bench.peers.process import PeerError, PeerProcess
from cngaes_bench.peers.registry import PROGRAMS, AbsentError, Program
from cngaes_bench.peers.session import Peers
from cngaes_bench.planner import Selection
from cngaes_bench.runner import Runner, Settings

if TYPE_CHECKING:
    from pathlib import Path

    from cngaes_bench.measurement import Measurement

FAKE = [sys.executable, "-I", "-S", fake_peer.__file__]
SERVE = [sys.executable, "-m", "cngaes_bench.peers.serve"]
PATIENCE = 20.0 if "CI" in os.environ else 10.0
GOOD = ("none", "never")


@pytest.fixture(autouse=True)
def python_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake peers import what this process imports."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))


def measure_beside(
    fault: str, moment: str, *more: str, patience: float = PATIENCE, rounds: int = 3
) -> Measurement:
    """Measure a fake peer beside a good path of this process."""
    with Peers(patience) as peers:
        peers.start_commands([("fake peer", [*FAKE, fault, moment, *more], None)])
        paths = {"good": fake("good", sha256), **peers.registry}
        settings = Settings(rounds=rounds, min_time=0.0005, seed=1)
        selection = Selection(SMALL, tuple(paths), twins=False)
        measurement = Runner(settings, registry=paths).measure(selection)
        measurement.lost += peers.lost
    return measurement


def gone(pid: int) -> bool:
    """Whether a process has ended; it may take a moment."""
    for _ in range(100):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def test_a_good_peer_is_measured_in_the_same_rounds() -> None:
    measurement = measure_beside(*GOOD)
    assert measurement.lost == []
    here, there = measurement.results
    assert (here.cell.path, there.cell.path) == ("good", "fake")
    assert here.fingerprint == there.fingerprint
    assert [v.moment for v in here.values] == [v.moment for v in there.values]
    assert {v.position for v in there.values} <= {0, 1}
    assert there.version
    assert there.details["statement"]
    for value in there.values:
        assert value.seconds * value.loops >= 0.0005
        assert {"rest", "protocol_ns", "load_avg_1min"} <= set(value.extras)
    assert measurement.checked_after


RUBBISH_AT = {
    "hello": ("prose", "nothing", "no-name", "no-paths", "bad-path"),
    "prepare": ("number", "nothing", "short-hex", "text-ok"),
    "run": (
        "list", "half", "empty", "nothing", "binary", "nested", "true-ns", "negative-ns",
        "fraction-ns", "huge-ns", "bad-extras", "list-extras", "infinite-extras",
    ),
    "verify": ("prose", "nothing", "short-hex"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("moment", "fault"), [(at, fault) for at, faults in RUBBISH_AT.items() for fault in faults]
)
def test_rubbish_loses_the_peer_and_the_run_goes_on(moment: str, fault: str) -> None:
    assert_lost(measure_beside(fault, moment), "fake peer answered rubbish")


@pytest.mark.parametrize("moment", ["hello", "prepare", "run", "verify"])
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("die", "fake peer ended with status 1: out of luck"),
        ("crash", "fake peer was ended by SIGABRT"),
        ("close", "fake peer closed its output"),
        ("endless", "answered rubbish"),
        ("error", "no luck today"),
    ],
)
def test_a_peer_that_fails_loses_its_cells(moment: str, fault: str, why: str) -> None:
    if fault == "crash" and sys.platform == "win32":
        why = "fake peer ended with status"
    assert_lost(measure_beside(fault, moment), why)


@pytest.mark.parametrize("moment", ["hello", "prepare", "run", "verify"])
def test_a_peer_that_hangs_loses_its_cells_in_time(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cngaes_bench.peers.path._STARTING", 4.0)
    pids = tmp_path / "pids"
    start = time.perf_counter()
    measurement = measure_beside("hang", moment, str(pids), patience=1.0)
    assert time.perf_counter() - start < 20
    assert_lost(measurement, "fake peer did not answer within")
    assert all(gone(int(pid)) for pid in pids.read_text("ascii").split())


@pytest.mark.parametrize("field", ["first8", "last16", "sha256"])
@pytest.mark.parametrize("moment", ["prepare", "verify"])
def test_a_wrong_output_loses_the_cell(moment: str, field: str) -> None:
    assert_lost(measure_beside(f"wrong-{field}", moment), f"wrong output: {field} of the output")


def test_a_peer_that_speaks_unasked_loses_its_cells() -> None:
    assert_lost(measure_beside("twice", "run", rounds=5), "fake peer spoke without being asked")


def assert_lost(measurement: Measurement, why: str) -> None:
    """The peer has no values and a reason; the path beside it has all of its rounds."""
    assert [each.name.split("/")[-2:] for each in measurement.lost] in (
        [["fake", "new"]],
        [["fake peer"]],
    )
    assert why in measurement.lost[0].why
    kept = {result.cell.path: len(result.values) for result in measurement.results}
    assert kept.pop("good") == measurement.rounds
    assert measurement.rounds >= 3
    assert measurement.checked_after


def test_one_cell_that_fails_leaves_the_others_of_its_peer() -> None:
    chosen = (*SMALL, Case("aes-256-gcm", "encrypt", 64))
    with Peers(PATIENCE) as peers:
        peers.start_commands([("fake peer", [*FAKE, *GOOD], None)])
        selection = Selection(chosen, ("fake",), ("new", "inplace"), twins=False)
        runner = Runner(Settings(rounds=1, min_time=0.0), registry=peers.registry)
        measurement = runner.measure(selection)
    assert [r.cell.way for r in measurement.results] == ["fake/new"]
    assert {each.why for each in measurement.unsupported} == {
        "no sha256 inplace",
        "no aes-256-gcm new",
        "no aes-256-gcm inplace",
    }


def test_the_end_of_a_measurement_is_the_end_of_its_peers(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    measure_beside(*GOOD, str(pids))
    assert all(gone(int(pid)) for pid in pids.read_text("ascii").split())


def test_a_peer_that_ignores_quit_is_made_to_go(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    process = PeerProcess("stubborn", [*FAKE, "hang", "quit", str(pids)])
    process.ask({"hello": 1}, PATIENCE)
    process.close()
    assert all(gone(int(pid)) for pid in pids.read_text("ascii").split())
    with pytest.raises(PathDiedError, match="stubborn was closed"):
        process.send({"hello": 1})


CTRL_C = """\
import sys
from cngaes_bench.peers.session import Peers
from cngaes_bench.peers import path
with Peers() as peers:
    peers.start_commands([("fake peer", sys.argv[1:], None)])
    [name] = peers.registry
    from cngaes_bench.cases import Case
    from cngaes_bench.cells import Cell
    session = peers.registry[name](None, None)
    session.prepare(Cell(Case("sha256", "hash", 64), name, "new"))
    session.run(1)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_no_process_outlives_the_benchmark(how: str, tmp_path: Path) -> None:
    if how == "SIGKILL" and sys.platform != "linux":
        pytest.skip("only Linux ends a hanging child of a killed process")
    pids = tmp_path / "pids"
    bench = subprocess.Popen(
        [sys.executable, "-c", CTRL_C, *FAKE, "hang", "run", str(pids)],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    for _ in range(400):
        if pids.exists() and pids.read_text("ascii"):
            break
        time.sleep(0.05)
    time.sleep(0.5)  # into the middle of the question that is never answered
    peer, child = map(int, pids.read_text("ascii").split())
    bench.send_signal(getattr(signal, how))
    assert bench.wait(20) != 0
    assert gone(peer)
    if how == "SIGINT":
        assert gone(child)
    else:
        psutil.Process(child).kill()


@pytest.mark.skipif(sys.platform != "win32", reason="job objects are Windows'")
def test_windows_ends_the_peers_of_a_killed_benchmark(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    bench = subprocess.Popen([sys.executable, "-c", CTRL_C, *FAKE, "hang", "run", str(pids)])
    while not pids.exists() or not pids.read_text("ascii"):
        time.sleep(0.05)
    bench.kill()
    bench.wait(20)
    assert all(gone(int(pid)) for pid in pids.read_text("ascii").split())


def test_a_program_that_cannot_be_started_is_lost() -> None:
    with Peers() as peers:
        peers.start_commands([("nobody", ["no-such-program-anywhere"], None)])
    [lost] = peers.lost
    assert lost.name == "nobody"
    assert "no-such-program-anywhere" in lost.why


def test_two_peers_cannot_offer_the_same_path() -> None:
    with Peers(PATIENCE) as peers:
        command = [*FAKE, *GOOD]
        peers.start_commands([("one", command, None), ("two", command, None)])
        assert list(peers.registry) == ["fake"]
    assert peers.lost[0].why == "two and another peer both offer it"


def test_errors_are_told_and_forgiven() -> None:
    process = PeerProcess("python", [*SERVE, "hashlib"])
    try:
        with pytest.raises(PeerError, match="run or verify before prepare"):
            process.ask({"run": 1}, PATIENCE)
        assert process.ask({"hello": 1}, PATIENCE)["paths"] == ["hashlib/new"]
    finally:
        process.close()


@pytest.mark.skipif(bool(windows_info()["wine_version"]), reason="Wine's pipes cost more")
def test_the_pipe_costs_less_than_one_percent_of_a_value() -> None:
    """Processor time of both ends for a question and its answer; a value takes 20 ms by default.

    Elapsed time would measure what else the machine does; it stands in every value's extras.
    """
    questions = 1000
    process = PeerProcess("fake peer", [*FAKE, *GOOD])
    try:
        peer = Peer(process)
        peer.greet()
        [name] = peer.hello()
        cell = Cell(SMALL[0], name, "new")
        peer.select(cell)
        there, here = psutil.Process(process.pid), time.process_time()
        before = there.cpu_times()
        inside = sum(peer.run(cell, 1).ns for _ in range(questions)) / 1e9
        after = there.cpu_times()
        here = time.process_time() - here
    finally:
        process.close()
    spent = here + after.user - before.user + after.system - before.system - inside
    assert spent / questions < 0.01 * Settings().min_time


def test_the_same_work_takes_the_same_time_behind_a_pipe() -> None:
    """The best of many values: another program makes some slow, and none fast."""
    ratio, here, there = math.inf, math.inf, math.inf
    for _ in range(10):
        values = measure_behind_a_pipe()
        here, there = min(here, *values["hashlib"]), min(there, *values["hashlib-served"])
        ratio = there / here
        if 0.5 < ratio < 2:
            break
    assert 0.5 < ratio < 2


def measure_behind_a_pipe() -> dict[str, list[float]]:
    with Peers(PATIENCE) as peers:
        peers.start_commands([("served", [*SERVE, "hashlib", "--suffix=-served"], None)])
        paths = {"hashlib": REGISTRY["hashlib"], **peers.registry}
        settings = Settings(rounds=9, min_time=0.005, seed=1)
        chosen = (Case("sha256", "hash", 1 << 16),)
        selection = Selection(chosen, tuple(paths), twins=False)
        measurement = Runner(settings, registry=paths).measure(selection)
    assert measurement.lost + peers.lost == []
    there = measurement.results[1]
    assert all(value.extras["protocol_ns"] for value in there.values)
    return {result.cell.path: list(result.seconds) for result in measurement.results}


def make_program(name: str = "thing", **more: str) -> Program:
    return Program(name, (name,), "thing/peer", **more)  # type: ignore[arg-type]


def test_an_absent_peer_names_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CNGAES_PEERS", str(tmp_path))
    with pytest.raises(AbsentError, match=r"^not built here: tools/peers.sh thing$"):
        make_program().find()
    needy = make_program("thing-two", runs_with="no-such-tool", apt="a-package")
    with pytest.raises(
        AbsentError,
        match=r"^no no-such-tool here: apt-get install a-package, then tools/peers.sh thing$",
    ):
        needy.find()
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing" / "peer").touch()
    assert make_program().find() == [str(tmp_path / "thing" / "peer")]
    monkeypatch.setenv(needy.variable, "other --with 'two words'")
    assert needy.variable == "CNGAES_PEER_THING_TWO"
    if sys.platform != "win32":
        assert needy.find() == ["other", "--with", "two words"]


def test_every_absent_peer_is_one_visible_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CNGAES_PEERS", str(tmp_path))
    for program in PROGRAMS:
        monkeypatch.delenv(program.variable, raising=False)
    with Peers() as peers:
        peers.start(PROGRAMS)
    assert [each.name for each in peers.absent] == [program.name for program in PROGRAMS]
    assert all("tools/peers.sh " in each.why for each in peers.absent)
    assert peers.lost == []


def test_peers_are_started_when_they_are_asked_for() -> None:
    assert parse([]).peers == ()
    assert parse(["--peers"]).peers == PROGRAMS
    assert parse(["--peers"]).peer_paths is None
    plan = parse(["--path", "cpu", "rustcrypto"])
    assert [program.name for program in plan.peers] == ["rust"]
    assert plan.with_paths(["rust-ring", "rustcrypto"]).selection.paths == ("cpu", "rustcrypto")
    plan = parse(["--peers", "go", "--path", "cpu"])
    assert plan.with_paths(["go"]).selection.paths == ("cpu", "go")
    with pytest.raises(UnknownNameError, match="unknown peer 'cobol'; known: dotnet, go"):
        parse(["--peers", "cobol"])


def test_names_of_paths_are_unique() -> None:
    names = [path for program in PROGRAMS for path in program.paths]
    assert len(set(names)) == len(names)
    assert not set(names) & set(REGISTRY)
    assert set(registry.PATHS) == set(names)


def test_memory_is_counted_for_each_process() -> None:
    size = 1 << 27
    cells = [Cell(Case("aes-256-gcm", "encrypt", size), path, "into") for path in ("a", "b")]
    alone = memory_needed(size, cells)
    assert memory_needed(size, cells, {"a": "", "b": "one"}) == alone + 2 * size
    assert memory_needed(size, cells, {"a": "one", "b": "one"}) == alone + size
