"""What `explain` finds out, as plain data: the report draws from this and from nothing else.

All times are nanoseconds of one call. The JSON form stands in the suite's own file, so that the
same numbers can be read, drawn and checked later, on another machine too.
"""

from __future__ import annotations

import json
import math
import types
import typing
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, Final, Literal, Self, cast

SCHEMA = 1
SUPPORTED: Final = "supported"
REFUTED: Final = "refuted"
CANNOT_TELL: Final = "cannot tell"
Outcome = Literal["supported", "refuted", "cannot tell"]

_SUM_TOLERANCE = 1e-6


class BadExplanationError(ValueError):
    """Text that is no explanation of this schema; it says where it stops being one."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and the 95 % interval that bootstrapping its samples gives."""

    low: float
    value: float
    high: float

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.low, self.value, self.high))):
            raise ValueError(f"an interval is made of numbers, not {self}")
        if self.low > self.high:
            raise ValueError(f"an interval from {self.low} to {self.high} is upside down")

    def scaled(self, factor: float) -> Interval:
        """Multiply by something that is known exactly."""
        ends = sorted((self.low * factor, self.high * factor))
        return Interval(ends[0], self.value * factor, ends[1])

    @property
    def width(self) -> float:
        """Width as a share of the value: 0.1 for 95..105."""
        return (self.high - self.low) / abs(self.value) if self.value else math.inf


@dataclass(frozen=True, slots=True)
class Term:
    """One bar of a waterfall: `count` events of `unit_ns` each, or a whole measured by `probe`.

    `name` is a key (engine, faults, fill, copies, release, calls), `label` says it in words.
    """

    name: str
    label: str
    predicted: Interval
    count: float | None
    unit_ns: Interval | None
    probe: str  # name of the ProbeValue that it comes from


@dataclass(frozen=True, slots=True)
class Waterfall:
    """What one result should have taken, term by term, and what it took.

    Terms predict the time in which the program ran, which is `measured`; `wall` is longer on a busy
    machine, and nothing else is. `predicted` is the sum of the terms. With something `missing`
    (names of probes or engines that were not measured) the sum is not whole, and proves nothing.
    """

    result_name: str
    wall: Interval  # median of the rounds, as a user waits for it
    measured: Interval  # the same, less the time in which other programs or the host had the CPU
    terms: tuple[Term, ...]
    predicted: Interval  # resampled together, as the probes share their rounds
    residual: Interval  # measured less predicted, likewise
    missing: tuple[str, ...]

    def __post_init__(self) -> None:
        total = sum(term.predicted.value for term in self.terms)
        if not math.isclose(total, self.predicted.value, rel_tol=_SUM_TOLERANCE, abs_tol=1e-3):
            raise ValueError(
                f"{self.result_name}: terms of {total:.1f} ns make no sum of "
                f"{self.predicted.value:.1f} ns"
            )

    @property
    def complete(self) -> bool:
        """Whether every term has its probe."""
        return not self.missing

    @property
    def away(self) -> float:
        """Nanoseconds of a call that went to other programs and the host."""
        return self.wall.value - self.measured.value

    @property
    def residual_share(self) -> float:
        """Residual as a share of the measured median; nan where a clock was too coarse for it."""
        return self.residual.value / self.measured.value if self.measured.value else math.nan


@dataclass(frozen=True, slots=True)
class Break:
    """A size from which on a byte costs another amount, and the cache that ends near it."""

    size: int
    per_byte_before: float
    per_byte_after: float
    cache: str  # "L2 (2 MiB)", or empty when no cache has about this size


@dataclass(frozen=True, slots=True)
class FitPoint:
    """One measured size of a fit; `residual` is (measured - fitted) / measured."""

    size: int
    measured: float
    residual: float


@dataclass(frozen=True, slots=True)
class Fit:
    """time = fixed + per_byte * size for one way of doing one task, over several sizes.

    `crossover_bytes` is the size from which on the bytes cost more than the call: None when the
    line has no such size.
    """

    task: str  # algorithm/direction
    path: str
    placement: str
    key: str
    threads: int
    fixed: Interval
    per_byte: Interval
    breaks: tuple[Break, ...]
    residuals: tuple[FitPoint, ...]
    crossover_bytes: float | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A hypothesis held against the data of this run."""

    hypothesis: str
    prediction: str
    observation: str
    verdict: Outcome
    reason: str


@dataclass(frozen=True, slots=True)
class ProbeValue:
    """What a probe found: `unit` is what one event is, such as "page fault" or "byte copied"."""

    name: str
    label: str
    unit: str
    ns: Interval  # of one unit
    samples: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything together."""

    waterfalls: tuple[Waterfall, ...] = ()
    fits: tuple[Fit, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    probes: tuple[ProbeValue, ...] = ()

    def to_json(self) -> str:
        """Write one line of JSON."""
        return json.dumps({"schema": SCHEMA, **asdict(self)}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote. Raises BadExplanationError."""
        try:
            data = json.loads(text)
        except (TypeError, ValueError) as error:
            raise BadExplanationError(f"the explanation is not JSON: {error}") from error
        if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA:
            raise BadExplanationError(f"the explanation is not of schema {SCHEMA}")
        return cast("Self", _build(cls, data, "explanation"))


def _build(wanted: Any, data: Any, where: str) -> Any:
    """Make `wanted` of JSON values; what is missing, unknown or of a wrong type is named."""
    if is_dataclass(wanted):
        return _build_object(cast("type", wanted), data, where)
    origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
    if origin is tuple:
        if not isinstance(data, list):
            raise BadExplanationError(f"{where} is no list")
        return tuple(_build(arguments[0], each, f"{where}[{i}]") for i, each in enumerate(data))
    if origin in (typing.Union, types.UnionType):
        if data is None and types.NoneType in arguments:
            return None
        return _build(arguments[0], data, where)
    if origin is Literal:
        if data not in arguments:
            raise BadExplanationError(f"{where} is {data!r}, not one of {', '.join(arguments)}")
        return data
    allowed: tuple[type, ...] = (int, float) if wanted is float else (wanted,)
    if not isinstance(data, allowed) or isinstance(data, bool):
        raise BadExplanationError(f"{where} is {data!r}, not {wanted.__name__}")
    return data


def _build_object(wanted: type, data: Any, where: str) -> Any:
    hints = typing.get_type_hints(wanted)
    names = [each.name for each in fields(wanted)]
    if not isinstance(data, dict) or set(data) != set(names):
        found = ", ".join(data) if isinstance(data, dict) else repr(data)
        raise BadExplanationError(f"{where} has not the fields {', '.join(names)}: {found}")
    values = {name: _build(hints[name], data[name], f"{where}.{name}") for name in names}
    try:
        return wanted(**values)
    except ValueError as error:
        raise BadExplanationError(f"{where}: {error}") from error
