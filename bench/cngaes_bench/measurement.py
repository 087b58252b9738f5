"""What a measurement yields, before anybody makes a file or a table of it."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cells import Cell
    from .explanation import Explanation
    from .outputs import Fingerprint
    from .paths.base import Extra

Moment = tuple[int, int]  # run and round: values of one moment can be paired


@dataclass(frozen=True, slots=True)
class Value:
    """One timed value: `seconds` for one call, `loops` calls long."""

    seconds: float
    loops: int
    run: int
    round: int
    position: int  # place in the shuffled order of its round
    extras: dict[str, Extra] = field(default_factory=dict)

    @property
    def moment(self) -> Moment:
        """When it was taken."""
        return self.run, self.round

    def number(self, name: str) -> float:
        """Give something counted beside it; 0 if nobody did."""
        extra = self.extras.get(name, 0)
        return float(extra) if isinstance(extra, int | float) else 0.0


@dataclass(slots=True)
class Result:
    """All values of one cell."""

    cell: Cell
    fingerprint: Fingerprint
    version: str
    details: dict[str, str] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)

    @property
    def seconds(self) -> list[float]:
        """The values alone."""
        return [value.seconds for value in self.values]

    def by_moment(self, run: int | None = None) -> dict[Moment, float]:
        """Map moments to seconds for one case's bytes, for all runs or one.

        Each thread does the whole case in a call, so a call counts as many times.
        """
        threads = self.cell.threads
        return {v.moment: v.seconds / threads for v in self.values if run is None or v.run == run}

    def median_extra(self, name: str) -> float | None:
        """Median of something counted beside the values; None if it never was."""
        found = [v.extras[name] for v in self.values if name in v.extras]
        numbers = [number for number in found if isinstance(number, int | float)]
        return statistics.median(numbers) if numbers else None


@dataclass(slots=True)
class ProbeSeries:
    """All values of one probe, taken in the rounds of the results: seconds of one `unit`."""

    name: str
    label: str
    unit: str
    values: list[Value] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Missing:
    """A cell or a path without values, and why."""

    name: str
    why: str


@dataclass(slots=True)
class Measurement:
    """Results of all cells, what is missing, and everything that is said about the run."""

    seed: int
    min_time: float
    rounds: int
    runs: int = 1
    interrupted: bool = False
    checked_after: bool = False
    results: list[Result] = field(default_factory=list)
    probes: list[ProbeSeries] = field(default_factory=list)
    explanation: Explanation | None = None
    unsupported: list[Missing] = field(default_factory=list)
    lost: list[Missing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    machine: dict[str, str] = field(default_factory=dict)
    command: str = ""

    def find(self, cell: Cell) -> Result | None:
        """Look a result up by its cell."""
        return next((result for result in self.results if result.cell == cell), None)

    def merge(self, other: Measurement) -> None:
        """Take in a group of cells measured after this one with the same settings."""
        self.results += other.results
        self.probes += other.probes
        self.unsupported += other.unsupported
        self.lost += other.lost
        self.notes += [note for note in other.notes if note not in self.notes]
        self.interrupted = self.interrupted or other.interrupted
        self.checked_after = self.checked_after and other.checked_after
        self.rounds = max(self.rounds, other.rounds)
        self.min_time = max(self.min_time, other.min_time)

    def header_json(self) -> str:
        """Write everything but results, probes, explanation and machine, as one line."""
        header: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                "seed",
                "min_time",
                "rounds",
                "runs",
                "interrupted",
                "checked_after",
                "notes",
                "command",
            )
        }
        header["unsupported"] = [asdict(missing) for missing in self.unsupported]
        header["lost"] = [asdict(missing) for missing in self.lost]
        return json.dumps(header)

    @classmethod
    def from_header(cls, text: str) -> Measurement:
        """Read what `header_json` wrote; results and machine are still to come."""
        header = json.loads(text)
        for name in ("unsupported", "lost"):
            header[name] = [Missing(**fields) for fields in header[name]]
        return cls(**header)
