"""A Windows job object that kills its processes when the last handle to it is closed."""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from typing import Any

_EXTENDED_LIMITS = 9
_KILL_ON_CLOSE = 0x2000


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", wintypes.DWORD),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", wintypes.DWORD),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", wintypes.DWORD),
        ("SchedulingClass", wintypes.DWORD),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


def _kernel32() -> Any:
    if sys.platform != "win32":
        raise OSError("job objects are Windows'")
    library = ctypes.WinDLL("kernel32", use_last_error=True)
    library.CreateJobObjectW.restype = wintypes.HANDLE
    library.SetInformationJobObject.argtypes = (
        wintypes.HANDLE,
        ctypes.c_int,
        ctypes.c_void_p,
        wintypes.DWORD,
    )
    library.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
    library.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
    return library


class Job:
    """Holds one process and its offspring. Raises OSError when Windows refuses."""

    def __init__(self, process_handle: int) -> None:
        self._library = _kernel32()
        # Never closed by hand: this process's end closes it, and with it ends what still runs.
        self._handle = self._library.CreateJobObjectW(None, None)
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_CLOSE
        size = ctypes.sizeof(limits)
        done = self._handle and self._library.SetInformationJobObject(
            self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), size
        )
        if not done or not self._library.AssignProcessToJobObject(self._handle, process_handle):
            raise OSError("no job object")

    def terminate(self) -> None:
        """End everything in the job."""
        self._library.TerminateJobObject(self._handle, 1)
