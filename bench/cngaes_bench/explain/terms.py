"""Waterfalls: what a result should take, by counted events and the probes of their prices."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..cells import INPLACE, INTO, Cell
from ..events import EVENTS, Events
from ..explanation import ProbeValue, Term, Waterfall
from ..machine import RUNNING, WORK_CLOCK, page_size
from .probes import fresh_name, memory_size
from .samples import ZERO, Estimate, Resampler

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from ..measurement import Measurement, Result, Value

# Whose loop over reused buffers is the engine of a path, where it is not the path's own.
ENGINES = {"cpu": "kernel", "cpu-ctypes": "kernel", "cng": "cng-kernel", "cng-ctypes": "cng-kernel"}
_FEW = 0.01  # below this share of its pages fresh memory is memory that was recycled


class Prices:
    """Probes and results of a measurement as estimates, each worked out once."""

    def __init__(self, measurement: Measurement) -> None:
        self.measurement = measurement
        moments = {v.moment for r in measurement.results for v in r.values}
        moments |= {v.moment for p in measurement.probes for v in p.values}
        self.resampler = Resampler(sorted(moments))
        self._series = {probe.name: probe for probe in measurement.probes}
        self._known: dict[str, Estimate | None] = {}
        self._work: dict[str, Estimate] = {}
        self.page = _page(measurement)
        self.has_work_clock = measurement.machine.get(WORK_CLOCK) == RUNNING

    def probe(self, name: str) -> Estimate | None:
        """Nanoseconds of one unit of a probe; None if it was not taken."""
        if name not in self._known:
            series = self._series.get(name)
            values = {v.moment: v.seconds * 1e9 for v in series.values} if series else {}
            self._known[name] = self.resampler.median(values)
        return self._known[name]

    def faults_a_page(self, name: str) -> float:
        """How many faults a fresh page took in a probe: 1, or less with huge pages."""
        series = self._series.get(name)
        if series is None:
            return 1.0
        shares = sorted(float(v.extras.get("page_faults", 0)) / v.loops for v in series.values)
        return shares[len(shares) // 2]

    def of(self, result: Result, read: Callable[[Value], float | None]) -> Estimate | None:
        """Take the median of something about the values of a result."""
        found = ((value.moment, read(value)) for value in result.values)
        return self.resampler.median({moment: x for moment, x in found if x is not None})

    def wall(self, result: Result) -> Estimate:
        """Nanoseconds of a call, as a user waits for it."""
        return self.of(result, lambda value: value.seconds * 1e9) or ZERO

    def work(self, result: Result) -> Estimate:
        """Nanoseconds of a call in which the program ran."""
        return (
            self.of(result, lambda value: value.seconds * 1e9 - self._away(result, value)) or ZERO
        )

    def _away(self, result: Result, value: Value) -> float:
        """Time of a value in which the process was stopped against its will.

        A process that gave the CPU up by itself (a sleep, a lock) did so as part of its work.
        """
        if not self.has_work_clock or result.cell.threads > 1 or "cpu_ns" not in value.extras:
            return 0.0
        if value.number("voluntary_switches"):
            return 0.0
        return max(0.0, value.seconds * 1e9 - value.number("cpu_ns") / value.loops)

    def values(self) -> tuple[ProbeValue, ...]:
        """Give all probes with their intervals."""
        found = []
        for name, series in self._series.items():
            estimate = self.probe(name)
            if estimate is not None:
                interval, count = estimate.interval, len(series.values)
                found.append(ProbeValue(name, series.label, series.unit, interval, count))
        return tuple(found)


def _page(measurement: Measurement) -> int:
    """Bytes of a page of the machine that was measured, which need not be this one."""
    words = measurement.machine.get("page_size", "").split()
    return int(words[0]) if words and words[0].isdigit() else page_size()


def engine_cell(cell: Cell) -> Cell:
    """Name the result that is the engine's own time for this one."""
    # Work over its own input moves half the memory: that is another loop.
    placement = INPLACE if cell.placement == INPLACE else INTO
    return replace(cell, path=ENGINES.get(cell.path, cell.path), placement=placement, again=False)


@dataclass(frozen=True)
class Prediction:
    """A waterfall, and its terms as estimates, for whoever wants to calculate with them."""

    result: Result
    waterfall: Waterfall
    terms: Mapping[str, Estimate]

    def sum_of(self, names: Container[str]) -> Estimate:
        """Add some of the terms."""
        return sum((one for name, one in self.terms.items() if name in names), start=ZERO)


def predict(prices: Prices) -> tuple[Prediction, ...]:
    """Explain every result that is not an engine itself, one thread and no twin."""
    return tuple(
        predict_one(prices, result)
        for result in prices.measurement.results
        if result.cell.threads == 1 and not result.cell.again and has_layers(result.cell)
    )


def has_layers(cell: Cell) -> bool:
    """Whether there is anything to take apart: no loop in C++, no digest of a library."""
    if cell.path in ENGINES.values():
        return False
    if cell.path in ENGINES:
        return True
    return engine_cell(cell) != replace(cell, again=False) and cell.case.mode != "sha256"


