"""Probes: what one event costs on this machine, measured on buffers and calls of their own.

A group of probes runs once a round, between the results, so that both see the same machine. All
are timed by the clock of this process's own running time (`system.work_ns`).
"""

from __future__ import annotations

import ctypes
import mmap
from abc import ABC, abstractmethod
from functools import partial
from itertools import repeat
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from ..cases import format_size
from ..machine import page_size
from ..measurement import ProbeSeries
from ..system import counters, work_ns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..cells import Cell

FRESH_FROM = 32 << 20  # a smaller block may be recycled by the allocator, and costs no fault
_LARGE = 1 << 20
_HUGE_PAGE = 2 << 20  # of x86, and of ARM64 with pages of 4 KiB
SMALL = 1 << 16  # stands for all buffers that fit the caches
_CALLS = 2000
_SMALL_BUFFER = 16


class Taken(NamedTuple):
    """`units` events took `ns` together, with so many page faults."""

    ns: int
    units: float
    faults: int = 0


class Group(ABC):
    """Probes that share their buffers: they are taken together, once a round."""

    series: dict[str, ProbeSeries]

    @abstractmethod
    def take(self) -> dict[str, Taken]:
        """Measure each probe once."""


def _clocked(work: Callable[[], Any], units: float) -> tuple[Taken, Any]:
    before, start = counters(), work_ns()
    result = work()
    ns = work_ns() - start
    return Taken(ns, units, counters().since(before)["page_faults"]), result


def fresh_name(kind: str, size: int) -> str:
    """Name a probe of memory, of which a machine has one for each size."""
    return f"{kind}/{format_size(size)}"


