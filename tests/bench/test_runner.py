"""Rounds, loops, order, interruption, and what the runner itself costs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from bench_fakes import SMALL, Counted, FakePath, measure, sha256, sleeping
from cngaes_bench.buffers import Buffers, NoRoomError, check_room, memory_needed
from cngaes_bench.cases import Case, cases
from cngaes_bench.cells import Cell
from cngaes_bench.measurement import Measurement
from cngaes_bench.outputs import WrongOutputError
from cngaes_bench.pace import MIN_ROUNDS, Budget, seconds_needed
from cngaes_bench.paths import REGISTRY
from cngaes_bench.paths.base import Hello, Prepared, Sample
from cngaes_bench.planner import Selection, twins
from cngaes_bench.runner import Runner, Settings
from cngaes_bench.workload import Workload

if TYPE_CHECKING:
    from cngaes_bench.outputs import Fingerprint
    from cngaes_bench.paths import Open
    from cngaes_bench.workload import Material


def interrupt(case: Case, material: Material) -> bytes:
    raise KeyboardInterrupt


def test_every_path_runs_once_a_round_in_an_order_that_the_seed_fixes() -> None:
    works = {f"path{i}": sha256 for i in range(6)}

    def orders(seed: int) -> list[list[str]]:
        measurement = measure(works, settings=Settings(rounds=4, min_time=0.0, seed=seed))
        return [
            [
                r.cell.path
                for r in sorted(measurement.results, key=lambda r: r.values[number].position)
            ]
            for number in range(4)
        ]

    first = orders(7)
    assert first == orders(7)
    assert first != orders(8)
    assert len({tuple(order) for order in first}) > 1
    assert all(sorted(order) == sorted(works) for order in first)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_ctrl_c_in_a_round_keeps_the_rounds_before_it(number: int) -> None:
    # One call checks and warms up, then there is one a round.
    stop = Counted(sha256, 1 + number, interrupt)
    settings = Settings(rounds=9, min_time=0.0, seed=3)
    measurement = measure({"good": sha256, "stop": stop}, settings=settings)
    assert measurement.interrupted
    assert not measurement.checked_after
    assert measurement.rounds == number - 1
    kept = number - 1
    assert [len(r.values) for r in measurement.results] == ([kept, kept] if kept else [])


def test_values_are_long_enough() -> None:
    settings = Settings(rounds=5, min_time=0.003, seed=1)
    measurement = measure({"fast": sha256, "slow": sleeping(0.02)}, settings=settings)
    for result in measurement.results:
        for value in result.values:
            assert value.seconds * value.loops >= 0.003
            assert value.loops == 1 or result.cell.path == "fast"
    assert len(measurement.results) == 2


def test_every_value_has_its_circumstances() -> None:
    [result] = measure({"good": sha256}).results
    for value in result.values:
        assert {"page_faults", "voluntary_switches", "involuntary_switches", "cpu_ns"} <= set(
            value.extras
        )
        assert "load_avg_1min" in value.extras
        assert 300 < float(value.extras["clock_mhz"]) < 10_000


def test_runs_repeat_the_rounds() -> None:
    settings = Settings(rounds=3, runs=2, min_time=0.0, seed=1)
    [result] = measure({"good": sha256}, settings=settings).results
    assert [value.moment for value in result.values] == [(r, n) for r in (0, 1) for n in range(3)]


class Watched(FakePath):
    """Notes of each run what the work itself took in it."""

    def __init__(self, workload: Workload, buffers: Buffers) -> None:
        super().__init__(workload, buffers, "known", self._spin)
        self.spent = 0.0
        self.overheads: dict[int, float] = {}  # of a run, by its nanoseconds

    def _spin(self, case: Case, material: Material) -> bytes:
        start = time.perf_counter()
        while time.perf_counter() < start + 200e-6:
            pass
        output = sha256(case, material)
        self.spent += time.perf_counter() - start
        return output

    def run(self, loops: int) -> Sample:
        self.spent = 0.0
        sample = super().run(loops)
        self.overheads[sample.ns] = sample.ns / 1e9 / self.spent - 1
        return sample


def test_the_runner_costs_less_than_one_percent_of_a_value() -> None:
    opened: list[Watched] = []

    def open_path(workload: Workload, buffers: Buffers) -> Watched:
        opened.append(Watched(workload, buffers))
        return opened[-1]

    settings = Settings(rounds=9, min_time=0.005, seed=1)
    selection = Selection(SMALL, ("known",), twins=False)
    [result] = Runner(settings, registry={"known": open_path}).measure(selection).results
    # A run that was too short is no value, and was done again with more loops.
    overheads = [
        opened[-1].overheads[round(value.seconds * value.loops * 1e9)] for value in result.values
    ]
    assert min(overheads) >= 0
    assert sorted(overheads)[len(overheads) // 2] < 0.01


def test_the_kernel_loop_reports_the_kernel_and_not_the_clock() -> None:
    chosen = (Case("aes-128-ecb", "encrypt", 16),)
    settings = Settings(rounds=5, min_time=0.002, seed=1)
    selection = Selection(chosen, ("kernel", "cpu"), ("into",), twins=False)
    results = {r.cell.path: r for r in Runner(settings).measure(selection).results}
    assert min(results["kernel"].seconds) < min(results["cpu"].seconds)
    assert min(value.loops for value in results["kernel"].values) > 1000


def test_an_aa_pair_is_added_to_every_case() -> None:
    chosen = cases(("sha256",), (64, 1024))
    measurement = measure({"one": sha256, "two": sha256}, chosen, twins=True)
    again = [r.cell for r in measurement.results if r.cell.again]
    assert [cell.case for cell in again] == list(chosen)
    cells = [Cell(chosen[0], path, "new") for path in ("hashlib", "cryptography", "cpu")]
    assert [cell.path for cell in twins(cells)] == ["cpu"]


def test_a_path_that_needs_a_key_per_call_is_measured_so_unless_told_otherwise() -> None:
    settings = Settings(rounds=1, min_time=0.0)
    chosen = (Case("aes-256-gcm", "encrypt", 64),)
    names = [
        [r.cell.way for r in Runner(settings).measure(selection).results]
        for selection in (
            Selection(chosen, ("pycryptodomex",), ("new",), twins=False),
            Selection(chosen, ("pycryptodomex",), ("new",), ("reused",), twins=False),
        )
    ]
    assert names == [["pycryptodomex/new/per-call"], []]


class Odd:
    """A path whose clock stands still."""

    def hello(self) -> Hello:
        return Hello("odd", "1", "none", ("odd/new",))

    def prepare(self, cell: Cell) -> Prepared:
        return Prepared(Workload().expected(cell.case).fingerprint)

    def run(self, loops: int) -> Sample:
        return Sample(0)

    def verify(self) -> Fingerprint:
        raise WrongOutputError("never asked")

    def quit(self) -> None:
        raise OSError("cannot even leave")


def test_a_time_of_zero_is_no_value() -> None:
    registry: dict[str, Open] = {"odd": lambda _workload, _buffers: Odd()}
    runner = Runner(Settings(rounds=2, min_time=0.0), registry=registry)
    measurement = runner.measure(Selection(SMALL, ("odd",), twins=False))
    assert measurement.results == []
    assert "a time of 0 ns" in measurement.lost[0].why


NOTHING = Measurement(0, 0.0, 0, 1)  # a budget does not look at what was found


class FakeClock:
    """Time that goes on only when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("round_seconds", "rounds"), [(1.0, 9), (10.0, 9), (20.0, 5), (60.0, 3), (200.0, 3)]
)
def test_a_budget_takes_the_rounds_that_fit_and_never_under_three(
    round_seconds: float, rounds: int
) -> None:
    clock = FakeClock()
    budget = Budget(110.0, clock.now, clock)
    budget.begin(0, [])
    taken = 0
    for number in range(1, 10):
        last = number == 9 or budget.is_last(number)
        clock.now += round_seconds
        budget.round_took(round_seconds, NOTHING)
        taken += 1
        if last:
            break
    assert taken == rounds
    assert taken >= MIN_ROUNDS
    if rounds > MIN_ROUNDS:
        assert clock.now <= 100.0 + 110.0
    assert "slow or busy" in budget.why_short(taken, 9)


