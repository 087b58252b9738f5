"""SHA-256 of files: large ones in pieces, small ones many at a time."""

from __future__ import annotations

import os
import threading
from array import array
from typing import TYPE_CHECKING, Literal, cast, overload

from cngaes._pump import Source, threads_from
from cngaes.exceptions import FileChanged
from cngaes.hashes import sha256, sha256_packed

if TYPE_CHECKING:
    import io
    from collections.abc import Callable, Iterable

    StrPath = str | os.PathLike[str]

# What is read at once: it stays in the second-level cache until it has been hashed.
PIECE = 256 << 10
# Files of at most that many bytes are hashed in step with others, and that many of them at once.
SMALL = 64 << 10
GROUP = 64
# All of a group's bytes.
ROOM = 1 << 20

_OPEN = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def hash_stream(file: io.FileIO, path: str) -> bytes:
    """Hash what an open file still has to give: a pipe, or a file that must not change."""
    source = Source(file, path)
    start = file.tell() if source.is_regular else 0
    state = sha256()
    total = start
    with memoryview(bytearray(PIECE)) as buffer:
        while count := source.read(buffer):
            state.update(buffer[:count])
            total += count
    source.check(total)
    return state.digest()


def hash_file(path: StrPath) -> bytes:
    """Hash one file with SHA-256 (FIPS 180-4); the 32 bytes of the digest.

    Raises OSError, and FileChanged (an OSError) if the file was written to meanwhile.
    """
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as FileIO
        return hash_stream(file, os.fspath(path))


class _Small:
    """Files read whole into one buffer, to be hashed in one call."""

    def __init__(self) -> None:
        self._buffer = bytearray(ROOM)
        self._view = memoryview(self._buffer)
        self._offsets = array("q", [0])
        self._indices: list[int] = []

    def is_full(self) -> bool:
        """Say whether another small file might not fit."""
        return len(self._indices) == GROUP or self._offsets[-1] + SMALL >= ROOM

    def add(self, index: int, path: str) -> bool:
        """Take a file in. False: it is none of the small ones. Raises OSError."""
        fd = os.open(path, _OPEN)
        try:
            before = os.fstat(fd)
            if before.st_mode & 0o170000 != 0o100000 or before.st_size > SMALL:
                return False
            start = self._offsets[-1]
            end = start + before.st_size
            filled = start
            # One byte more than there should be: a file that grew is noticed.
            while count := _read_into(fd, self._view[filled : end + 1]):
                filled += count
                if filled > end:
                    break
            after = os.fstat(fd)
        finally:
            os.close(fd)
        if filled != end or (after.st_size, after.st_mtime_ns) != (
            before.st_size,
            before.st_mtime_ns,
        ):
            raise FileChanged(path)
        self._offsets.append(end)
        self._indices.append(index)
        return True

    def flush(self, results: list[bytes | OSError | None]) -> None:
        """Hash what was taken in."""
        digests = sha256_packed(self._view[: self._offsets[-1]], self._offsets, threads=1)
        for place, index in enumerate(self._indices):
            results[index] = digests[32 * place : 32 * place + 32]
        del self._offsets[1:]
        self._indices.clear()


def _read_into(fd: int, view: memoryview) -> int:
    if hasattr(os, "readv"):
        return os.readv(fd, [view])
    data = os.read(fd, len(view))
    view[: len(data)] = data
    return len(data)


class _Hashing:
    """Threads that take one group of files after another."""

    def __init__(
        self,
        paths: list[str],
        progress: Callable[[int, int], object] | None,
        *,
        stop_at_error: bool,
    ) -> None:
        self.results: list[bytes | OSError | None] = [None] * len(paths)
        self._paths = paths
        self._progress = progress
        self._stop_at_error = stop_at_error
        self._lock = threading.Lock()
        self._next = 0
        self._done = 0
        self._stopped = False
        self.error: BaseException | None = None

    def run(self, threads: int) -> None:
        """Hash all; the calling thread is one of the threads, and the one that tells."""
        helpers = [
            threading.Thread(target=self._help, name="cngaes-hash")
            for _ in range(min(threads, -(-len(self._paths) // GROUP), len(self._paths)) - 1)
        ]
        started = []
        try:
            for helper in helpers:
                try:
                    helper.start()
                except RuntimeError:  # no more threads to be had: it takes longer
                    break
                started.append(helper)
            self._loop(self._progress)
        finally:
            self._stopped = True
            for helper in started:
                helper.join()
        if self.error is not None:
            raise self.error
        if self._progress is not None:
            self._progress(self._done, len(self._paths))

    def _help(self) -> None:
        try:
            self._loop(None)
        except BaseException as error:  # noqa: BLE001 - raised again by run()
            self._stopped = True
            self.error = error

    def _loop(self, progress: Callable[[int, int], object] | None) -> None:
        small = _Small()
        while True:
            large = []
            # One thread opens and reads small files while the others hash: a thread that gives up
            # the GIL for each of four short calls a file would wait for it as often.
            with self._lock:
                first = self._next
                if self._stopped or first == len(self._paths):
                    return
                self._next = min(first + GROUP, len(self._paths))
                for index in range(first, self._next):
                    if small.is_full():
                        small.flush(self.results)
                    if not self._note_error(index, small.add):
                        large.append(index)
                taken = self._next - first
            small.flush(self.results)
            for index in large:
                self._note_error(index, self._hash_large)
            with self._lock:
                self._done += taken
            if progress is not None and self._done < len(self._paths):
                progress(self._done, len(self._paths))

    def _hash_large(self, index: int, path: str) -> bool:
        self.results[index] = hash_file(path)
        return True

    def _note_error(self, index: int, action: Callable[[int, str], bool]) -> bool:
        path = self._paths[index]
        try:
            return action(index, path)
        except OSError as error:
            if error.filename is None:
                error.filename = path
            self.results[index] = error
            if self._stop_at_error:
                raise
            return True


@overload
def hash_files(
    paths: Iterable[StrPath],
    *,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    on_error: Literal["raise"] = "raise",
) -> list[bytes]: ...
@overload
def hash_files(
    paths: Iterable[StrPath],
    *,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    on_error: Literal["return"],
) -> list[bytes | OSError]: ...
def hash_files(
    paths: Iterable[StrPath],
    *,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    on_error: Literal["raise", "return"] = "raise",
) -> list[bytes] | list[bytes | OSError]:
    """Hash many files with SHA-256 (FIPS 180-4); digests of 32 bytes in the order of paths.

    Small files are hashed several in step. threads: how many cores at most; None is all.
    progress(done, total): called from the calling thread with numbers of files. on_error: with
    "return" an OSError stands in the place of a file that could not be read and the others are
    done; with "raise" the first one ends the call.

    Raises OSError, and FileChanged (an OSError) for a file that was written to meanwhile.
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths must be an iterable of paths, not {type(paths).__name__}")
    if on_error not in ("raise", "return"):
        raise ValueError(f"on_error must be 'raise' or 'return', got {on_error!r}")
    hashing = _Hashing(
        [os.fspath(path) for path in paths], progress, stop_at_error=on_error == "raise"
    )
    hashing.run(threads_from(threads))
    return cast("list[bytes | OSError]", hashing.results)