class Memory(Group):
    """Fresh memory by who fills it, memory in use, and giving memory back."""

    def __init__(self, size: int) -> None:
        self._size = size
        pages, name = "page", format_size(size)
        self.series = {
            fresh_name(kind, size): ProbeSeries(fresh_name(kind, size), f"{label}, {name}", unit)
            for kind, label, unit in (
                ("fault", "first touch of a fresh page", pages),
                ("advised", "first touch of a page where huge ones are asked for", pages),
                ("advised-release", "such a page given back", pages),
                ("zeroed", "fresh page filled with zeros (create_string_buffer)", pages),
                ("copied", "fresh page filled by copying (.raw, bytes)", pages),
                ("release", "page given back", pages),
                ("fill", "zeros over memory in use", "byte"),
                ("copy", "copy into memory in use", "byte"),
            )
        }

    def take(self) -> dict[str, Taken]:
        """Make, touch, copy and free blocks, as ctypes code does."""
        size, page = self._size, page_size()
        pages, taken = size / page, {}
        taken["fault"], _ = self._touch(page, advised=False)
        taken["advised"], taken["advised-release"] = self._touch(page, advised=True)
        taken["zeroed"], block = _clocked(partial(ctypes.create_string_buffer, size), pages)
        taken["copied"], raw = _clocked(partial(getattr, block, "raw"), pages)
        taken["fill"], _ = _clocked(partial(ctypes.memset, block, 0, size), size)
        taken["copy"], _ = _clocked(partial(ctypes.memmove, block, raw, size), size)
        start = work_ns()
        del raw
        taken["release"] = Taken(work_ns() - start, pages)
        return {fresh_name(kind, size): one for kind, one in taken.items()}

    def _touch(self, page: int, *, advised: bool) -> tuple[Taken, Taken]:
        """Write a byte to every page of a block that nobody has written; give it back."""
        allocate = ctypes.pythonapi.PyMem_RawMalloc
        free = ctypes.pythonapi.PyMem_RawFree
        allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        free.restype, free.argtypes = None, [ctypes.c_void_p]
        address = allocate(self._size)
        if not address:
            raise MemoryError(f"no {format_size(self._size)} for a probe")
        try:
            if advised:
                advise_huge_pages(address, self._size)
            block = memoryview((ctypes.c_char * self._size).from_address(address)).cast("B")
            ones = b"\1" * -(-self._size // page)

            def touch() -> None:
                block[::page] = ones

            touched, _ = _clocked(touch, len(ones))
        finally:
            start = work_ns()
            free(address)
            released = Taken(work_ns() - start, self._size / page)
        return touched, released


def advise_huge_pages(address: int, size: int) -> None:
    """Ask for huge pages, as the package does for large fresh outputs; without them, nothing."""
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return
    start = -(-address // _HUGE_PAGE) * _HUGE_PAGE
    length = (address + size) // _HUGE_PAGE * _HUGE_PAGE - start
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    madvise(start, length, mmap.MADV_HUGEPAGE)


class Used(Group):
    """Memory in use only: what is smaller than an allocator's threshold costs no faults."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._target = ctypes.create_string_buffer(size)
        self._source = b"\1" * size
        self._loops = max(1, (8 << 20) // size)
        name = format_size(size)
        self.series = {
            fresh_name(kind, size): ProbeSeries(fresh_name(kind, size), f"{label}, {name}", "byte")
            for kind, label in (
                ("fill", "zeros over memory in use"),
                ("copy", "copy into memory in use"),
            )
        }

    def take(self) -> dict[str, Taken]:
        """Fill and copy."""
        target, source, size = self._target, self._source, self._size
        memset, memmove = ctypes.memset, ctypes.memmove

        def fill() -> None:
            for _ in repeat(None, self._loops):
                memset(target, 0, size)

        def copy() -> None:
            for _ in repeat(None, self._loops):
                memmove(target, source, size)

        units = self._loops * size
        return {
            fresh_name("fill", size): _clocked(fill, units)[0],
            fresh_name("copy", size): _clocked(copy, units)[0],
        }


class Calls(Group):
    """What it takes to call something that does nothing."""

    def __init__(self) -> None:
        self.series = {
            name: ProbeSeries(name, label, unit)
            for name, label, unit in (
                ("foreign-call", "ctypes call without arguments", "call"),
                ("foreign-call-10", "ctypes call with ten arguments", "call"),
                ("extension-call", "compiled method over nothing", "call"),
                ("function-call", "Python function over nothing", "call"),
                ("small-buffer", "create_string_buffer of 16 bytes", "buffer"),
                ("small-read", ".raw of 16 bytes", "read"),
                ("clock-reading", "reading the clock", "reading"),
            )
        }
        self._works = dict(self._find())
        for name in set(self.series) - set(self._works):
            del self.series[name]

    def take(self) -> dict[str, Taken]:
        """Loop over each."""
        return {name: _clocked(work, _CALLS)[0] for name, work in self._works.items()}

    def _find(self) -> Iterator[tuple[str, Callable[[], None]]]:
        from ..paths.loops import compile_loop

        def looped(statement: str, **names: Any) -> Callable[[], None]:
            loop = compile_loop(statement, tuple(names))
            return lambda: void(loop(_CALLS, names))

        def void(_: object) -> None:
            """Take no notice."""

        def nothing() -> None:
            """Do nothing."""

        yield "function-call", looped("call()", call=nothing)
        create = ctypes.create_string_buffer
        yield "small-buffer", looped("create(size)", create=create, size=_SMALL_BUFFER)
        yield "small-read", looped("buffer.raw", buffer=create(_SMALL_BUFFER))
        yield "clock-reading", looped("clock()", clock=perf_counter_ns)
        yield from self._of_the_package(looped)

    def _of_the_package(
        self, looped: Callable[..., Callable[[], None]]
    ) -> Iterator[tuple[str, Callable[[], None]]]:
        """Call our own functions so that they turn round at the door, if the package is here."""
        from ..paths.base import UnavailableError
        from ..paths.cpu import load
        from ..paths.cpu_ctypes import library

        try:
            package, foreign = load(), library()
        except UnavailableError:
            return
        cipher, empty = package.AESECB(bytes(16), backend="cpu"), bytearray()
        yield (
            "extension-call",
            looped("cipher.encrypt_into(data, buf)", cipher=cipher, data=b"", buf=empty),
        )
        yield "foreign-call", looped("call()", call=foreign.cngaes_abi_version)
        # A null key is refused before anything else is looked at: marshalling and nothing more.
        call, buffer = foreign.cngaes_gcm_encrypt, ctypes.create_string_buffer(16)
        yield (
            "foreign-call-10",
            looped(
                "call(key, nonce, nonce_size, None, 0, data, size, buf, tag, 16)",
                call=call, key=None, nonce=bytes(12), nonce_size=12, data=bytes(16), size=16,
                buf=buffer, tag=buffer,
            ),
        )  # fmt: skip


def probes_for(cells: Iterable[Cell]) -> list[Group]:
    """Choose the probes that these cells need."""
    sizes = sorted({memory_size(cell.case.size) for cell in cells})
    fresh = {max(size, FRESH_FROM) for size in sizes if size >= _LARGE}
    used = [size for size in sizes if size < FRESH_FROM]
    return [Calls(), *map(Used, used), *map(Memory, sorted(fresh))]


def memory_size(size: int) -> int:
    """Size of the memory probe that stands for a message of `size` bytes."""
    if size < _LARGE:
        return SMALL
    page = page_size()
    return size // page * page
