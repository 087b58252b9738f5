"""The interface between the runner and whoever does the work: five operations.

A path in this process is a Python object; a path in another process speaks the same five
words over a pipe. The runner knows no difference.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..cells import Cell
    from ..outputs import Fingerprint

Extra = int | float | str


class UnsupportedError(Exception):
    """This path cannot do this cell; the text says why."""


class UnavailableError(Exception):
    """This path cannot be used here at all; the text says why."""


class PathDiedError(Exception):
    """The path is gone: none of its cells can be measured any more."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who answers. `paths` lists what is worth measuring by default, as `path/placement`.

    `program` names another process that does the work and has memory of its own.
    """

    name: str
    version: str
    arch: str
    paths: tuple[str, ...]
    program: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A cell that is ready: the fingerprint of one whole output, made before any timing.

    `ns` is what that one call took, if the path knows: a long call need not be warmed up again.
    """

    fingerprint: Fingerprint
    details: dict[str, str] = field(default_factory=dict)
    ns: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed value: nanoseconds of all loops together, and what was counted meanwhile."""

    ns: int
    extras: dict[str, Extra] = field(default_factory=dict)


class Path(Protocol):
    """One session with a path; it works on one cell at a time."""

    def hello(self) -> Hello:
        """Say who you are. Raises UnavailableError."""

    def prepare(self, cell: Cell) -> Prepared:
        """Get ready and do the cell once. Raises UnsupportedError."""

    def run(self, loops: int) -> Sample:
        """Do the prepared cell `loops` times inside the clock."""

    def verify(self) -> Fingerprint:
        """Fingerprint of the output that the last run left."""

    def quit(self) -> None:
        """Let go of everything."""
