"""A file read in order, worked on by several threads, and written wherever each part belongs."""

from __future__ import annotations

import os
import stat
import threading
from typing import TYPE_CHECKING, Protocol

from cngaes._atomic import naming
from cngaes._chunked import wipe
from cngaes.exceptions import FileChanged

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO

    Progress = Callable[[int, int | None], object]


class Work(Protocol):
    """Turns one batch into what is written for it; the number of bytes in out."""

    def __call__(self, batch: int, data: memoryview, out: memoryview, *, final: bool) -> int: ...


def usable_cores() -> int:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads_from(threads: int | None) -> int:
    """Check the argument; None is as many as this process has cores."""
    if threads is None:
        return usable_cores()
    if threads < 1:
        raise ValueError(f"threads must be at least 1 or None, got {threads}")
    return threads


class Source:
    """An open file, and whether it stays what it was."""

    def __init__(self, file: FileIO, path: str) -> None:
        self._file = file
        self.path = path
        self._before = os.fstat(file.fileno())
        self.is_regular = stat.S_ISREG(self._before.st_mode)
        self.size = self._before.st_size if self.is_regular else None
        self.mode = self._before.st_mode & 0o777 if self.is_regular else 0o666

    def read(self, buffer: memoryview) -> int:
        """Read until the buffer is full or the file ends."""
        filled = 0
        with naming(self.path):
            while filled < len(buffer):
                count = self._file.readinto(buffer[filled:])
                if not count:
                    break
                filled += count
        return filled

    def check(self, num_read: int) -> None:
        """Raise FileChanged if the file is not the one that was opened any more."""
        after = os.fstat(self._file.fileno())
        before = self._before
        if self.is_regular and (
            (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns)
            or num_read != before.st_size
        ):
            raise FileChanged(self.path)

    def is_same(self, path: str | os.PathLike[str]) -> bool:
        """Say whether path leads to this very file."""
        try:
            return os.path.samestat(self._before, os.stat(path))  # noqa: PTH116
        except OSError:
            return False


class Pump:
    """Moves a file through `work`, in_size bytes at a time and the rest as the final part."""

    def __init__(
        self,
        source: Source,
        work: Work,
        write_at: Callable[[memoryview, int], None],
        *,
        in_size: int,
        out_size: int,
        out_start: int,
        progress: Progress | None,
        done: int,
    ) -> None:
        self._source = source
        self._work = work
        self._write_at = write_at
        self._in_size = in_size
        self._out_size = out_size
        self._out_start = out_start
        self._progress = progress
        self._lock = threading.Lock()
        self._batch = 0
        self._at_end = False
        self._error: BaseException | None = None
        self._helpers: list[threading.Thread] = []
        self.done = done  # bytes of the source that are through

    def run(self, threads: int) -> None:
        """Do all of it; the calling thread is one of the threads, and the one that tells."""
        if not self._source.is_regular:
            threads = 1  # a helper that waits for a pipe could not be told to stop
        try:
            self._loop(threads - 1)
        finally:
            self._join()
        if self._error is not None:
            raise self._error
        if self._progress is not None:
            self._progress(self.done, self._source.size)

    def _join(self) -> None:
        # They write to a file that is about to be closed: not even a second Ctrl-C may let go of
        # them. Each ends with the batch it is in.
        interrupted: BaseException | None = None
        while self._helpers:
            try:
                self._helpers[-1].join()
            except KeyboardInterrupt as error:
                interrupted = error
            else:
                self._helpers.pop()
        if interrupted is not None:
            raise interrupted

    def _start(self, helpers: int) -> None:
        size = self._source.size or 0
        for _ in range(min(helpers, size // self._in_size)):
            helper = threading.Thread(target=self._help, name="cngaes-file")
            self._helpers.append(helper)
            try:
                helper.start()
            except RuntimeError:  # no more threads to be had: it takes longer
                self._helpers.pop()
                return

    def _help(self) -> None:
        try:
            self._loop(None)
        except BaseException as error:  # noqa: BLE001 - raised again by run()
            with self._lock:
                if self._error is None:
                    self._error = error

    def _next(self, buffer: memoryview) -> tuple[int, int, bool] | None:
        with self._lock:
            if self._at_end:
                return None
            count = self._source.read(buffer)
            self._at_end = final = count < self._in_size
            batch = self._batch
            self._batch += 1
        return batch, count, final

    def _loop(self, helpers: int | None) -> None:
        # helpers: None in a helper; in the caller how many may be started.
        buffer, out = bytearray(self._in_size), bytearray(self._out_size)
        try:
            with memoryview(buffer) as view, memoryview(out) as out_view:
                while (job := self._next(view)) is not None:
                    batch, count, final = job
                    if helpers and batch == 0 and not final:
                        self._start(helpers)
                    written = self._work(batch, view[:count], out_view, final=final)
                    self._write_at(out_view[:written], self._out_start + batch * self._out_size)
                    with self._lock:
                        self.done += count
                    if helpers is not None and not final and self._progress is not None:
                        self._progress(self.done, self._source.size)
        except BaseException:
            self._at_end = True
            raise
        finally:
            wipe(buffer)
            wipe(out)
