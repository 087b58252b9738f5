"""A path in another process: the five operations, asked over a pipe."""

from __future__ import annotations

import math
import re
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from ..cells import INPLACE, INTO, NEW, PLACEMENTS
from ..outputs import Fingerprint, WrongOutputError
from ..paths.base import Extra, Hello, Prepared, Sample, UnavailableError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..cells import Cell
    from .process import PeerProcess

# Time limits. A machine may be slow and busy; what is beyond these does not come any more.
PATIENCE = 30.0
_STARTING = 30.0  # a virtual machine that starts
_SLOWEST = 4e6  # bytes a second
_TIMES_AS_LONG = 20.0

_TIME_SLACK = 1.01  # our clock and the peer's need not tick alike
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_FIELDS = {  # the first two are shorter when the output is
    "first8": re.compile(r"(?:[0-9a-f]{2}){1,8}"),
    "last16": re.compile(r"(?:[0-9a-f]{2}){1,16}"),
    "sha256": re.compile(r"[0-9a-f]{64}"),
}
_OFFERED = (INTO, NEW, INPLACE)


class Peer:
    """One running program, shared by the sessions of all its cells.

    It keeps the cells it has prepared; `select` makes one of them the current one again.
    """

    def __init__(self, process: PeerProcess, patience: float = PATIENCE) -> None:
        self.process = process
        self.missing: dict[str, str] = {}  # paths that it would have, and why it has not
        self._patience = patience
        self._current: tuple[object, ...] | None = None
        self._known: dict[tuple[object, ...], Prepared] = {}
        self._seconds: dict[tuple[object, ...], float] = {}  # a call, as far as known
        self._hellos: dict[str, Hello] | None = None

    def greet(self) -> None:
        """Ask for the names without waiting, so that several programs can start together."""
        self.process.send({"hello": 1})

    def hello(self) -> dict[str, Hello]:
        """Say who answers: each path of the program, with the placements it offers."""
        if self._hellos is None:
            answer = self.process.receive(self._patience + _STARTING)
            self._hellos = self._read_hello(answer)
        return self._hellos

    def _read_hello(self, answer: dict[str, Any]) -> dict[str, Hello]:
        texts = [answer.get(name) for name in ("name", "version", "arch")]
        offers, versions = answer.get("paths"), answer.get("versions", {})
        missing = answer.get("missing", {})
        if not all(isinstance(text, str) and text for text in texts):
            raise self.process.misunderstood(answer, "no name, version and arch")
        if not isinstance(versions, dict) or not isinstance(missing, dict):
            raise self.process.misunderstood(answer, "versions and missing are objects")
        if not isinstance(offers, list) or not all(isinstance(each, str) for each in offers):
            raise self.process.misunderstood(answer, "no list of paths")
        self.missing = {str(path): str(why) for path, why in missing.items()}
        by_path: dict[str, list[str]] = {}
        for offer in offers:
            path, _, placement = offer.partition("/")
            if not path or (placement and placement not in PLACEMENTS):
                raise self.process.misunderstood(answer, f"no path/placement: {offer}")
            wanted = (placement,) if placement else _OFFERED
            by_path.setdefault(path, []).extend(f"{path}/{each}" for each in wanted)
        return {
            path: Hello(
                path,
                str(versions.get(path, texts[1])),
                str(texts[2]),
                tuple(placements),
                program=self.process.name,
            )
            for path, placements in by_path.items()
        }

    def select(self, cell: Cell) -> Prepared:
        """Make a cell the one that `run` and `verify` mean. The first time, that does it once."""
        question = {
            "case": cell.case.name,
            "path": cell.path,
            "placement": cell.placement,
            "key": cell.key,
            "threads": cell.threads,
        }
        wanted = tuple(question.values())
        if wanted == self._current and wanted in self._known:
            return self._known[wanted]
        self._current = None
        limit = self._patience + cell.bytes_per_call / _SLOWEST
        start = perf_counter_ns()
        answer = self.process.ask({"prepare": question}, limit)
        took = perf_counter_ns() - start
        if "unsupported" in answer:
            raise UnsupportedError(str(answer["unsupported"]))
        fingerprint = self._fingerprint(answer)
        known = self._known.get(wanted)
        if known is None:
            ns = self._nanoseconds(answer, answer.get("ns", 0), took)
            known = Prepared(fingerprint, self._details(answer), ns)
            self._known[wanted], self._seconds[wanted] = known, took / 1e9
        elif why := fingerprint.difference(known.fingerprint):
            raise WrongOutputError(why)
        self._current = wanted
        return known

    def run(self, cell: Cell, loops: int) -> Sample:
        """Time the cell."""
        self.select(cell)
        assert self._current is not None
        limit = self._patience + _TIMES_AS_LONG * loops * self._seconds[self._current]
        start = perf_counter_ns()
        answer = self.process.ask({"run": loops}, limit)
        took = perf_counter_ns() - start
        ns = self._nanoseconds(answer, answer.get("ns"), took)
        self._seconds[self._current] = ns / loops / 1e9
        extras = self._extras(answer)
        # What pipes, JSON and the peer's own care for its buffers took; not part of the value.
        extras["protocol_ns"] = max(0, took - ns)
        return Sample(ns, extras)

    def verify(self, cell: Cell) -> Fingerprint:
        """Fingerprint of what the last run left."""
        self.select(cell)
        limit = self._patience + 2 * cell.bytes_per_call / _SLOWEST
        return self._fingerprint(self.process.ask({"verify": 1}, limit))

    # Nothing that comes over the pipe is believed before it was looked at.

    def _fingerprint(self, answer: dict[str, Any]) -> Fingerprint:
        found = answer.get("ok")
        if not isinstance(found, dict):
            raise self.process.misunderstood(answer, "no fingerprint")
        for name, hex_digits in _FIELDS.items():
            text = found.get(name)
            if not isinstance(text, str) or not hex_digits.fullmatch(text):
                raise self.process.misunderstood(answer, f"{name} is not in hex")
        return Fingerprint(**{name: found[name] for name in _FIELDS})

    def _nanoseconds(self, answer: object, ns: object, took: int) -> int:
        if not isinstance(ns, int) or isinstance(ns, bool) or ns < 0:
            raise self.process.misunderstood(answer, "no whole number of nanoseconds")
        if ns > took * _TIME_SLACK:
            why = f"more nanoseconds than the {took} that the answer took"
            raise self.process.misunderstood(answer, why)
        return ns

    def _details(self, answer: dict[str, Any]) -> dict[str, str]:
        details = answer.get("details", {})
        if not isinstance(details, dict) or not all(map(_is_word, details)):
            raise self.process.misunderstood(answer, "bad details")
        return {name: str(value) for name, value in details.items()}

    def _extras(self, answer: dict[str, Any]) -> dict[str, Extra]:
        extras: Mapping[str, Any] = answer.get("extras", {})
        if not isinstance(extras, dict) or not all(map(_is_word, extras)):
            raise self.process.misunderstood(answer, "bad extras")
        for value in extras.values():
            if not isinstance(value, int | float | str) or (
                isinstance(value, float) and not math.isfinite(value)
            ):
                raise self.process.misunderstood(answer, "extras are numbers and texts")
        return dict(extras)


