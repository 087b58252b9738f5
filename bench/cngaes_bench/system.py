"""What the machine does while a value is taken: counters, clock, load and memory."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

import psutil

if sys.platform != "win32":
    import resource

# A clock of the time in which this process ran, if it is fine enough: it stands still while other
# programs have the CPU, and on a virtual machine while the host has it. Windows says 100 ns of its
# own, which is the unit: it counts in ticks of the timer, 10 to 16 ms.
_FINE = 1e-6
HAS_WORK_CLOCK = sys.platform != "win32" and time.get_clock_info("process_time").resolution <= _FINE
work_ns = time.process_time_ns if HAS_WORK_CLOCK else time.perf_counter_ns

CLOCK_ADDS = 100_000
_REST = 0.06
_CLOCK_TRIES = 2  # the faster one: whatever interrupts a loop makes the clock look slow


class Counters(NamedTuple):
    """Counted events of this process up to now."""

    page_faults: int
    voluntary_switches: int
    involuntary_switches: int
    cpu_ns: int

    def since(self, start: Counters) -> dict[str, int]:
        """Count from `start` on."""
        return {name: now - then for name, now, then in zip(self._fields, self, start, strict=True)}


if sys.platform == "win32":

    def counters() -> Counters:
        """Read all counters now."""
        process = psutil.Process()
        switches = process.num_ctx_switches()
        faults = process.memory_info().num_page_faults
        return Counters(faults, switches.voluntary, switches.involuntary, time.process_time_ns())

else:

    def counters() -> Counters:
        """Read all counters now."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        faults = usage.ru_minflt + usage.ru_majflt
        return Counters(faults, usage.ru_nvcsw, usage.ru_nivcsw, time.process_time_ns())


def clock_mhz() -> float | None:
    """Measure the core clock by dependent adds, one a clock; None without the extension."""
    try:
        from cngaes import _core

        nanoseconds = min(_core._clock_loop(CLOCK_ADDS) for _ in range(_CLOCK_TRIES))
    except (ImportError, AttributeError):
        return None
    return CLOCK_ADDS * 1000 / nanoseconds if nanoseconds > 0 else None


def rest() -> None:
    """Let a real-time process sleep, where the system would stop it inside a value otherwise.

    Linux gives real-time processes 95 % of each second (sched_rt_runtime_us).
    """
    if sys.platform == "linux" and os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR):
        time.sleep(_REST)


def load_average() -> float:
    """Tell the mean number of runnable processes over the last minute; 0 where nobody counts."""
    try:
        return float(psutil.getloadavg()[0])
    except (OSError, RuntimeError):  # Windows without performance counters, Wine
        return 0.0


def cpu_count() -> int:
    """Count the CPUs this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_memory() -> int:
    """Tell what this process may still take of the machine's, a container's and its own limit."""
    memory = int(psutil.virtual_memory().available)
    for limit, used in ((_cgroup("memory.max"), _cgroup("memory.current")), _address_space()):
        if limit is not None and used is not None:
            memory = min(memory, limit - used)
    return max(0, memory)


def _cgroup(name: str) -> int | None:
    try:
        text = Path("/sys/fs/cgroup", name).read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _address_space() -> tuple[int | None, int | None]:
    if sys.platform != "win32":
        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            return soft, int(psutil.Process().memory_info().vms)
    return None, None
