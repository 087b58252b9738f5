"""Measures cells side by side: every cell once a round, in an order that is new each round."""

from __future__ import annotations

import contextlib
import math
import random
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

from .buffers import Buffers, check_room
from .explain.probes import Group, probes_for
from .measurement import Measurement, Missing, ProbeSeries, Result, Value
from .outputs import Fingerprint, WrongOutputError
from .pace import Pace
from .paths import PRICES, REGISTRY, Open, find
from .paths.base import Extra, Hello, Path, PathDiedError, UnavailableError, UnsupportedError
from .planner import Selection, twins
from .progress import Progress, Silent
from .system import clock_mhz, load_average, rest
from .workload import Workload

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .cells import Cell

_MARGIN = 1.15  # loops are set for this much more than the shortest value allowed
_MOST_LOOPS = 1 << 32
_LONG_CALL = 2


@dataclass(frozen=True, slots=True)
class Settings:
    """How to measure. `pace` may end a run before all its rounds are done."""

    rounds: int = 9
    runs: int = 1
    min_time: float = 0.02
    seed: int = 0
    pace: Pace = field(default_factory=Pace)
    probes: bool = False  # price page faults, copies and calls in the same rounds


@dataclass(eq=False, slots=True)
class _Entry:
    """A cell being measured, and the session that does it."""

    session: Path
    result: Result
    first_call: float = 0.0  # seconds of the call that was checked, if known
    loops: int = 1

    @property
    def cell(self) -> Cell:
        return self.result.cell