def _is_word(name: object) -> bool:
    return isinstance(name, str) and _WORD.fullmatch(name) is not None


class PeerPath:
    """One session with one path of a running program: what the runner sees."""

    def __init__(self, peer: Peer, path: str) -> None:
        self._peer = peer
        self._path = path
        self._cell: Cell | None = None

    def hello(self) -> Hello:
        """Say who answers. Raises UnavailableError if the program has no such path."""
        hellos = self._peer.hello()
        if self._path not in hellos:
            offered = ", ".join(hellos) or "nothing"
            raise UnavailableError(f"{self._peer.process.name} offers {offered}")
        return hellos[self._path]

    def prepare(self, cell: Cell) -> Prepared:
        """Have the program do the cell once."""
        prepared = self._peer.select(cell)
        self._cell = cell
        return prepared

    def run(self, loops: int) -> Sample:
        """Have the program do it `loops` times, by its own clock."""
        return self._peer.run(self._prepared_cell(), loops)

    def verify(self) -> Fingerprint:
        """Ask for the fingerprint of the last output."""
        return self._peer.verify(self._prepared_cell())

    def quit(self) -> None:
        """Let go of the cell; the program stays for the other cells."""
        self._cell = None

    def _prepared_cell(self) -> Cell:
        if self._cell is None:
            raise RuntimeError("run or verify before prepare")
        return self._cell
