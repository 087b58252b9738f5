"""Rounds that go on until a predicted sum is known well enough."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from cngaes.__main__ import main as package_main
from cngaes_bench.events import Events
from cngaes_bench.explain import steady
from cngaes_bench.explain.steady import FEWEST, MOST, PATIENCE, Steady
from synthetic import MACHINE, measurement, only_rounds, probe, result

if TYPE_CHECKING:
    import pytest

    from cngaes_bench.measurement import Measurement

CASE = "aes-256-gcm/encrypt/1KiB"


class Clock:
    """Time that goes on only when told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def rounds_of(spread: float, count: int) -> Measurement:
    """Rounds whose engine takes 1000 ns, give or take a share that differs from round to round."""
    chance = random.Random(5)
    engine = [1000 * (1 + chance.uniform(-spread, spread)) for _ in range(MOST)]
    data = measurement(
        result(f"{CASE}/kernel/into", engine, events=Events(), rounds=MOST),
        result(f"{CASE}/cpu/into", 1050.0, events=Events(extension=1), rounds=MOST),
        probes=[probe("extension-call", 50.0, rounds=MOST)],
    )
    data = only_rounds(data, count)
    data.rounds = count
    return data


def rounds_taken(spread: float, seconds: float = 0.1) -> tuple[int, str]:
    clock = Clock()
    pace = Steady(MACHINE, clock)
    pace.begin(0, [])
    for number in range(1, MOST + 1):
        last = number == MOST or pace.is_last(number)
        clock.now += seconds
        pace.round_took(seconds, rounds_of(spread, number))
        if last:
            return number, pace.why_short(number, MOST)
    raise AssertionError("no round was the last")


def test_a_quiet_machine_stops_at_the_fewest_rounds() -> None:
    taken, why = rounds_taken(0.01)
    assert taken == FEWEST
    assert why == "9 rounds: no interval of a predicted sum is wider than 10%."


def test_a_noisy_machine_goes_on_until_the_interval_is_narrow() -> None:
    taken, why = rounds_taken(0.12)
    assert FEWEST < taken < MOST
    assert "no interval of a predicted sum is wider" in why


def test_patience_ends_and_says_what_is_still_wide() -> None:
    taken, why = rounds_taken(0.9, seconds=4.0)
    assert taken == PATIENCE / 4
    assert why.startswith(f"CAUTION: {taken} rounds in 120 s left an interval of ")
    assert f"{CASE}/cpu/into" in why


def test_without_a_whole_prediction_there_is_nothing_to_wait_for() -> None:
    pace = Steady(MACHINE, Clock())
    pace.begin(0, [])
    pace.round_took(0.1, measurement(result(f"{CASE}/kernel/into", 1000.0, events=Events())))
    assert pace.is_last(FEWEST)
    assert "no prediction is whole" in pace.why_short(FEWEST, MOST)


def test_explain_takes_so_many_rounds_as_it_needs_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(steady, "PATIENCE", 0.0)
    assert package_main(["explain", "--case", "aes-128-ecb/encrypt/1KiB"]) == 0
    said = capsys.readouterr().out
    assert "## How it was measured" in said
    assert "9 rounds" in said
