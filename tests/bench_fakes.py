"""Paths with known faults and known durations, for tests of the runner."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cngaes_bench.cases import Case, cases
from cngaes_bench.cells import NEW
from cngaes_bench.outputs import Output
from cngaes_bench.paths.inprocess import InProcessPath, Operation
from cngaes_bench.planner import Selection
from cngaes_bench.runner import Runner, Settings

if TYPE_CHECKING:
    from cngaes_bench.buffers import Buffers
    from cngaes_bench.cells import Cell
    from cngaes_bench.measurement import Measurement
    from cngaes_bench.paths import Open
    from cngaes_bench.workload import Material, Workload

Work = Callable[[Case, "Material"], bytes]
SMALL = cases(("sha256",), (1024,))


def right(case: Case, material: Material) -> bytes:
    """The right output of any case, by way of the suite's own reference."""
    from cngaes_bench.reference import reference_output

    output = reference_output(case, material.key, material.iv, material.nonce, material.data)
    return b"".join((output.body, output.tag))


def sha256(_: Case, material: Material) -> bytes:
    return hashlib.sha256(material.data).digest()


class FakePath(InProcessPath):
    """A path that returns what `work` returns."""

    placements = (NEW,)

    def __init__(self, workload: Workload, buffers: Buffers, name: str, work: Work) -> None:
        super().__init__(workload, buffers)
        self.name = name
        self._work = work

    def version(self) -> str:
        return "1"

    def operation(self, cell: Cell, material: Material, index: int) -> Operation:
        del index
        names = {"work": self._work, "case": cell.case, "material": material}
        return Operation(
            "work(case, material)",
            lambda: names,
            lambda result: Output.of(result, cell.case.tag_size),
        )


def fake(name: str, work: Work) -> Open:
    """A registry entry."""

    def open_path(workload: Workload, buffers: Buffers) -> FakePath:
        return FakePath(workload, buffers, name, work)

    return open_path


def measure(
    works: Mapping[str, Work],
    chosen: tuple[Case, ...] = SMALL,
    settings: Settings | None = None,
    *,
    twins: bool = False,
) -> Measurement:
    """Measure fake paths side by side."""
    registry = {name: fake(name, work) for name, work in works.items()}
    settings = settings or Settings(rounds=3, min_time=0.0, seed=1)
    selection = Selection(chosen, tuple(registry), twins=twins)
    return Runner(settings, registry=registry).measure(selection)


class Counted:
    """`work`, but from call `number` on `then` is done instead."""

    def __init__(self, work: Work, number: int, then: Work) -> None:
        self.calls = 0
        self._work, self._number, self._then = work, number, then

    def __call__(self, case: Case, material: Material) -> bytes:
        self.calls += 1
        return (self._then if self.calls >= self._number else self._work)(case, material)


def sleeping(seconds: float, work: Work = sha256) -> Work:
    """`work` after a pause."""

    def pause_and_work(case: Case, material: Material) -> bytes:
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            pass
        return work(case, material)

    return pause_and_work