@dataclass
class _Sum:
    """Terms as they are found, and what was missing on the way."""

    prices: Prices
    terms: list[Term] = field(default_factory=list)
    estimates: dict[str, Estimate] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def whole(self, name: str, label: str, estimate: Estimate, probe: str) -> None:
        """Add a term that is one measured thing."""
        self.add(Term(name, label, estimate.interval, None, None, probe), estimate)

    def add(self, term: Term, estimate: Estimate) -> None:
        """Add any term."""
        self.terms.append(term)
        self.estimates[term.name] = estimate

    def events(self, name: str, label: str, count: Estimate | float, probe: str) -> None:
        """Add so many events at the price of a probe."""
        number = count.value if isinstance(count, Estimate) else count
        if number <= 0:
            return
        unit = self.prices.probe(probe)
        if unit is None:
            self.missing.append(probe)
            return
        estimate = unit * count
        self.add(Term(name, label, estimate.interval, number, unit.interval, probe), estimate)


def predict_one(prices: Prices, result: Result) -> Prediction:
    """Predict one result term by term, and hold the sum against what was measured."""
    measured, found = prices.work(result), _Sum(prices)
    if EVENTS not in result.details:
        found.missing.append(f"events of {result.cell.way}: nobody counted them")
    own = Events.from_text(result.details.get(EVENTS, "none"))
    engine = _engine(prices, result, found)
    # What the engine's own loop does is in its time already.
    known = Events.from_text(engine.details.get(EVENTS, "none")) if engine else Events()
    _memory(prices, result, own, found)
    _calls(prices, own, known, found)
    total = sum(found.estimates.values(), start=ZERO)
    waterfall = Waterfall(
        result.cell.name,
        prices.wall(result).interval,
        measured.interval,
        tuple(found.terms),
        total.interval,
        (measured - total).interval,
        tuple(dict.fromkeys(found.missing)),
    )
    return Prediction(result, waterfall, found.estimates)


def _engine(prices: Prices, result: Result, found: _Sum) -> Result | None:
    cell = engine_cell(result.cell)
    engine = prices.measurement.find(cell)
    if engine is None:
        found.missing.append(f"engine: {cell.name}")
        return None
    found.whole("engine", f"engine ({cell.way})", prices.work(engine), cell.name)
    return engine


def _memory(prices: Prices, result: Result, events: Events, found: _Sum) -> None:
    size = memory_size(result.cell.case.size)
    zeroed, copied, fault, advised, release, unadvised, fill, copy = (
        _name(prices, kind, size)
        for kind in (
            "zeroed", "copied", "fault", "advised", "release", "advised-release", "fill", "copy",
        )
    )  # fmt: skip
    faults = prices.of(result, lambda value: value.number("page_faults") / value.loops)
    counted, pages = (faults.value if faults else 0.0), events.fresh / prices.page
    asked = events.advised / prices.page
    # Faults if all of it comes fresh from the system.
    due = (pages - asked) * prices.faults_a_page(fault) + asked * prices.faults_a_page(advised)
    share = min(1.0, counted / due) if due else 0.0
    share = 0.0 if share < _FEW else share
    page = share / prices.page
    found.events("zeroed", "fresh pages filled with zeros", events.zeroed * page, zeroed)
    found.events("copied", "fresh pages filled by copies", events.copied * page, copied)
    beyond = max(0.0, counted - due) if counted > max(due, 1.0) * (1 + _FEW) else 0.0
    found.events("faults", "first touches of fresh pages", events.written * page + beyond, fault)
    found.events("advised", "first touches of advised pages", events.advised * page, advised)
    used = 1.0 - share
    found.events(
        "fills", "bytes zeroed in memory in use", events.fills + events.zeroed * used, fill
    )
    found.events(
        "copies", "bytes copied in memory in use", events.copies + events.copied * used, copy
    )
    loops = max((value.loops for value in result.values), default=1)
    # The last result of a value is let go outside of the clock.
    given_back = events.freed + events.returned * (loops - 1) / loops
    found.events("release", "pages given back", given_back * page, unadvised if asked else release)


def _name(prices: Prices, kind: str, size: int) -> str:
    """Name the probe of this size; for lack of it, one of another size will do."""
    name = fresh_name(kind, size)
    if prices.probe(name) is not None:
        return name
    others = [each.name for each in prices.measurement.probes if each.name.startswith(f"{kind}/")]
    return others[-1] if others else name


def _calls(prices: Prices, own: Events, known: Events, found: _Sum) -> None:
    foreign, arguments = own.foreign - known.foreign, own.arguments - known.arguments
    if foreign > 0:
        bare, ten = prices.probe("foreign-call"), prices.probe("foreign-call-10")
        if bare is None or ten is None:
            found.missing.append("foreign-call")
        else:
            cost = bare * foreign + (ten - bare) * (arguments / 10)
            unit = (cost * (1 / foreign)).interval
            term = Term("foreign", "ctypes calls", cost.interval, foreign, unit, "foreign-call-10")
            found.add(term, cost)
    for name, label, probe in (
        ("extension", "calls of compiled methods", "extension-call"),
        ("functions", "Python functions around the call", "function-call"),
        ("buffers", "ctypes buffers made", "small-buffer"),
        ("reads", "bytes objects made of them", "small-read"),
    ):
        found.events(name, label, getattr(own, name) - getattr(known, name), probe)
