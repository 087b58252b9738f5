"""A program on the other end of two pipes: one question, one answer, within a time limit."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import sys
import threading
from collections import deque
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any

from ..paths.base import PathDiedError
from .leash import Leash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LONGEST_LINE = 1 << 16
_SLICE = 0.1  # Windows notices Ctrl-C only between two waits
_LAST_WORDS = 200
_FAREWELL = 2.0
_LAST_BREATH = 0.5


class PeerError(Exception):
    """A peer could not do what it was asked, and said why; it is still of use."""


class PeerProcess:
    """Starts a program and asks it. Whatever is wrong with its answers ends it.

    `name` stands in messages. Raises PathDiedError, with the reason, from the moment on when the
    program is gone, cannot be understood or does not answer in time.
    """

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self._dead = ""
        self._waiting = False
        self._last_words: deque[bytes] = deque(maxlen=8)
        # Bounded: a program that talks without end fills its pipe, not our memory.
        self._lines: queue.Queue[bytes] = queue.Queue(8)
        try:
            self._leash = Leash(command, environment)
        except OSError as error:
            # Windows does not say which program it did not find.
            why = f"{command[0]}: {error.strerror or error}"
            raise PathDiedError(f"{name} could not be started: {why}") from error
        self._input, output, errors = self._leash.streams
        self._threads = [
            threading.Thread(target=self._read, args=(output,), daemon=True),
            threading.Thread(target=self._listen, args=(errors,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._leash.process.pid

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return not self._dead

    def ask(self, question: Mapping[str, object], limit: float) -> dict[str, Any]:
        """Send one object and wait `limit` seconds for one. Raises PeerError, PathDiedError."""
        self.send(question)
        return self.receive(limit)

    def send(self, question: Mapping[str, object]) -> None:
        """Send one object; `receive` must follow."""
        if self._dead:
            raise PathDiedError(self._dead)
        if self._waiting:
            raise self._give_up("was left in the middle of a question")
        with contextlib.suppress(queue.Empty):  # as it should be
            if line := self._lines.get_nowait():
                raise self._give_up(f"spoke without being asked: {_shown(line)}")
            raise self._gone()
        self._waiting = True
        try:
            self._input.write(json.dumps(question).encode("ascii") + b"\n")
            self._input.flush()
        except OSError:
            raise self._gone() from None

    def receive(self, limit: float) -> dict[str, Any]:
        """Wait for the answer to what was sent."""
        word, line = "", self._next_line(limit)
        if not line:
            raise self._gone()
        try:
            answer = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            word = "not JSON"
        else:
            if not line.endswith(b"\n"):
                word = "no whole line"
            elif not isinstance(answer, dict):
                word = "no object"
        if word:
            raise self._give_up(f"answered rubbish ({word}): {_shown(line)}")
        self._waiting = False
        if "error" in answer:
            raise PeerError(f"{self.name}: {_shown(str(answer['error']).encode())}")
        return dict(answer)

    def misunderstood(self, answer: object, why: str) -> PathDiedError:
        """End the program because of an answer that makes no sense; raise the result."""
        return self._give_up(f"answered rubbish ({why}): {_shown(json.dumps(answer).encode())}")

    def kill(self) -> None:
        """Make it go at once."""
        self._dead = self._dead or f"{self.name} was closed"
        self._leash.kill()

    def close(self) -> None:
        """Ask it to go, wait a moment, then make it go."""
        if not self._dead:
            if not self._waiting:
                with contextlib.suppress(OSError):  # it has gone already
                    self._input.write(b'{"quit": 1}\n')
                    self._input.flush()
                with contextlib.suppress(OSError):
                    self._input.close()
                self._leash.wait(_FAREWELL)
            self._dead = f"{self.name} was closed"
        self._end()

    # What happens to it.

    def _next_line(self, limit: float) -> bytes:
        deadline = perf_counter() + limit
        while True:
            try:
                return self._lines.get(timeout=_SLICE)
            except queue.Empty:
                if perf_counter() >= deadline:
                    raise self._give_up(f"did not answer within {limit:.0f} s") from None

    def _give_up(self, why: str) -> PathDiedError:
        self._dead = f"{self.name} {why}"
        self._end()
        return PathDiedError(self._dead)

    def _gone(self) -> PathDiedError:
        # Its pipe is closed, so it is about to end, if it has not.
        status = self._leash.wait(_LAST_BREATH)
        if status is None:
            self._leash.kill()
        how = "closed its output" if status is None else _how_it_ended(status)
        self._threads[1].join(_FAREWELL)
        words = " ".join(b" ".join(self._last_words).decode("utf-8", "replace").split())
        self._dead = f"{self.name} {how}" + (f": {words[-_LAST_WORDS:]}" if words else "")
        self._end()
        return PathDiedError(self._dead)

    def _end(self) -> None:
        """Leave nothing behind: no process, no thread, no open file."""
        self._leash.kill()
        deadline = perf_counter() + _FAREWELL
        for thread, stream in zip(self._threads, self._leash.streams[1:], strict=True):
            while thread.is_alive() and perf_counter() < deadline:
                with contextlib.suppress(queue.Empty):  # it may wait for room in the queue
                    self._lines.get_nowait()
                thread.join(0.01)
            if not thread.is_alive():  # else a stranger holds the pipe open
                stream.close()
        with contextlib.suppress(OSError):
            self._input.close()

    # Threads, which end with their pipes.

    def _read(self, output: IO[bytes]) -> None:
        line = b"-"
        while line:
            line = _read_line(output)
            self._lines.put(line)

    def _listen(self, errors: IO[bytes]) -> None:
        while line := _read_line(errors):
            self._last_words.append(line)


def _read_line(stream: IO[bytes]) -> bytes:
    try:
        return stream.readline(_LONGEST_LINE)
    except (OSError, ValueError):  # closed under our hands
        return b""


def _shown(line: bytes) -> str:
    text = " ".join(line.decode("utf-8", "replace").split())
    return text if len(text) <= _LAST_WORDS else f"{text[:_LAST_WORDS]}..."


def _how_it_ended(status: int) -> str:
    if status < 0 and sys.platform != "win32":
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
