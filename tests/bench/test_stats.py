"""Summaries, paired ratios, noise floor and verdicts."""

from __future__ import annotations

import random

import pytest

from cngaes_bench.cases import Case
from cngaes_bench.cells import Cell
from cngaes_bench.measurement import Measurement, Result, Value
from cngaes_bench.outputs import Fingerprint
from cngaes_bench.planner import twin_of
from cngaes_bench.stats import compare, noise_floor, paired_ratio, summarize, two_size_fit

CASE = Case("aes-256-gcm", "encrypt", 1024)
PRINT = Fingerprint("00", "11", "22")


def result(path: str, seconds: list[float], *, again: bool = False, runs: int = 1) -> Result:
    cell = Cell(CASE, path, "into", again=again)
    values = [
        Value(each, 1, i // (len(seconds) // runs), i % (len(seconds) // runs), 0)
        for i, each in enumerate(seconds)
    ]
    return Result(cell, PRINT, "1", values=values)


def measurement(*results: Result, runs: int = 1) -> Measurement:
    return Measurement(1, 0.01, len(results[0].values) // runs, runs, results=list(results))


def noisy(middle: float, noise: float, count: int = 9, seed: int = 1) -> list[float]:
    chance = random.Random(seed)
    return [middle * (1 + chance.uniform(-noise, noise)) for _ in range(count)]


def test_a_summary_keeps_minimum_median_mean_and_spread() -> None:
    summary = summarize([3.0, 1.0, 2.0, 6.0])
    assert (summary.minimum, summary.median, summary.mean, summary.maximum) == (1.0, 2.5, 3.0, 6.0)
    assert summary.spread == 2.0
    assert summary.count == 4


def test_ratios_are_paired_round_by_round() -> None:
    drift = [1.0, 5.0, 2.0, 9.0, 1.5]  # a machine whose clock goes up and down
    slow, fast = result("a", [2 * d for d in drift]), result("b", drift)
    ratio = paired_ratio(slow.by_moment(), fast.by_moment())
    assert ratio is not None
    assert (ratio.median, ratio.low, ratio.high) == pytest.approx((2, 2, 2))
    assert ratio.rounds == 5


def test_threads_are_compared_by_what_they_get_done() -> None:
    one, two = result("a", [1.0] * 4), result("a", [1.5] * 4)
    two.cell = Cell(CASE, "a", "into", threads=2)
    ratio = paired_ratio(one.by_moment(), two.by_moment())
    assert ratio is not None
    assert ratio.median == pytest.approx(4 / 3)


def test_only_rounds_that_both_have_count() -> None:
    a, b = result("a", [2.0, 4.0, 8.0]), result("b", [1.0, 1.0, 1.0])
    del b.values[0]
    ratio = paired_ratio(a.by_moment(), b.by_moment())
    assert ratio is not None
    assert ratio.rounds == 2
    assert paired_ratio(a.by_moment(), {}) is None


def test_the_interval_is_the_same_every_time_and_holds_the_median() -> None:
    a, b = result("a", noisy(3.0, 0.2)), result("b", noisy(1.0, 0.2, seed=2))
    first = paired_ratio(a.by_moment(), b.by_moment())
    second = paired_ratio(a.by_moment(), b.by_moment())
    assert first is not None
    assert first == second
    assert first.low < first.median < first.high


def test_a_clear_difference_is_told_and_one_below_the_floor_is_not() -> None:
    base = result("cryptography", noisy(1.0, 0.01))
    good = result("cpu", noisy(0.5, 0.01, seed=2))
    near = result("openssl", noisy(0.99, 0.01, seed=3))
    twin = result("cpu", noisy(0.51, 0.02, seed=4), again=True)
    all_of_it = measurement(base, good, near, twin)
    floor = noise_floor(all_of_it, base)
    assert floor is not None
    assert 0.01 < floor < 0.06
    verdicts = [c.verdict for r in (base, good, near) if (c := compare(all_of_it, base, r))]
    assert verdicts == ["baseline", "faster", "within noise"]
    back = compare(all_of_it, good, base)
    assert back is not None
    assert back.verdict == "slower"


def test_without_an_aa_pair_or_with_one_round_nothing_is_claimed() -> None:
    base, good = result("cryptography", [1.0] * 5), result("cpu", [0.1] * 5)
    comparison = compare(measurement(base, good), base, good)
    assert comparison is not None
    assert comparison.verdict == "no A/A pair"
    one = [result("cryptography", [1.0]), result("cpu", [0.1])]
    twin = result("cpu", [0.1], again=True)
    comparison = compare(measurement(*one, twin), *one)
    assert comparison is not None
    assert comparison.verdict == "one round"


def test_what_does_not_repeat_in_every_run_is_not_concluded() -> None:
    base = result("cryptography", [1.0] * 10, runs=2)
    once = result("openssl", [0.5] * 5 + [1.0] * 5, runs=2)
    both = result("cpu", [0.5] * 10, runs=2)
    twin = result("cpu", [0.5] * 10, again=True, runs=2)
    all_of_it = measurement(base, once, both, twin, runs=2)
    verdicts = [c.verdict for r in (once, both) if (c := compare(all_of_it, base, r))]
    assert verdicts == ["not reproduced", "faster"]


def test_the_twin_of_a_cell_that_was_lost_gives_no_floor() -> None:
    twin = result("cpu", [1.0] * 3, again=True)
    base = result("cryptography", [1.0] * 3)
    assert twin_of(twin.cell) == Cell(CASE, "cpu", "into")
    assert noise_floor(measurement(base, twin), base) is None


def test_the_line_through_two_sizes() -> None:
    cost = two_size_fit(1000, 60e-6, 11_000, 160e-6)
    assert cost.fixed == pytest.approx(50e-6)
    assert cost.per_byte == pytest.approx(10e-9)
