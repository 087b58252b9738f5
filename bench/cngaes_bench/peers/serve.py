"""The paths of this process as a peer: `python -m cngaes_bench.peers.serve cpu hashlib`.

So another Python, with another build of the package, joins a measurement; and the price of the
pipe itself can be measured: the same path, here and there. `--suffix=-old` adds to the names.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ..buffers import Buffers
from ..cases import Case
from ..cells import REUSED, Cell
from ..paths import REGISTRY, Open, find
from ..paths.base import Path, UnavailableError, UnsupportedError
from ..workload import Workload

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Answer = dict[str, object]


class Server:
    """Answers the five questions with in-process paths; keeps what it has prepared."""

    def __init__(
        self, paths: Iterable[str], suffix: str = "", registry: Mapping[str, Open] = REGISTRY
    ) -> None:
        self._workload, self._buffers = Workload(), Buffers()
        self._suffix = suffix
        self._open = {name + suffix: find(name, registry) for name in paths}
        self._sessions: dict[Cell, tuple[Path, Answer]] = {}
        self._current: Path | None = None

    def answer(self, question: dict[str, Any]) -> Answer:
        """Answer one question; whatever goes wrong is an answer as well."""
        try:
            [(word, value)] = question.items()
            if word == "hello":
                return self._hello()
            if word == "prepare":
                return self._prepare(value)
            if word == "run":
                sample = self._session().run(value)
                return {"ns": sample.ns, "extras": sample.extras}
            if word == "verify":
                return {"ok": asdict(self._session().verify())}
        except UnsupportedError as error:
            return {"unsupported": str(error)}
        except Exception as error:  # noqa: BLE001 - the other side decides what to do
            return {"error": f"{type(error).__name__}: {error}"}
        return {"error": f"unknown question {word!r}"}

    def _session(self) -> Path:
        if self._current is None:
            raise RuntimeError("run or verify before prepare")
        return self._current

    def _hello(self) -> Answer:
        offers: list[str] = []
        versions, missing = {}, {}
        for name, open_path in self._open.items():
            try:
                hello = open_path(self._workload, self._buffers).hello()
            except UnavailableError as error:
                missing[name] = str(error)
                continue
            offers += [f"{name}/{offer.rpartition('/')[2]}" for offer in hello.paths]
            versions[name] = hello.version
        return {
            "name": f"python{self._suffix}",
            "version": platform.python_version(),
            "arch": platform.machine() or "unknown",
            "paths": offers,
            "versions": versions,
            "missing": missing,
        }

    def _prepare(self, asked: dict[str, Any]) -> Answer:
        cell = Cell(
            Case.parse(asked["case"]),
            asked["path"],
            asked["placement"],
            asked.get("key", REUSED),
            asked.get("threads", 1),
        )
        if cell not in self._sessions:
            session = find(cell.path, self._open)(self._workload, self._buffers)
            own_name = cell.path.removesuffix(self._suffix)
            prepared = session.prepare(replace(cell, path=own_name))
            answer: Answer = {
                "ok": asdict(prepared.fingerprint),
                "ns": prepared.ns,
                "details": prepared.details,
            }
            self._sessions[cell] = session, answer
        self._current, answer = self._sessions[cell]
        return answer


def main() -> int:
    """Serve until told to quit, or until nobody asks any more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", choices=sorted(REGISTRY), metavar="PATH")
    parser.add_argument("--suffix", default="", help="added to the names of the paths")
    given = parser.parse_args()
    server = Server(given.paths, given.suffix)
    for line in sys.stdin:
        question = json.loads(line)
        if "quit" in question:
            return 0
        print(json.dumps(server.answer(question)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
