"""Results as a standard pyperf suite, and back.

One pyperf Run holds one value, because metadata belongs to runs and every value has its own
faults, switches, clock and load. pyperf itself moves what is common to the top of the file.
Probes are benchmarks too, named `probe/NAME`; the explanation is text in the common metadata.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pyperf

from .cells import Cell
from .explanation import BadExplanationError, Explanation
from .measurement import Measurement, ProbeSeries, Result, Value
from .outputs import Fingerprint

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 2  # 1 had no probes
_PREFIX = "cngaes_"
_HEADER = "cngaes_header"
_MACHINE = "cngaes_machine"
_EXPLANATION = "cngaes_explanation"
_PROBE, _PROBE_UNIT = "cngaes_probe", "cngaes_probe_unit"
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
    if measurement.explanation is not None:
        common[_EXPLANATION] = measurement.explanation.to_json()
    for name in ("load_avg_1min", "mem_max_rss", "runnable_threads"):
        common.pop(name, None)  # true of this moment only
    benchmarks = [_to_benchmark(result, common) for result in measurement.results]
    benchmarks += [_probe_to_benchmark(probe, common) for probe in measurement.probes]
    return pyperf.BenchmarkSuite(benchmarks)


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
    return pyperf.Benchmark([_to_run(value, of_cell) for value in result.values])


def _probe_to_benchmark(probe: ProbeSeries, common: dict[str, Any]) -> pyperf.Benchmark:
    of_probe = {
        **common,
        "name": f"probe/{probe.name}",
        _PROBE: probe.label,
        _PROBE_UNIT: probe.unit,
    }
    return pyperf.Benchmark([_to_run(value, of_probe) for value in probe.values])


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


def to_text(measurement: Measurement) -> str:
    """Give the text that `write` writes."""
    out = io.StringIO()
    to_suite(measurement).dump(out, compact=True)
    return out.getvalue()


def read(path: Path) -> Measurement:
    """Read the measurement in a file. Raises NotOursError with what is wrong about it."""
    try:
        suite = pyperf.BenchmarkSuite.load(str(path))
    except Exception as error:  # pyperf takes any JSON apart without a look
        raise NotOursError(f"{path} is not a pyperf file: {error}") from error
    return from_suite(suite, str(path))


def from_suite(suite: pyperf.BenchmarkSuite, name: str = "this suite") -> Measurement:
    """Undo `to_suite`."""
    results, probes = [], []
    first: dict[str, Any] = {}
    for benchmark in suite.get_benchmarks():
        metadata = benchmark.get_metadata()
        first = first or metadata
        _check_schema(metadata.get("cngaes_schema"), name)
        try:
            if _PROBE in metadata:
                probes.append(_from_probe(benchmark))
            else:
                results.append(_from_benchmark(benchmark))
        except (KeyError, TypeError, ValueError) as error:
            raise NotOursError(f"{name}: {benchmark.get_name()}: {_missing(error)}") from error
    try:
        measurement = Measurement.from_header(first[_HEADER])
        measurement.machine = json.loads(first[_MACHINE])
        if _EXPLANATION in first:
            measurement.explanation = Explanation.from_json(first[_EXPLANATION])
    except BadExplanationError as error:
        raise NotOursError(f"{name}: {error}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise NotOursError(f"{name}: no usable header: {_missing(error)}") from error
    measurement.results, measurement.probes = results, probes
    return measurement


def _check_schema(schema: object, name: str) -> None:
    if schema == SCHEMA:
        return
    if schema is None:
        raise NotOursError(f"{name}: a pyperf file, but not one of `python -m cngaes bench`")
    if isinstance(schema, int) and schema < SCHEMA:
        raise NotOursError(
            f"{name}: written by an older version (schema {schema}, this one reads {SCHEMA}): "
            "measure again, or read it with that version"
        )
    raise NotOursError(f"{name}: schema {schema!r} instead of {SCHEMA}")


def _missing(error: Exception) -> str:
    return f"it has no {error.args[0]}" if isinstance(error, KeyError) else str(error)


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


def _from_probe(benchmark: pyperf.Benchmark) -> ProbeSeries:
    common = benchmark.get_metadata()
    name = benchmark.get_name().removeprefix("probe/")
    values = [_from_run(run) for run in benchmark.get_runs()]
    return ProbeSeries(name, common[_PROBE], common[_PROBE_UNIT], values)


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
