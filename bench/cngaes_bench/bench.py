"""One whole benchmark: plan, measure, show, write."""

from __future__ import annotations

import secrets
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import results
from .buffers import Buffers
from .cases import format_size
from .document import to_html, to_markdown, to_terminal
from .explain.explaining import explain
from .libraries import instruction_facts
from .machine import describe, load_warning
from .pace import MIN_ROUNDS, Budget, Pace, seconds_needed
from .paths import REGISTRY
from .peers.session import Peers
from .progress import shown
from .runner import Runner, Settings
from .tables import csv_text, document
from .targets import check_targets
from .workload import MIB, Workload

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .measurement import Measurement
    from .options import Options
    from .paths import Open
    from .progress import Progress

OK, LOST, INTERRUPTED = 0, 1, 130
_TAIL = 0.07  # share of a budget kept for what its estimates miss, and for tables and files


class NothingMeasuredError(RuntimeError):
    """Not a single value; the text says why."""


def run(options: Options, argv: Sequence[str], started: float) -> int:
    """Do everything; the result is the exit status."""
    check_targets(options.targets, force=options.force)
    machine, warning = describe(), load_warning()
    with shown() as progress:
        measurement = measure(options, started, progress)
    measurement.machine = machine | instruction_facts()
    measurement.explanation = explain(measurement)
    measurement.command = shlex.join(["python", "-m", "cngaes", "bench", *argv])
    if warning:
        measurement.notes.append(f"CAUTION: {warning}.")
    if not measurement.results:
        raise NothingMeasuredError(_why_nothing(measurement))
    show(measurement)
    write(measurement, options)
    if measurement.interrupted:
        return INTERRUPTED
    return LOST if measurement.lost else OK


def measure(options: Options, started: float, progress: Progress) -> Measurement:
    """Take all values, at a size and in a number of rounds that fit the budget."""
    with Peers() as peers:
        peers.start(options.peers)
        options = options.with_paths(peers.registry)
        measurement = _measure(options, started, progress, {**REGISTRY, **peers.registry})
        measurement.unsupported += peers.absent
        measurement.lost += peers.lost
    return measurement


def _measure(
    options: Options, started: float, progress: Progress, registry: Mapping[str, Open]
) -> Measurement:
    kit = _Kit(Workload(), Buffers(), registry, progress)
    notes = []
    pace = Pace()
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


def show(measurement: Measurement) -> None:
    """Print the report: tables on a terminal, Markdown elsewhere."""
    report = document(measurement)
    if not sys.stdout.isatty():
        sys.stdout.write(to_markdown(report))
        return
    from rich.console import Console

    to_terminal(report, Console())


def write(measurement: Measurement, options: Options) -> None:
    """Write the files that were asked for."""
    if options.json is not None:
        results.write(measurement, options.json, force=options.force)
    report = document(measurement)
    texts = (
        (options.html, to_html(report)),
        (options.markdown, to_markdown(report)),
        (options.csv, csv_text(measurement)),
    )
    for target, text in texts:
        if target is not None:
            target.write_text(text, encoding="utf-8", newline="\n")
    for target in options.targets:
        print(f"written: {target}")


def _why_nothing(measurement: Measurement) -> str:
    if measurement.interrupted:
        return "interrupted before one round was complete: there is nothing to keep"
    reasons = [f"{each.name}: {each.why}" for each in measurement.lost + measurement.unsupported]
    return "nothing could be measured\n  " + "\n  ".join(reasons)
