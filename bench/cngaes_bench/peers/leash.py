"""No program outlives the benchmark: however this process ends, its peers end too.

Everywhere a peer sees the end of its standard input. For one that hangs there is more: on POSIX
it leads a session of its own, which is killed as a whole; on Linux the kernel also kills it when
this process dies without a word; on Windows it lives in a job that dies with its last handle.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Runs in between, because a `preexec_fn` is unsafe beside threads: asks for the signal, makes sure
# that the parent did not die before that, and becomes the peer.
_SHIM = """\
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
if os.getppid() != int(sys.argv[1]):
    sys.exit("the benchmark is gone")
try:
    os.execvp(sys.argv[2], sys.argv[2:])
except OSError as error:
    sys.exit(f"{sys.argv[2]}: {error.strerror}")
"""


class Leash:
    """One running program, and the means to end it together with all that it started."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None) -> None:
        self.process: subprocess.Popen[bytes] = subprocess.Popen(
            self._wrapped(list(command)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment} if environment else None,
            start_new_session=True,  # ignored on Windows
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._killed = False
        self._job = _new_job(self.process) if sys.platform == "win32" else None

    @staticmethod
    def _wrapped(command: list[str]) -> list[str]:
        if sys.platform != "linux":
            return command
        return [sys.executable, "-I", "-S", "-c", _SHIM, str(os.getpid()), *command]

    @property
    def streams(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        """Standard input, output and error."""
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return process.stdin, process.stdout, process.stderr

    def wait(self, seconds: float) -> int | None:
        """Give the exit status, or None if the program still runs after that time."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> int | None:
        """End the program and everything that it started; the exit status, if it has one."""
        if self._killed:
            return self.process.poll()  # its number may be another's by now
        self._killed = True
        if sys.platform == "win32":
            if self._job is not None:
                self._job.terminate()
            with contextlib.suppress(OSError):  # it has ended by itself
                self.process.kill()
        else:
            # The group may outlive its leader, and the number stays taken as long as it does. An
            # error: nobody is left in it, or (as macOS says) only what has ended.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        return self.wait(10)


def _new_job(process: subprocess.Popen[bytes]) -> Any:
    from .windows_job import Job

    try:
        # Popen keeps the handle under no public name; one got by its number could be another's.
        return Job(int(process._handle))  # type: ignore[attr-defined]  # Windows' Popen only
    except OSError:
        return None  # an old Windows inside another job: the end of the input has to do
