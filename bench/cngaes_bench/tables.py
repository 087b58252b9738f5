"""Sections of a report, made of a measurement and nothing else."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .article import article_section, is_article, outputs_section
from .cells import INTO, NEW
from .document import Document, Section, Table, to_csv
from .explain.sections import brief as explained
from .paths import PRICES
from .stats import Comparison, compare, noise_floor, summarize, two_size_fit
from .workload import describe_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cases import Case
    from .measurement import Measurement, Missing, Result

# What a ratio refers to: the first of these that a case has.
BASELINES = (f"cryptography/{INTO}", f"hashlib/{NEW}", f"cryptography/{NEW}")
_SMALL, _MANY = 1 << 10, 100_000
_FIT_UP_TO = 1 << 20  # beyond it memory decides, and a straight line does not hold

_MEDIAN_SPEED, _CYCLES, _FAULTS = "MB/s\nmedian", "cycles\n/byte", "page\nfaults"

_MACHINE_TITLES = {
    "cpu": "CPU",
    "cpu_design": "CPU design",
    "cpu_features": "instruction sets",
    "cpus": "CPUs usable",
    "os": "operating system",
    "page_size": "page size",
    "load": "load before the start",
}


class BaselineError(ValueError):
    """A baseline that was not measured; the text names those that were."""


def document(
    measurement: Measurement, wanted: str | None = None, extra: Sequence[Section] = ()
) -> Document:
    """Put a whole report together; `wanted` is the baseline, as path/placement."""
    sections = list(extra)
    if is_article(measurement):
        sections += [article_section(measurement), outputs_section(measurement)]
    cases = dict.fromkeys(result.cell.case for result in measurement.results)
    sections += [case_section(measurement, case, wanted) for case in cases]
    if (calls := calls_section(measurement)) is not None:
        sections.append(calls)
    if (small := small_section(measurement)) is not None:
        sections.append(small)
    if measurement.explanation is not None:
        sections += explained(measurement.explanation)
    sections += closing_sections(measurement)
    sections.append(machine_section(measurement))
    return Document(title(measurement, "cngaes bench"), sections)


def closing_sections(measurement: Measurement) -> list[Section]:
    """Tell how it was measured, and what is not here."""
    sections = [_checks_section(measurement)]
    if measurement.lost:
        sections.append(_missing_section("Lost", measurement.lost))
    if measurement.unsupported:
        sections.append(_missing_section("Not measured", measurement.unsupported))
    return sections


def title(measurement: Measurement, name: str) -> str:
    """Put beside the name what no reader may overlook."""
    words = name
    if wine := measurement.machine.get("wine_version"):
        words += f", under Wine {wine.split(' ')[0]}: not Windows' own CNG"
    if emulated := measurement.machine.get("emulated"):
        words += f", EMULATED ({emulated}): the times say nothing about a machine"
    return words


def check_baseline(measurements: Sequence[Measurement], wanted: str | None) -> None:
    """Raise BaselineError for a baseline that no case of any file has."""
    ways = dict.fromkeys(
        r.cell.way for measurement in measurements for r in measurement.results if not r.cell.again
    )
    if wanted is not None and wanted not in ways:
        raise BaselineError(f"baseline {wanted!r} was not measured; there are: {', '.join(ways)}")


def baseline(measurement: Measurement, case: Case, wanted: str | None = None) -> Result | None:
    """Find the result that the ratios of a case refer to: the wanted one, if the case has it."""
    of_case = [r for r in measurement.results if r.cell.case == case and not r.cell.again]
    for result in of_case:
        if result.cell.way == wanted:
            return result
    for place in BASELINES:
        for result in of_case:
            if f"{result.cell.path}/{result.cell.placement}" == place:
                return result
    return None


def case_section(measurement: Measurement, case: Case, wanted: str | None = None) -> Section:
    """Put all that was measured of a case into a table."""
    base = baseline(measurement, case, wanted)
    results = [r for r in measurement.results if r.cell.case == case and not r.cell.again]
    unit, factor = _unit([min(r.seconds) for r in results])
    columns = [
        "path/placement",
        f"min {unit}",
        f"median {unit}",
        f"mean {unit}",
        "spread",
        "MB/s\nbest",
        _MEDIAN_SPEED,
        _CYCLES,
        _FAULTS,
        f"times {base.cell.path}\n/{base.cell.placement} [95 %]" if base else "ratio",
        "verdict",
    ]
    rows = []
    for result in results:
        summary, size = summarize(result.seconds), result.cell.bytes_per_call
        cycles, faults = cycles_per_byte(result), result.median_extra("page_faults")
        comparison = compare(measurement, base, result) if base else None
        rows.append(
            [
                result.cell.way,
                *(_number(s * factor) for s in (summary.minimum, summary.median, summary.mean)),
                f"{summary.spread:.0%}",
                f"{size / summary.minimum / 1e6:,.1f}",
                f"{size / summary.median / 1e6:,.1f}",
                "-" if cycles is None else f"{cycles:,.{3 if cycles < 100 else 0}f}",
                "-" if faults is None else f"{faults:,.0f}",
                ratio_text(comparison),
                comparison.verdict if comparison else "-",
            ]
        )
    optional = (_MEDIAN_SPEED, columns[3], _CYCLES, "spread", _FAULTS, "verdict")
    table = Table(columns, rows, words=1, optional=optional)
    return Section(case.name, table, _case_notes(measurement, results))


def _case_notes(measurement: Measurement, results: Sequence[Result]) -> list[str]:
    first = results[0]
    notes = [f"Input: {describe_data(first.cell.case)}."]
    floor = noise_floor(measurement, first)
    twin = next((r for r in measurement.results if r.cell.again and r.cell.case == first.cell.case),
                None)  # fmt: skip
    if floor is None or twin is None:
        notes.append("No A/A pair: the noise floor is unknown and verdicts are withheld.")
    else:
        way = twin.cell.way.removesuffix("/again")
        notes.append(
            f"Noise floor {floor:.1%}: {way} against itself, measured as two entries of every "
            "round. Smaller differences get no verdict."
        )
    if prices := sorted({r.cell.path for r in results} & PRICES):
        notes.append(
            f"{', '.join(prices)}: the `cng` backend over functions that compute NOTHING; the "
            "price of our own side of a CNG call, no speed of AES."
        )
    return notes


def calls_section(measurement: Measurement) -> Section | None:
    """Show what a call costs before its first byte, wherever two sizes were measured."""
    lines: dict[tuple[str, str, str], dict[int, Result]] = defaultdict(dict)
    for result in measurement.results:
        case = result.cell.case
        if not result.cell.again and case.size <= _FIT_UP_TO:
            lines[case.algorithm, case.direction, result.cell.way][case.size] = result
    rows = []
    for (algorithm, direction, way), by_size in lines.items():
        if len(by_size) < 2:
            continue
        small, large = min(by_size), max(by_size)
        times = [min(by_size[size].seconds) for size in (small, large)]
        cost = two_size_fit(small, times[0], large, times[1])
        rows.append(
            [
                f"{algorithm}/{direction}",
                way,
                f"{cost.fixed * 1e9:,.0f}",
                f"{cost.per_byte * 1e9 * 1024:,.1f}",
                f"{small} B, {large} B",
            ]
        )
    if not rows:
        return None
    columns = ("case", "path/placement", "fixed ns\na call", "ns a KiB", "from the sizes")
    note = "A straight line through the fastest values of the two sizes: an estimate, no fit."
    return Section("Cost of a call", Table(columns, rows, labels=2, words=1), [note])


def small_section(measurement: Measurement) -> Section | None:
    """Show 1 KiB a hundred thousand times, wherever it was measured."""
    rows = [
        [
            f"{result.cell.case.algorithm}/{result.cell.case.direction}",
            result.cell.way,
            *(f"{_MANY * seconds * 1e3:,.1f}" for seconds in (summary.minimum, summary.median)),
            f"{result.values[0].loops:,}",
        ]
        for result in measurement.results
        if result.cell.case.size == _SMALL and not result.cell.again
        for summary in [summarize(result.seconds)]
    ]
    if not rows:
        return None
    columns = ("case", "path/placement", "best ms", "median ms", "calls\na value")
    note = f"{_MANY:,} calls at the price of a call in values of so many calls each."
    return Section("1 KiB a hundred thousand times", Table(columns, rows, labels=2), [note])


def _checks_section(measurement: Measurement) -> Section:
    count = sum(result.cell.path not in PRICES for result in measurement.results)
    after = (
        f"{count} of {count} once more after the last round."
        if measurement.checked_after
        else "not again after the last round (interrupted)."
    )
    notes = [
        (
            f"First 8 bytes, last 16 bytes and SHA-256 of the whole output checked for {count} of "
            f"{count} entries before timing, {after} Sampled bytes of the output (a byte a page at "
            "128 MiB) were compared after every value that leaves a comparable one."
        ),
        (
            f"{measurement.rounds} rounds, {measurement.runs} run(s), order shuffled each round "
            f"with seed {measurement.seed}, values of at least {measurement.min_time * 1e3:g} ms."
        ),
        *measurement.notes,
    ]
    if measurement.interrupted:
        notes.append("Interrupted: only complete rounds are kept.")
    return Section("How it was measured", None, notes)


def _missing_section(title: str, missing: Sequence[Missing]) -> Section:
    names: dict[str, list[str]] = defaultdict(list)
    for each in missing:
        names[each.why].append(each.name)
    rows = [[", ".join(each), why] for why, each in names.items()]
    return Section(title, Table(("what", "why"), rows, labels=2))


def machine_section(measurement: Measurement) -> Section:
    """Tell what it was measured on, with what, and by which command."""
    rows = [[_MACHINE_TITLES.get(key, key), text] for key, text in measurement.machine.items()]
    versions = {r.cell.path: r.version for r in measurement.results}
    rows += [[f"path {path}", version] for path, version in versions.items()]
    kernels = {
        f"{r.cell.case.algorithm.split('-')[0]} kernel of {r.cell.path}": r.details["kernel"]
        for r in measurement.results
        if r.details.get("kernel")
    }
    rows += [[name, kernel] for name, kernel in kernels.items()]
    if measurement.command:
        rows.append(["command", measurement.command])
    return Section("Machine", Table(("what", "value"), rows, labels=2))


def cycles_per_byte(result: Result) -> float | None:
    """Core cycles a byte of the fastest value, by the clock taken beside it."""
    best = min(result.values, key=lambda value: value.seconds)
    clock = best.extras.get("clock_mhz")
    if not isinstance(clock, int | float):
        return None
    return best.seconds * clock * 1e6 / result.cell.bytes_per_call


def ratio_text(comparison: Comparison | None) -> str:
    """Write a ratio and its interval."""
    if comparison is None:
        return "-"
    ratio = comparison.ratio
    if comparison.verdict == "baseline":
        return "1"
    digits = 2 if ratio.median >= 0.1 else 3
    return f"{ratio.median:.{digits}f} [{ratio.low:.{digits}f}, {ratio.high:.{digits}f}]"


def _unit(seconds: Sequence[float]) -> tuple[str, float]:
    smallest = min(seconds)
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if smallest * factor >= 1:
            return unit, factor
    return "ns", 1e9


def _number(value: float) -> str:
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


_CSV = (
    "file", "case", "path", "placement", "key", "threads", "again", "values", "min_s", "median_s",
    "mean_s", "max_s", "spread_of_median", "bytes", "MBps_best", "MBps_median", "cycles_per_byte",
    "page_faults", "voluntary_switches", "involuntary_switches", "clock_mhz", "baseline", "ratio",
    "ratio_low", "ratio_high", "verdict", "first8", "last16", "sha256", "version", "kernel",
)  # fmt: skip


def csv_text(measurements: Sequence[Measurement], wanted: str | None = None) -> str:
    """One line an entry, numbers in full; several files one after the other."""
    return to_csv(
        _CSV,
        (
            [number, *_csv_row(measurement, result, wanted)]
            for number, measurement in enumerate(measurements, 1)
            for result in measurement.results
        ),
    )


def _csv_row(measurement: Measurement, result: Result, wanted: str | None) -> list[object]:
    cell, summary = result.cell, summarize(result.seconds)
    base = baseline(measurement, cell.case, wanted)
    comparison = compare(measurement, base, result) if base and not cell.again else None
    ratio = comparison.ratio if comparison else None
    size = cell.bytes_per_call
    return [
        cell.case.name, cell.path, cell.placement, cell.key, cell.threads, int(cell.again),
        summary.count, summary.minimum, summary.median, summary.mean, summary.maximum,
        summary.spread, size, size / summary.minimum / 1e6, size / summary.median / 1e6,
        cycles_per_byte(result), result.median_extra("page_faults"),
        result.median_extra("voluntary_switches"), result.median_extra("involuntary_switches"),
        result.median_extra("clock_mhz"), base.cell.way if base else None,
        ratio.median if ratio else None, ratio.low if ratio else None,
        ratio.high if ratio else None, comparison.verdict if comparison else None,
        result.fingerprint.first8, result.fingerprint.last16, result.fingerprint.sha256,
        result.version, result.details.get("kernel"),
    ]  # fmt: skip
