"""Measurements that nobody took: results and probes with the numbers that a test wants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cngaes_bench.cells import Cell
from cngaes_bench.events import EVENTS, Events
from cngaes_bench.machine import RUNNING, WORK_CLOCK
from cngaes_bench.measurement import Measurement, ProbeSeries, Result, Value
from cngaes_bench.outputs import Fingerprint

if TYPE_CHECKING:
    from cngaes_bench.paths.base import Extra

MACHINE = {"cpus": "2", "page_size": "4096 B", WORK_CLOCK: RUNNING}
ROUNDS = 9
# A little noise, the same for all: medians and intervals are those of the middle.
NOISE = (0.0, 0.002, -0.002, 0.004, -0.004, 0.001, -0.001, 0.003, -0.003)

Numbers = float | Sequence[float]


def spread(value: Numbers, rounds: int = ROUNDS) -> list[float]:
    """One number a round: those given, or one with a little noise."""
    if isinstance(value, int | float):
        return [value * (1 + NOISE[i % len(NOISE)]) for i in range(rounds)]
    return list(value)


def result(
    name: str,
    ns: Numbers,
    *,
    events: Events | None = None,
    extras: Mapping[str, Numbers] | None = None,
    rounds: int = ROUNDS,
    runs: int = 1,
) -> Result:
    """A result by its name; `ns` and extras are one number, or one for each round of each run."""
    cell = Cell.parse(name)
    found = Result(cell, Fingerprint("00", "00", "00"), "1")
    if events is not None:
        found.details[EVENTS] = events.to_text()
    times = spread(ns, rounds) * (runs if isinstance(ns, int | float) else 1)
    for number, time in enumerate(times):
        given: dict[str, Extra] = {
            key: extra if isinstance(extra, int | float) else extra[number]
            for key, extra in (extras or {}).items()
        }
        value = Value(time / 1e9, 1, number // rounds, number % rounds, 0, given)
        found.values.append(value)
    return found


def probe(name: str, ns: Numbers, *, rounds: int = ROUNDS, runs: int = 1) -> ProbeSeries:
    """A probe by its name."""
    unit = "byte" if name.startswith(("copy", "fill")) else "page"
    values = [
        Value(time / 1e9, 1, run, number, 0, {"page_faults": 1})
        for run in range(runs)
        for number, time in enumerate(spread(ns, rounds))
    ]
    return ProbeSeries(name, name, unit, values)


def only_rounds(data: Measurement, count: int) -> Measurement:
    """Leave the first rounds."""
    for result in data.results:
        result.values = result.values[:count]
    for series in data.probes:
        series.values = series.values[:count]
    return data


def measurement(
    *results: Result,
    probes: Sequence[ProbeSeries] = (),
    runs: int = 1,
    machine: Mapping[str, str] | None = None,
) -> Measurement:
    """Put them together."""
    return Measurement(
        1, 0.0, ROUNDS, runs,
        results=list(results), probes=list(probes), machine={**MACHINE, **(machine or {})},
    )  # fmt: skip
