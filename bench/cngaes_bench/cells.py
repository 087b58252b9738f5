"""Names of results: who does a case, and how: `case/path/placement[/per-call][/tN][/again]`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .cases import Case, UnknownNameError

INTO, NEW, INPLACE, TYPICAL = "into", "new", "inplace", "typical"
STREAM, STREAM_INTO = "stream", "stream-into"
# How often ctypes code takes fresh memory of the message's size; `typical` is the usual one.
TYPICAL_PASSES = {"typical-1": 1, "typical-2": 2, TYPICAL: 3, "typical-4": 4}
PLACEMENTS = {
    INTO: "a reused buffer",
    NEW: "fresh output returned",
    INPLACE: "over the input",
    TYPICAL: "fresh create_string_buffer and .raw, as people write it: 3 fresh passes",
    "typical-1": "create_string_buffer for the output alone: 1 fresh pass",
    "typical-2": "create_string_buffer and .raw: 2 fresh passes",
    "typical-4": "as typical, and raw + tag: 4 fresh passes",
    STREAM: "a context's update and finalize, fresh output returned",
    STREAM_INTO: "a context's update_into and finalize, a reused buffer",
}
REUSED, PER_CALL = "reused", "per-call"
KEYS = (REUSED, PER_CALL)
AGAIN = "again"

_THREADS = re.compile(r"t([1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Cell:
    """One way to do one case.

    `again` marks the second entry of an A/A pair: the same cell measured twice in every
    round, so that the difference of the two is noise and nothing else.
    """

    case: Case
    path: str
    placement: str
    key: str = REUSED
    threads: int = 1
    again: bool = False

    def __post_init__(self) -> None:
        if self.placement not in PLACEMENTS:
            raise UnknownNameError("placement", self.placement, PLACEMENTS)
        if self.key not in KEYS:
            raise UnknownNameError("key", self.key, KEYS)
        if self.threads < 1:
            raise ValueError(f"threads is 1 or more, not {self.threads}")
        if not self.path or "/" in self.path:
            raise ValueError(f"bad path name {self.path!r}")

    @property
    def way(self) -> str:
        """The name without its case: what a row of a table is called."""
        parts = [self.path, self.placement]
        if self.key == PER_CALL:
            parts.append(PER_CALL)
        if self.threads > 1:
            parts.append(f"t{self.threads}")
        if self.again:
            parts.append(AGAIN)
        return "/".join(parts)

    @property
    def name(self) -> str:
        """The whole name, unique within a measurement."""
        return f"{self.case.name}/{self.way}"

    @property
    def bytes_per_call(self) -> int:
        """Bytes done in one timed call: every thread does the whole case once."""
        return self.case.size * self.threads

    @classmethod
    def parse(cls, name: str) -> Cell:
        """Read a name as `name` writes it."""
        parts = name.split("/")
        if len(parts) < 5:
            raise ValueError(f"bad result name {name!r}: write case/path/placement")
        case, path, placement, rest = Case.parse("/".join(parts[:3])), parts[3], parts[4], parts[5:]
        again = bool(rest) and rest[-1] == AGAIN
        if again:
            rest.pop()
        threads = 1
        if rest and (match := _THREADS.fullmatch(rest[-1])):
            threads = int(match[1])
            rest.pop()
        key = rest.pop() if rest else REUSED
        if rest:
            raise ValueError(f"bad result name {name!r}: too many parts")
        cell = cls(case, path, placement, key, threads, again)
        if cell.name != name:
            raise ValueError(f"bad result name {name!r}: its plain form is {cell.name!r}")
        return cell
