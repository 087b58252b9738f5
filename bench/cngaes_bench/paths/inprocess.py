"""Paths inside this process: a subclass says what to call, everything else stands here."""

from __future__ import annotations

import gc
import platform
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from ..cells import INPLACE, INTO
from ..events import EVENTS
from ..outputs import Fingerprint, Output, WrongOutputError
from ..system import counters
from .base import Hello, Prepared, Sample, UnsupportedError
from .loops import compile_loop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..buffers import Buffers
    from ..cells import Cell
    from ..events import Events
    from ..workload import Material, Workload

Names = Mapping[str, object]
Loop = Callable[[int, Names], tuple[int, object]]


@dataclass(frozen=True)
class Operation:
    """One call, ready to be repeated.

    `statement` is the Python text that is timed, `names` gives it its variables before every
    run (outside the clock), `view` finds the output. `target` is the reused buffer, if any.
    `repeats` is False when only the first call of a run yields the bytes of the case, as with
    a context that chains on or work done over its own input. A `loop` of its own replaces the
    statement (a loop in C++). `events` says what the call does beside the cipher, if that is known.
    """

    statement: str
    names: Callable[[], Names]
    view: Callable[[Any], Output]
    target: Output | None = None
    repeats: bool = True
    loop: Loop | None = None
    details: dict[str, str] = field(default_factory=dict)
    events: Events | None = None

    def timed(self, loops: int, names: Names) -> tuple[int, object]:
        """Run the loop: nanoseconds, and the last result."""
        loop = self.loop or compile_loop(self.statement, tuple(names))
        return loop(loops, names)


class InProcessPath(ABC):
    """The five operations over `Operation`s, one for each thread."""

    name: str
    placements: tuple[str, ...]
    on_demand: tuple[str, ...] = ()  # placements that are measured only when asked for by name
    pads = False  # whether it does CBC and ECB of messages that need padding
    computes = True  # False: a price, whose output is not the case's

    def __init__(self, workload: Workload, buffers: Buffers) -> None:
        self._workload = workload
        self._buffers = buffers
        self._cell: Cell | None = None
        self._operations: list[Operation] = []
        self._comparable = False

    @abstractmethod
    def version(self) -> str:
        """Version of what is measured. Raises UnavailableError when it cannot be loaded."""

    @abstractmethod
    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        """Make the call for `cell` in thread `index`. Raises UnsupportedError."""

    def hello(self) -> Hello:
        """Say who answers and which placements are worth a row."""
        version = self.version()
        offers = tuple(f"{self.name}/{placement}" for placement in self.placements)
        return Hello(self.name, version, platform.machine(), offers)

    def prepare(self, cell: Cell) -> Prepared:
        """Make the operations and do each once."""
        if cell.placement not in (*self.placements, *self.on_demand):
            raise UnsupportedError(f"{self.name} has no placement {cell.placement}")
        if cell.case.padded and not self.pads:
            raise UnsupportedError(f"{self.name} does whole blocks only here, without padding")
        material = self._workload.material(cell.case)
        try:
            self._operations = [self.operation(cell, material, i) for i in range(cell.threads)]
            self._cell = cell
            self._buffers.scrub(cell.case.body_size + cell.case.tag_size)
            sample = self.run(1)
        except Exception as error:
            # The package's word for what a bcrypt.dll lacks, by name: a path may do without the
            # package. A wrong choice of kernel or backend raises the same class, and stays one.
            if type(error).__name__ == "UnsupportedBackend" and "bcrypt.dll has no" in str(error):
                raise UnsupportedError(str(error)) from error
            raise
        return Prepared(self.verify(), self._details(), sample.ns)

    def run(self, loops: int) -> Sample:
        """Time the operations; look at the output afterwards, outside the clock."""
        if self._cell is None:
            raise RuntimeError("run before prepare")
        self._buffers.release()
        samples = self._workload.expected(self._cell.case).samples
        for operation in self._operations:
            if self.computes and operation.target is not None:
                samples.poison(operation.target)
        names = [operation.names() for operation in self._operations]
        with _collector_off():
            start = counters()
            if len(names) == 1:
                ns, result = self._operations[0].timed(loops, names[0])
                results = [result]
            else:
                ns, results = self._run_threads(loops, names)
            extras = counters().since(start)
        outputs = [
            operation.view(result)
            for operation, result in zip(self._operations, results, strict=True)
        ]
        self._buffers.hold(self, outputs)
        self._comparable = loops == 1 or all(operation.repeats for operation in self._operations)
        if self._comparable and self.computes:
            for output in outputs:
                samples.check(output)
        return Sample(ns, dict(extras))

    def verify(self) -> Fingerprint:
        """Fingerprint what the last run left, in every thread."""
        if not self._comparable:
            self.run(1)  # the last run chained on: its output is right, but not the case's own
        first, *others = (Fingerprint.of(output) for output in self._buffers.held_by(self))
        if any(other != first for other in others):
            raise WrongOutputError("the threads' outputs differ")
        return first

    def quit(self) -> None:
        """Drop operations and outputs."""
        self._operations = []
        self._cell = None
        self._buffers.release()

    def _details(self) -> dict[str, str]:
        operation = self._operations[0]
        details = {"statement": operation.statement, **operation.details}
        if operation.events is not None:
            details[EVENTS] = operation.events.to_text()
        return details

    def _run_threads(self, loops: int, names: list[Names]) -> tuple[int, list[object]]:
        barrier = threading.Barrier(len(names) + 1)
        results: list[object] = [None] * len(names)
        failures: list[BaseException] = []

        def work(index: int) -> None:
            barrier.wait()
            try:
                results[index] = self._operations[index].timed(loops, names[index])[1]
            except BaseException as error:  # noqa: BLE001 - raised again in the main thread
                failures.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(names))]
        for thread in threads:
            thread.start()
        barrier.wait()
        start = perf_counter_ns()
        for thread in threads:
            thread.join()
        ns = perf_counter_ns() - start
        if failures:
            raise failures[0]
        return ns, results

    # Helpers for the subclasses.

    def _target(self, cell: Cell, index: int) -> tuple[bytearray | memoryview, Output | None]:
        """Get the buffer of `into` and `inplace`, and what of it to poison."""
        size = cell.case.body_size + cell.case.tag_size
        buffer = self._buffers.output(size, index)
        output = Output.of(buffer, cell.case.tag_size)
        return buffer, output if cell.placement == INTO else None

    def _restore(self, cell: Cell, material: Material, index: int) -> Callable[[], None]:
        """Make what happens before each run so that work over the input starts afresh."""
        if cell.placement != INPLACE:
            return lambda: None
        target = memoryview(self._buffers.output(len(material.data) + cell.case.tag_size, index))

        def restore() -> None:
            target[: len(material.data)] = material.data

        return restore


@contextmanager
def _collector_off() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
