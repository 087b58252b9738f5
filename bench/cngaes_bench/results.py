"""Results as a standard pyperf suite, and back.

One pyperf Run holds one value, because metadata belongs to runs and every value has its own
faults, switches, clock and load. pyperf itself moves what is common to the top of the file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyperf

from .cells import Cell
from .measurement import Measurement, Result, Value
from .outputs import Fingerprint

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1
_PREFIX = "cngaes_"
_HEADER = "cngaes_header"
_MACHINE = "cngaes_machine"
_DETAIL = "cngaes_detail_"
_EXTRA = "cngaes_extra_"
# Kept under pyperf's own names, so that its tools show them.
_PYPERF_EXTRAS = ("load_avg_1min",)


class NotOursError(ValueError):
    """A file that this suite did not write."""


def to_suite(measurement: Measurement) -> pyperf.BenchmarkSuite:
    """Make a suite with one benchmark for each cell. There must be values."""
    common = {
        **pyperf.Run([1.0]).get_metadata(),
        "unit": "second",
        "cngaes_schema": SCHEMA,
        _HEADER: measurement.header_json(),
        _MACHINE: json.dumps(measurement.machine),
    }
    for name in ("load_avg_1min", "mem_max_rss", "runnable_threads"):
        common.pop(name, None)  # true of this moment only
    return pyperf.BenchmarkSuite([_to_benchmark(result, common) for result in measurement.results])


def _to_benchmark(result: Result, common: dict[str, Any]) -> pyperf.Benchmark:
    cell, fingerprint = result.cell, result.fingerprint
    of_cell = {
        **common,
        "name": cell.name,
        "cngaes_bytes": cell.bytes_per_call,
        "cngaes_version": result.version or "unknown",
        "cngaes_first8": fingerprint.first8,
        "cngaes_last16": fingerprint.last16,
        "cngaes_sha256": fingerprint.sha256,
        **{_DETAIL + name: value for name, value in result.details.items() if value},
    }
    runs = [_to_run(value, of_cell) for value in result.values]
    return pyperf.Benchmark(runs)


def _to_run(value: Value, of_cell: dict[str, Any]) -> pyperf.Run:
    extras = {
        name if name in _PYPERF_EXTRAS else _EXTRA + name: extra
        for name, extra in value.extras.items()
    }
    metadata = {
        **of_cell,
        "loops": value.loops,
        "cngaes_run": value.run,
        "cngaes_round": value.round,
        "cngaes_position": value.position,
        **extras,
    }
    return pyperf.Run([value.seconds], metadata=metadata, collect_metadata=False)


def write(measurement: Measurement, path: Path, *, force: bool = False) -> None:
    """Write a pyperf JSON file."""
    to_suite(measurement).dump(str(path), compact=True, replace=force)


def read(path: Path) -> Measurement:
    """Read the measurement in a file. Raises NotOursError with what is wrong about it."""
    try:
        suite = pyperf.BenchmarkSuite.load(str(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotOursError(f"{path} is not a pyperf file: {error}") from error
    return from_suite(suite, str(path))


def from_suite(suite: pyperf.BenchmarkSuite, name: str = "this suite") -> Measurement:
    """Undo `to_suite`."""
    results = []
    first: dict[str, Any] = {}
    for benchmark in suite.get_benchmarks():
        first = first or benchmark.get_metadata()
        schema = first.get("cngaes_schema")
        if schema != SCHEMA:
            raise NotOursError(f"{name}: schema {schema!r} instead of {SCHEMA}")
        results.append(_from_benchmark(benchmark))
    try:
        measurement = Measurement.from_header(first[_HEADER])
        measurement.machine = json.loads(first[_MACHINE])
    except (KeyError, TypeError, ValueError) as error:
        raise NotOursError(f"{name}: no usable header: {error}") from error
    measurement.results = results
    return measurement


def _from_benchmark(benchmark: pyperf.Benchmark) -> Result:
    common = benchmark.get_metadata()
    fingerprint = Fingerprint(*(common[_PREFIX + n] for n in ("first8", "last16", "sha256")))
    details = {
        name.removeprefix(_DETAIL): value
        for name, value in common.items()
        if name.startswith(_DETAIL)
    }
    result = Result(Cell.parse(benchmark.get_name()), fingerprint, common["cngaes_version"])
    result.details = details
    result.values = [_from_run(run) for run in benchmark.get_runs()]
    return result


def _from_run(run: pyperf.Run) -> Value:
    metadata = run.get_metadata()
    extras = {
        name.removeprefix(_EXTRA): value
        for name, value in metadata.items()
        if name.startswith(_EXTRA) or name in _PYPERF_EXTRAS
    }
    return Value(
        run.values[0],
        run.get_loops(),
        metadata["cngaes_run"],
        metadata["cngaes_round"],
        metadata["cngaes_position"],
        extras,
    )
