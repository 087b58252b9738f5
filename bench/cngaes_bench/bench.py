"""One whole benchmark: plan, measure, show, write."""

from __future__ import annotations

import secrets
import shlex
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import results
from .against import (
    Builds,
    NoPairError,
    add_run,
    against_section,
    check_pairs,
    check_wheel,
    suspects,
)
from .buffers import Buffers
from .cases import format_size
from .comparison import EmptyComparisonError, check_cases, comparison_section
from .document import to_markdown, to_terminal
from .explain.explaining import explain
from .libraries import instruction_facts
from .machine import describe, load_warning
from .pace import MIN_ROUNDS, Budget, Pace, seconds_needed
from .paths import REGISTRY
from .peers.session import Peers
from .progress import shown
from .report.page import Part, render
from .runner import Runner, Settings
from .tables import BaselineError, check_baseline, csv_text, document
from .targets import check_targets
from .workload import MIB, Workload

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .document import Section
    from .measurement import Measurement
    from .options import Options
    from .paths import Open
    from .progress import Progress

OK, LOST, REGRESSION, INTERRUPTED = 0, 1, 3, 130
_TAIL = 0.07  # share of a budget kept for what its estimates miss, and for tables and files


class NothingMeasuredError(RuntimeError):
    """Not a single value; the text says why."""


def run(options: Options, argv: Sequence[str], started: float) -> int:
    """Do everything; the result is the exit status."""
    check_targets(options.targets, force=options.force)
    old = None if options.compare is None else results.read(options.compare)
    if old is not None and not options.shrinkable:
        check_cases(options.selection.cases, old, options.compare)
    if options.against is not None:
        check_wheel(options.against)
    machine, warning = describe(), load_warning()
    with shown() as progress:
        measurement = measure(options, started, progress)
        again = _measure_suspects(measurement, options, progress)
    measurement.machine = machine | instruction_facts()
    measurement.explanation = explain(measurement)
    measurement.command = shlex.join(["python", "-m", "cngaes", "bench", *argv])
    if warning:
        measurement.notes.append(f"CAUTION: {warning}.")
    if not measurement.results:
        raise NothingMeasuredError(_why_nothing(measurement))
    options = _with_known_baseline(options, measurement)
    extra: list[Section] = []
    nothing_common: Exception | None = None
    if options.against is not None:
        extra.append(against_section(measurement, options.against, again))
        try:
            check_pairs(measurement)
        except NoPairError as error:
            nothing_common = error
    if old is not None:
        try:
            extra.append(comparison_section(measurement, old, options.compare, options.baseline))
        except EmptyComparisonError as error:
            nothing_common = error
    show(measurement, options, extra)
    write(measurement, options, extra)
    if nothing_common is not None:
        raise nothing_common  # only now: what was measured is kept
    if measurement.interrupted:
        return INTERRUPTED
    if measurement.lost:
        return LOST
    slower = suspects(measurement)
    for cell in slower:
        print(f"REGRESSION: {cell.name} is slower than in the older build", file=sys.stderr)
    return REGRESSION if slower else OK


def _measure_suspects(measurement: Measurement, options: Options, progress: Progress) -> int:
    """Measure what looks slower than in the older build again, in new processes; count it."""
    cells = suspects(measurement)
    if not cells or measurement.interrupted:
        return 0
    selection = replace(
        options.selection,
        cases=tuple(dict.fromkeys(cell.case for cell in cells)),
        paths=(),
        placements=tuple(dict.fromkeys(cell.placement for cell in cells)),
    )
    once_more = replace(
        options, selection=selection, peers=(), rounds=measurement.rounds, budget=None,
        shrinkable=False,
    )  # fmt: skip
    second = measure(once_more, 0.0, progress)
    add_run(measurement, second)
    measurement.lost += second.lost
    return len(cells)


