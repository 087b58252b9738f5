"""A build of the package in a process of its own, as a peer (docs/peers.md).

Answers questions on standard input with the package in a folder, by the very code that measures the
path `cpu` in the suite's own process.
"""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .outputs import Fingerprint
    from .paths.base import Path

_PATH = "cpu"


class Server:
    """Keeps every cell that it was asked to prepare; the last one is the current one."""

    def __init__(self, name: str) -> None:
        # Only now: the package that these measure is on the path since a moment ago.
        from .buffers import Buffers
        from .workload import Workload

        self._name = name
        self._workload, self._buffers = Workload(), Buffers()
        self._known: dict[str, tuple[Path, dict[str, Any]]] = {}
        self._current: Path | None = None

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one question; what goes wrong is an answer, too."""
        from .paths.base import UnsupportedError

        try:
            if "hello" in question:
                return self._hello()
            if "prepare" in question:
                return self._prepare(question["prepare"])
            if self._current is None:
                return {"error": "nothing was prepared"}
            if "run" in question:
                sample = self._current.run(question["run"])
                return {"ns": sample.ns, "extras": sample.extras}
            return _ok(self._current.verify())
        except UnsupportedError as error:
            return {"unsupported": str(error)}
        except Exception as error:  # noqa: BLE001 - the other end decides what is lost
            return {"error": f"{type(error).__name__}: {error}"}

    def _open(self) -> Path:
        from .paths import find

        return find(_PATH)(self._workload, self._buffers)

    def _hello(self) -> dict[str, Any]:
        from .paths.base import UnavailableError

        greeting = {
            "name": self._name,
            "version": "unknown",
            "arch": platform.machine() or "unknown",
        }
        try:
            hello = self._open().hello()
        except (UnavailableError, AttributeError) as error:  # a package too old for this suite
            return {**greeting, "paths": [], "missing": {self._name: str(error)}}
        offers = [f"{self._name}/{offer.partition('/')[2]}" for offer in hello.paths]
        return {**greeting, "version": hello.version, "paths": offers}

    def _prepare(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        from .cases import Case
        from .cells import Cell

        key = json.dumps(wanted)
        if key not in self._known:
            self._current = None
            session = self._open()
            cell = Cell(Case.parse(wanted["case"]), _PATH, wanted["placement"], wanted["key"],
                        wanted["threads"])  # fmt: skip
            prepared = session.prepare(cell)
            self._known[key] = session, {
                **_ok(prepared.fingerprint), "ns": prepared.ns, "details": prepared.details,
            }  # fmt: skip
        self._current, answer = self._known[key]
        return answer


def _ok(fingerprint: Fingerprint) -> dict[str, Any]:
    return {"ok": asdict(fingerprint)}


def _questions() -> Iterator[Mapping[str, Any]]:
    for line in sys.stdin:
        question = json.loads(line)
        if "quit" in question:
            return
        yield question


def serve(folder: str, name: str) -> None:
    """Answer with the package in `folder` until the input ends."""
    sys.path.insert(0, folder)
    server = Server(name)
    for question in _questions():
        print(json.dumps(server.answer(question)), flush=True)
