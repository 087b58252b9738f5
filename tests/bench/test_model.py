"""Fits over synthetic times: what was put in comes out, and what is not there is not claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cngaes_bench.explain.samples import RESAMPLES, Estimate, Resampler
from cngaes_bench.explain.terms import Prices
from cngaes_bench.model import CACHES, cache_sizes, fit_line, fits
from synthetic import measurement, result

if TYPE_CHECKING:
    from cngaes_bench.explanation import Fit

KIB, MIB = 1 << 10, 1 << 20
SIZES = (16, 256, KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB)


def fitted(times: dict[int, float], caches: str = "") -> Fit:
    names = {16: "16B", 256: "256B"} | {
        n: f"{n // KIB}KiB" if n < MIB else f"{n // MIB}MiB" for n in times if n >= KIB
    }
    results = [
        result(f"aes-256-gcm/encrypt/{names[size]}/cpu/into", ns) for size, ns in times.items()
    ]
    (one,) = fits(Prices(measurement(*results, machine={CACHES: caches})))
    return one


def test_a_line_is_found_and_its_crossover() -> None:
    fit = fitted({size: 200 + 0.125 * size for size in SIZES})
    assert fit.fixed.value == pytest.approx(200, rel=0.02)
    assert fit.per_byte.value == pytest.approx(0.125, rel=0.02)
    assert fit.crossover_bytes == pytest.approx(1600, rel=0.05)
    assert fit.breaks == ()
    assert [point.size for point in fit.residuals] == list(SIZES)
    assert max(abs(point.residual) for point in fit.residuals) < 0.01
    assert fit.fixed.low <= fit.fixed.value <= fit.fixed.high


def test_an_outlier_does_not_move_the_line_but_shows() -> None:
    times = {size: 200 + 0.125 * size for size in SIZES[:6]}
    times[KIB] *= 5
    fit = fitted(times)
    assert fit.per_byte.value == pytest.approx(0.125, rel=0.02)
    worst = max(fit.residuals, key=lambda point: abs(point.residual))
    assert worst.size == KIB
    assert worst.residual == pytest.approx(0.8, abs=0.02)


def test_a_break_at_a_cache_is_found_and_named() -> None:
    def time(size: int) -> float:
        return 200 + 0.125 * min(size, MIB) + 0.25 * max(0, size - MIB)

    fit = fitted({size: time(size) for size in SIZES}, "L1d 48 KiB, L2 2 MiB, L3 105 MiB")
    (found,) = fit.breaks
    assert (found.size, found.cache) == (MIB, "L2 (2 MiB)")
    assert found.per_byte_before == pytest.approx(0.125, rel=0.02)
    assert found.per_byte_after == pytest.approx(0.25, rel=0.02)
    assert fit.per_byte.value == pytest.approx(0.125, rel=0.02)  # up to the break
    nameless = fitted({size: time(size) for size in SIZES})
    assert [each.cache for each in nameless.breaks] == [""]


def test_noise_is_no_break() -> None:
    times = {size: 200 + 0.125 * size * (1.05 if i % 2 else 1.0) for i, size in enumerate(SIZES)}
    assert fitted(times).breaks == ()


def test_no_crossover_without_a_fixed_cost() -> None:
    assert fitted({size: 0.125 * size - 1 for size in SIZES}).crossover_bytes is None


def test_one_size_is_no_line() -> None:
    assert fits(Prices(measurement(result("sha256/hash/1KiB/cpu/new", 1.0)))) == ()
    assert fits(Prices(measurement())) == ()


def test_two_points_are_a_line() -> None:
    line = fit_line({10: 30.0, 20: 50.0})
    assert (line.fixed, line.per_byte) == (10.0, 2.0)


def test_caches_of_the_measured_machine() -> None:
    data = measurement(machine={CACHES: "L3 32 MiB, L1d 48 KiB, odd"})
    assert cache_sizes(data) == {"L1d (48 KiB)": 48 * KIB, "L3 (32 MiB)": 32 * MIB}
    assert cache_sizes(measurement()) == {}


def test_estimates_of_the_same_rounds_share_what_disturbs_them() -> None:
    moments = [(0, i) for i in range(9)]
    both = Resampler(moments)
    bad = {moment: 100.0 + 50.0 * (moment[1] % 2) for moment in moments}
    one, other = both.median(bad), both.median({m: x + 7 for m, x in bad.items()})
    assert one is not None
    assert other is not None
    assert one.interval.width > 0.3
    difference = (other - one).interval
    assert (difference.low, difference.value, difference.high) == (7.0, 7.0, 7.0)
    assert len(one.draws) == RESAMPLES + 1
    assert both.median({}) is None
    assert Estimate.exact(2.0).over(Estimate.exact(0.0)).value == 0.0


def test_a_drift_that_all_rounds_share_is_no_doubt_but_unrest_is() -> None:
    moments = [(0, i) for i in range(15)]
    drift = {moment: 100.0 + 5 * moment[1] for moment in moments}
    shuffled = dict(zip(moments, [drift[0, i * 4 % 15] for i in range(15)], strict=True))
    rounds = Resampler(moments)
    calm, restless = rounds.median(drift), rounds.median(shuffled)
    assert calm is not None
    assert restless is not None
    assert calm.value == restless.value == 135.0
    assert calm.interval.width < 0.12
    assert restless.interval.width > 0.2


def test_few_rounds_are_resampled_as_one_group() -> None:
    few = [(0, i) for i in range(4)]
    estimate = Resampler(few).median({moment: float(moment[1]) for moment in few})
    assert estimate is not None
    assert (min(estimate.draws), max(estimate.draws)) == (0.0, 3.0)
