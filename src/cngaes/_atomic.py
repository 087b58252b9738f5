"""A file that appears under its name whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

_O_TMPFILE = getattr(os, "O_TMPFILE", 0)
_HAS_DIR_FD = os.link in os.supports_dir_fd and os.rename in os.supports_dir_fd
# What a file system says that knows no files without a name.
_NO_TMPFILE = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT)
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_CLOEXEC", 0)


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Let errors of reading and writing name the file."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = path
        raise


class AtomicFile:
    """Written at any offset, by several threads at once, then renamed to its name by commit().

    Before that, or without it, nothing is seen under the name, and the old file stays. Where Linux
    allows, the new file has no name at all while it is written, so that even a killed process
    leaves nothing. Leaving `with` without commit() discards it.
    """

    def __init__(self, path: str | os.PathLike[str], *, mode: int, fsync: bool) -> None:
        self.path = os.path.realpath(os.fspath(path))  # a symbolic link stays, its target changes
        self._fsync = fsync
        self._lock = threading.Lock()
        self._fd = -1
        self._dir_fd: int | None = None
        folder, self._name = os.path.split(self.path)
        # Not made of the name, which may be as long as a name can be.
        self._temp = f".cngaes-{os.urandom(8).hex()}.tmp"
        self._has_name = False
        old = self._stat_old()
        if old is not None:
            mode = stat.S_IMODE(old.st_mode) & 0o777
        try:
            if _HAS_DIR_FD:
                self._dir_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _BINARY)
                self._folder = ""
            else:
                self._folder = folder
            self._open(folder, mode)
            if old is not None and hasattr(os, "fchmod"):
                os.fchmod(self._fd, mode)  # what umask took away from the old file's mode
        except BaseException:
            self.discard()
            raise

    def _stat_old(self) -> os.stat_result | None:
        try:
            old = Path(self.path).stat()
        except FileNotFoundError:
            return None
        if stat.S_ISDIR(old.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.path)
        if not stat.S_ISREG(old.st_mode):
            raise ValueError(
                f"dst must be a regular file, {self.path!r} is a device, pipe or socket"
            )
        return old

    def _open(self, folder: str, mode: int) -> None:
        if _O_TMPFILE and self._dir_fd is not None:
            try:
                self._fd = os.open(folder, _O_TMPFILE | os.O_RDWR | _BINARY, mode)
            except OSError as error:
                if error.errno not in _NO_TMPFILE:
                    raise
            else:
                if Path(
                    self._fd_path()
                ).exists():  # else /proc is not mounted: it could get no name
                    return
                os.close(self._fd)
                self._fd = -1
        self._has_name = True
        self._fd = os.open(
            self._at(self._temp),
            os.O_CREAT | os.O_EXCL | os.O_RDWR | _BINARY,
            mode,
            **self._dir("dir_fd"),
        )

    def _fd_path(self) -> str:
        return f"/proc/self/fd/{self._fd}"

    def _at(self, name: str) -> str:
        return name if self._dir_fd is not None else os.path.join(self._folder, name)  # noqa: PTH118

    def _dir(self, *names: str) -> dict[str, int]:
        return {} if self._dir_fd is None else dict.fromkeys(names, self._dir_fd)

    def write_at(self, data: memoryview, offset: int) -> None:
        """Write all of data at offset."""
        with naming(self.path):
            while len(data) > 0:
                if hasattr(os, "pwrite"):
                    written = os.pwrite(self._fd, data, offset)
                else:
                    with self._lock:
                        os.lseek(self._fd, offset, os.SEEK_SET)
                        written = os.write(self._fd, data)
                data = data[written:]
                offset += written

    def commit(self) -> None:
        """Give the file its name; after that it is there for good, if fsync was asked for."""
        with naming(self.path):
            if self._fsync:
                os.fsync(self._fd)
            if not self._has_name:
                self._has_name = True  # before the call: discard() looks for it from now on
                os.link(
                    self._fd_path(),
                    self._temp,
                    **self._dir("src_dir_fd", "dst_dir_fd"),
                    follow_symlinks=True,
                )
            fd, self._fd = self._fd, -1
            os.close(fd)
            os.replace(  # noqa: PTH105 - relative to the open folder
                self._at(self._temp), self._at(self._name), **self._dir("src_dir_fd", "dst_dir_fd")
            )
            self._has_name = False
            if self._fsync and self._dir_fd is not None:
                os.fsync(self._dir_fd)

    def discard(self) -> None:
        """Leave nothing of what was not committed."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)
        if self._has_name:
            self._has_name = False
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._at(self._temp), **self._dir("dir_fd"))
        if self._dir_fd is not None:
            fd, self._dir_fd = self._dir_fd, None
            os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.discard()