def measure(
    options: Options, started: float, progress: Progress, pace: Pace | None = None
) -> Measurement:
    """Take all values, at a size and in a number of rounds that fit the budget, or the pace."""
    with Builds(options.against) as builds, Peers() as peers:
        peers.start(options.peers)
        peers.start_commands(builds.commands)
        options = options.with_paths(peers.registry)
        kit = _Kit(Workload(), Buffers(), {**REGISTRY, **peers.registry}, progress)
        measurement = _measure(options, started, kit, pace or Pace())
        measurement.unsupported += peers.absent
        measurement.lost += peers.lost
    return measurement


def _measure(options: Options, started: float, kit: _Kit, pace: Pace) -> Measurement:
    notes = []
    if options.budget is not None:
        pace = Budget(options.budget * (1 - _TAIL), started)
        if options.shrinkable:
            options, note = _fitted(options, pace, kit)
            notes += note
    settings = Settings(
        rounds=options.rounds,
        runs=options.runs,
        min_time=options.min_time,
        seed=secrets.randbits(32) if options.seed is None else options.seed,
        pace=pace,
        probes=True,
    )
    measurement = kit.runner(settings).measure(options.selection)
    measurement.notes = notes + measurement.notes
    return measurement


@dataclass(frozen=True)
class _Kit:
    """What a probe and the measurement after it share."""

    workload: Workload
    buffers: Buffers
    registry: Mapping[str, Open]
    progress: Progress

    def runner(self, settings: Settings) -> Runner:
        """Make a runner of these parts."""
        return Runner(
            settings,
            workload=self.workload,
            buffers=self.buffers,
            registry=self.registry,
            progress=self.progress,
        )


def _fitted(options: Options, budget: Budget, kit: _Kit) -> tuple[Options, list[str]]:
    """Halve the article's input until three rounds of it fit into the budget."""
    size = wanted = options.selection.cases[0].size
    measured = (
        kit.runner(Settings(rounds=2, min_time=0)).measure(options.at_size(MIB).selection).results
    )
    while size > MIB and seconds_needed(measured, size, MIN_ROUNDS) > budget.remaining():
        size //= 2
    if size == wanted:
        return options, []
    note = (
        f"Input of {format_size(size)} instead of {format_size(wanted)}: this machine is slow or "
        f"busy, {MIN_ROUNDS} rounds of the whole would not have fitted into {budget.seconds:.0f} s."
    )
    return options.at_size(size), [note]


def _with_known_baseline(options: Options, measurement: Measurement) -> Options:
    """Go back to the usual baseline when the wanted one could not be measured, and say so."""
    try:
        check_baseline([measurement], options.baseline)
    except BaselineError as error:
        measurement.notes.append(f"CAUTION: {error}. Ratios refer to the usual baseline.")
        return replace(options, baseline=None)
    return options


def show(measurement: Measurement, options: Options, extra: Sequence[Section] = ()) -> None:
    """Print the report: tables on a terminal, Markdown elsewhere."""
    report = document(measurement, options.baseline, extra)
    if not sys.stdout.isatty():
        sys.stdout.write(to_markdown(report))
        return
    from rich.console import Console

    to_terminal(report, Console())


def write(measurement: Measurement, options: Options, extra: Sequence[Section] = ()) -> None:
    """Write the files that were asked for."""
    if options.json is not None:
        results.write(measurement, options.json, force=options.force)
    wanted = options.baseline
    if options.html is not None:
        name = options.json.name if options.json else f"{options.html.stem}.json"
        part = Part(name, measurement, results.to_text(measurement), list(extra))
        _write_text(options.html, render([part], wanted))
    if options.markdown is not None:
        _write_text(options.markdown, to_markdown(document(measurement, wanted, extra)))
    if options.csv is not None:
        _write_text(options.csv, csv_text([measurement], wanted))
    for target in options.targets:
        print(f"written: {target}")


def _write_text(target: Path, text: str) -> None:
    target.write_text(text, encoding="utf-8", newline="")


def _why_nothing(measurement: Measurement) -> str:
    if measurement.interrupted:
        return "interrupted before one round was complete: there is nothing to keep"
    reasons = [f"{each.name}: {each.why}" for each in measurement.lost + measurement.unsupported]
    return "nothing could be measured\n  " + "\n  ".join(reasons)