def test_a_slow_machine_says_why_it_took_fewer_rounds() -> None:
    settings = Settings(rounds=50, min_time=0.0, seed=1, pace=Budget(0.2, time.perf_counter()))
    measurement = measure({"slow": sleeping(0.05)}, settings=settings)
    assert MIN_ROUNDS <= measurement.rounds < 10
    assert f"{measurement.rounds} of 50 rounds taken" in measurement.notes[0]
    assert measurement.checked_after


def test_the_time_needed_grows_with_the_size() -> None:
    results = measure({"good": sha256}, settings=Settings(rounds=2, min_time=0.0)).results
    small, large = (seconds_needed(results, size, 3) for size in (1 << 20, 1 << 27))
    assert 64 * small < large < 256 * small


def test_no_room_offers_a_smaller_size(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [Cell(Case("aes-256-gcm", "encrypt", 1 << 27), "cpu-ctypes", "typical")]
    needed = memory_needed(1 << 27, cells)
    assert needed > 5 << 27
    monkeypatch.setattr("cngaes_bench.buffers.free_memory", lambda: needed - 1)
    with pytest.raises(NoRoomError, match="try --size 64MiB"):
        check_room(cells)
    monkeypatch.setattr("cngaes_bench.buffers.free_memory", lambda: needed)
    check_room(cells)


def test_fresh_outputs_of_many_cells_are_not_kept() -> None:
    buffers = Buffers()
    runner = Runner(Settings(rounds=1, min_time=0.0), buffers=buffers)
    chosen = (Case("aes-256-gcm", "encrypt", 1 << 20),)
    runner.measure(Selection(chosen, tuple(REGISTRY), ("new",)))
    with pytest.raises(RuntimeError, match="verify before run"):
        buffers.held_by(runner)