class Runner:
    """One measurement at a time; memory and inputs are shared between measurements."""

    def __init__(
        self,
        settings: Settings,
        *,
        workload: Workload | None = None,
        buffers: Buffers | None = None,
        registry: Mapping[str, Open] = REGISTRY,
        progress: Progress | None = None,
    ) -> None:
        self._settings = settings
        self._workload = workload or Workload()
        self._buffers = buffers or Buffers()
        self._registry = registry
        self._progress = progress or Silent()
        self._random = random.Random(settings.seed)  # an order, not a secret
        self._entries: list[_Entry] = []
        self._groups: list[Group] = []
        self._series: list[ProbeSeries] = []
        self._measurement = self._new_measurement()

    def measure(self, selection: Selection) -> Measurement:
        """Prepare, check, warm up, take the rounds, check again."""
        self._entries, self._groups, self._series = [], [], []
        self._measurement = self._new_measurement()
        try:
            self._prepare(selection)
            self._calibrate()
            if self._settings.probes:
                self._groups = probes_for(entry.cell for entry in self._entries)
                self._series = [one for group in self._groups for one in group.series.values()]
            self._take_rounds()
        finally:
            for entry in self._entries:
                _quietly_quit(entry.session)
            self._buffers.release()
        self._measurement.results = [e.result for e in self._entries if e.result.values]
        self._measurement.probes = [each for each in self._series if each.values]
        return self._measurement

    def _new_measurement(self) -> Measurement:
        settings = self._settings
        return Measurement(settings.seed, settings.min_time, 0, settings.runs)

    # Before the clock.

    def _prepare(self, selection: Selection) -> None:
        hellos = self._hellos(selection.paths)
        candidates = selection.candidates(hellos.values())
        if not candidates:
            return
        programs = {name: hello.program for name, hello in hellos.items()}
        check_room([cell for alternatives in candidates for cell in alternatives], programs)
        self._progress.stage("checking outputs", len(candidates))
        for alternatives in candidates:
            self._progress.step(alternatives[0].name)
            self._add(alternatives, hellos)
        if selection.twins:
            for cell in twins([entry.cell for entry in self._entries]):
                self._add((cell,), hellos)

    def _hellos(self, paths: Iterable[str]) -> dict[str, Hello]:
        hellos: dict[str, Hello] = {}
        for name in paths:
            try:
                session = self._open(name)
                hellos[name] = session.hello()
                _quietly_quit(session)
            except UnavailableError as error:
                self._measurement.unsupported.append(Missing(name, str(error)))
            except Exception as error:  # noqa: BLE001 - a path may fail in any way
                self._measurement.lost.append(Missing(name, _reason(error)))
        return hellos

    def _open(self, name: str) -> Path:
        return find(name, self._registry)(self._workload, self._buffers)

    def _add(self, alternatives: tuple[Cell, ...], hellos: Mapping[str, Hello]) -> None:
        refusal = ""
        for cell in alternatives:
            session = self._open(cell.path)
            try:
                prepared = session.prepare(cell)
                self._check(cell, prepared.fingerprint)
            except UnsupportedError as error:
                refusal = refusal or str(error)
                _quietly_quit(session)
                continue
            except Exception as error:  # noqa: BLE001 - a path may fail in any way
                self._measurement.lost.append(Missing(cell.name, _reason(error)))
                _quietly_quit(session)
                return
            version = hellos[cell.path].version
            result = Result(cell, prepared.fingerprint, version, prepared.details)
            self._entries.append(_Entry(session, result, prepared.ns / 1e9))
            return
        self._measurement.unsupported.append(Missing(alternatives[0].name, refusal))

    def _check(self, cell: Cell, found: Fingerprint) -> None:
        if cell.path in PRICES:
            return
        why = found.difference(self._workload.expected(cell.case).fingerprint)
        if why:
            raise WrongOutputError(why)

    def _calibrate(self) -> None:
        """Warm every cell up and find how many loops make a value long enough."""
        self._progress.stage("warming up", len(self._entries))
        for entry in list(self._entries):
            self._progress.step(entry.cell.name)
            try:
                self._calibrate_one(entry)
            except Exception as error:  # noqa: BLE001 - a path may fail in any way
                self._lose(entry, error)

    def _calibrate_one(self, entry: _Entry) -> None:
        target = self._settings.min_time
        if entry.first_call >= _LONG_CALL * target:
            return  # one call is a value, and the checked one has warmed everything up
        while True:
            seconds = entry.session.run(entry.loops).ns / 1e9
            if seconds >= target or entry.loops >= _MOST_LOOPS:
                return
            entry.loops = _more_loops(entry.loops, seconds, target)

    # The rounds.

    def _take_rounds(self) -> None:
        settings, measurement = self._settings, self._measurement
        measurement.checked_after = True
        try:
            for run in range(settings.runs):
                self._take_run(run)
        except KeyboardInterrupt:
            measurement.interrupted = True
            measurement.checked_after = False

    def _take_run(self, run: int) -> None:
        settings, pace = self._settings, self._settings.pace
        pace.begin(run, [entry.cell for entry in self._entries])
        self._progress.stage(
            f"run {run + 1}/{settings.runs}" if settings.runs > 1 else "measuring",
            settings.rounds * (len(self._entries) + len(self._groups)),
        )
        for number in range(settings.rounds):
            last = number + 1 == settings.rounds or pace.is_last(number + 1)
            start = perf_counter()
            self._take_round(run, number, last=last)
            self._measurement.rounds = max(self._measurement.rounds, number + 1)
            pace.round_took(perf_counter() - start, self._so_far())
            if last:
                if number + 1 < settings.rounds:
                    self._measurement.notes.append(pace.why_short(number + 1, settings.rounds))
                return

    def _so_far(self) -> Measurement:
        found = [entry.result for entry in self._entries]
        return replace(self._measurement, results=found, probes=self._series)

    def _take_round(self, run: int, number: int, *, last: bool) -> None:
        """One round. Its values count only when it is complete: pairs need both halves."""
        order: list[_Entry | Group] = [*self._entries, *self._groups]
        self._random.shuffle(order)
        taken: list[tuple[list[Value], Value]] = []
        for position, entry in enumerate(order):
            if isinstance(entry, Group):
                taken += self._take_probes(entry, run, number, position)
                continue
            if entry not in self._entries:
                continue  # lost together with its path a moment ago
            self._progress.step(entry.cell.name)
            try:
                value = self._take_value(entry, run, number, position)
                if last:
                    self._check(entry.cell, entry.session.verify())
                taken.append((entry.result.values, value))
            except Exception as error:  # noqa: BLE001 - a path may fail in any way
                self._lose(entry, error)
        for values, value in taken:
            values.append(value)

    def _take_probes(
        self, group: Group, run: int, number: int, position: int
    ) -> list[tuple[list[Value], Value]]:
        self._progress.step("probes")
        self._buffers.release()
        rest()
        try:
            taken = group.take()
        except Exception as error:  # noqa: BLE001 - explained later, by name, as missing
            self._groups.remove(group)
            names = ", ".join(group.series)
            self._measurement.lost.append(Missing(f"probes {names}", _reason(error)))
            return []
        return [
            (
                group.series[name].values,
                # A coarse clock may see nothing at all, and pyperf has no use for a zero.
                Value(
                    max(one.ns, 1) / one.units / 1e9,
                    max(1, int(one.units)),
                    run,
                    number,
                    position,
                    {"page_faults": one.faults},
                ),
            )
            for name, one in taken.items()
        ]

    def _take_value(self, entry: _Entry, run: int, number: int, position: int) -> Value:
        target = self._settings.min_time
        while True:
            extras: dict[str, Extra] = {"load_avg_1min": load_average()}
            rest()
            before = clock_mhz()
            sample = entry.session.run(entry.loops)
            after = clock_mhz()
            seconds = sample.ns / 1e9
            if sample.ns <= 0:
                raise WrongOutputError(f"a time of {sample.ns} ns for {entry.loops} calls")
            if seconds >= target or entry.loops >= _MOST_LOOPS:
                break
            # Faster than when it was calibrated: this value would be too short.
            entry.loops = _more_loops(entry.loops, seconds, target)
        if before is not None and after is not None:
            extras["clock_mhz"] = round((before + after) / 2, 1)
        extras.update(sample.extras)
        return Value(seconds / entry.loops, entry.loops, run, number, position, extras)

    def _lose(self, entry: _Entry, error: Exception) -> None:
        """Drop a cell with the reason; a path that died takes all its cells along."""
        gone = [entry]
        if isinstance(error, PathDiedError):
            gone = [other for other in self._entries if other.cell.path == entry.cell.path]
        for each in gone:
            self._entries.remove(each)
            _quietly_quit(each.session)
            self._measurement.lost.append(Missing(each.cell.name, _reason(error)))


def _more_loops(loops: int, seconds: float, target: float) -> int:
    """Loops for a value of `target` seconds; in small steps while the time says little."""
    if seconds * 10 < target:
        return loops * 10
    return max(loops + 1, math.ceil(loops * target / seconds * _MARGIN))


def _quietly_quit(session: Path) -> None:
    with contextlib.suppress(Exception):  # it is being thrown away
        session.quit()


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    name = type(error).__name__
    if isinstance(error, WrongOutputError):
        return f"wrong output: {text}"
    return f"{name}: {text}" if text else name
