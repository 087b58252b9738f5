"""Planted faults: whoever does wrong, too little or dies loses his results, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench_fakes import SMALL, Counted, measure, right, sha256, sleeping
from cngaes_bench.cases import Case, cases
from cngaes_bench.paths.base import PathDiedError
from cngaes_bench.runner import Settings
from cngaes_bench.stats import two_size_fit
from cngaes_bench.tables import document

if TYPE_CHECKING:
    from bench_fakes import Work
    from cngaes_bench.workload import Material

MIB = 1 << 20
TWO_MIB = (Case("aes-256-gcm", "encrypt", 2 * MIB), Case("aes-128-ctr", "encrypt", 2 * MIB))


def flip_last(case: Case, material: Material) -> bytes:
    output = bytearray(right(case, material))
    output[-1] ^= 1
    return bytes(output)


def flip_middle(case: Case, material: Material) -> bytes:
    output = bytearray(right(case, material))
    output[len(output) // 2 + 1] ^= 1  # between two sampled bytes of a 2 MiB output
    return bytes(output)


def first_megabyte(case: Case, material: Material) -> bytes:
    output = bytearray(right(case, material))
    output[MIB : case.size] = bytes(case.size - MIB)
    return bytes(output)


def die(case: Case, material: Material) -> bytes:
    raise RuntimeError("the engine\nstalled")


def die_for_good(case: Case, material: Material) -> bytes:
    raise PathDiedError("the process is gone")


@pytest.mark.parametrize("fault", [flip_last, flip_middle, first_megabyte])
def test_a_wrong_output_is_found_before_timing(fault: Work) -> None:
    measurement = measure({"good": right, "bad": fault}, TWO_MIB)
    assert {r.cell.path for r in measurement.results} == {"good"}
    assert len(measurement.lost) == 2
    assert all("wrong output" in missing.why for missing in measurement.lost)
    assert all(len(r.values) == 3 for r in measurement.results)


@pytest.mark.parametrize("fault", [flip_last, first_megabyte])
def test_work_skipped_while_timed_is_found_in_that_value(fault: Work) -> None:
    # Right when checked and in the first round, wrong from the second on.
    cheat = Counted(right, 3, fault)
    measurement = measure({"good": right, "bad": cheat}, TWO_MIB[:1])
    assert [r.cell.path for r in measurement.results] == ["good"]
    assert "wrong output" in measurement.lost[0].why


def test_a_fault_between_the_samples_is_found_after_the_last_round() -> None:
    cheat = Counted(right, 3, flip_middle)
    measurement = measure({"good": right, "bad": cheat}, TWO_MIB[:1])
    assert [r.cell.path for r in measurement.results] == ["good"]
    assert "sha256" in measurement.lost[0].why
    assert measurement.checked_after


def test_a_path_that_dies_midway_loses_its_cell_with_the_reason() -> None:
    measurement = measure({"good": sha256, "bad": Counted(sha256, 4, die)})
    assert [r.cell.path for r in measurement.results] == ["good"]
    assert len(measurement.results[0].values) == 3
    [missing] = measurement.lost
    assert missing.name == "sha256/hash/1KiB/bad/new"
    assert missing.why == "RuntimeError: the engine stalled"
    assert "the engine stalled" in str(document(measurement))


def test_a_path_that_is_gone_takes_all_its_cells_along() -> None:
    chosen = cases(("sha256",), (64, 1024))
    settings = Settings(rounds=3, min_time=0.0, seed=1)
    measurement = measure(
        {"good": sha256, "bad": Counted(sha256, 6, die_for_good)}, chosen, settings
    )
    assert {r.cell.path for r in measurement.results} == {"good"}
    assert len(measurement.lost) == 2


def test_a_path_that_cannot_start_loses_nothing_else() -> None:
    measurement = measure({"bad": die, "good": sha256})
    assert [r.cell.path for r in measurement.results] == ["good"]
    assert measurement.lost[0].why == "RuntimeError: the engine stalled"


def test_fifty_microseconds_a_call_show_up_as_fixed_cost() -> None:
    chosen = cases(("sha256",), (1024, 64 * 1024))
    settings = Settings(rounds=25, min_time=0.0005, seed=1)
    works = {"good": sha256, "slow": sleeping(50e-6)}
    measurement = measure(works, chosen, settings, twins=True)
    fixed = {}
    for path in works:
        small, large = (
            min(r.seconds)
            for case in chosen
            for r in measurement.results
            if r.cell.path == path and r.cell.case == case and not r.cell.again
        )
        fixed[path] = two_size_fit(1024, small, 64 * 1024, large).fixed
    assert 45e-6 < fixed["slow"] - fixed["good"] < 65e-6
    text = str(document(measurement))
    assert "Cost of a call" in text


def test_small_outputs_are_compared_whole() -> None:
    def flip_any(case: Case, material: Material) -> bytes:
        output = bytearray(right(case, material))
        output[1000] ^= 1
        return bytes(output)

    cheat = Counted(right, 4, flip_any)
    case = Case("aes-128-ctr", "encrypt", 4096)
    measurement = measure({"bad": cheat, "good": right}, (case,))
    assert measurement.lost[0].why == "wrong output: wrong byte in the output at offset 1000"


def test_everything_lost_leaves_an_empty_measurement() -> None:
    assert measure({"bad": die}, SMALL).results == []
