"""Waterfalls: planted faults land in their own term, and what is missing is named."""

from __future__ import annotations

import ctypes
import mmap
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from cngaes.backends import windows_info
from cngaes_bench.buffers import Buffers
from cngaes_bench.cases import Case
from cngaes_bench.cells import INTO, TYPICAL_PASSES, Cell
from cngaes_bench.events import EVENTS, Events, count
from cngaes_bench.explain.explaining import explain
from cngaes_bench.explain.probes import FRESH_FROM, Memory, fresh_name
from cngaes_bench.explain.terms import Prices, predict
from cngaes_bench.machine import describe, page_size
from cngaes_bench.paths import REGISTRY, find
from cngaes_bench.paths.cpu import ADVISED_FROM
from cngaes_bench.paths.cpu_ctypes import CpuCtypesPath
from cngaes_bench.planner import Selection
from cngaes_bench.runner import Runner, Settings
from cngaes_bench.workload import Workload
from synthetic import measurement, only_rounds, probe, result

if TYPE_CHECKING:
    from collections.abc import Callable

    from cngaes_bench.events import Ledger
    from cngaes_bench.explanation import Term, Waterfall
    from cngaes_bench.measurement import Measurement
    from cngaes_bench.paths.inprocess import Operation
    from cngaes_bench.workload import Material

MIB = 1 << 20
SIZE = 32 * MIB
LARGE, SMALL = Case("aes-256-gcm", "encrypt", SIZE), Case("aes-256-gcm", "encrypt", 1024)
TOUCHED = 4096  # pages
PAUSE = 50e-6
WORKLOAD, BUFFERS = Workload(), Buffers()


def planted(plant: Callable[[Operation, Material], Operation] | None) -> Measurement:
    """Measure `cpu-ctypes/into` beside its engine and the probes, with something planted in it."""

    class Planted(CpuCtypesPath):
        def operation(self, cell: Cell, material: Material, index: int) -> Operation:
            found = super().operation(cell, material, index)
            return plant(found, material) if plant else found

    registry = {**REGISTRY, "cpu-ctypes": Planted}
    case = SMALL if plant is sleep_first else LARGE
    settings = Settings(rounds=5, min_time=0.002, probes=True)
    runner = Runner(settings, workload=WORKLOAD, buffers=BUFFERS, registry=registry)
    found = runner.measure(Selection((case,), ("kernel", "cpu-ctypes"), (INTO,), twins=False))
    assert not found.lost
    found.machine = describe()
    return found


def only(found: Measurement) -> Waterfall:
    (one,) = predict(Prices(found))
    return one.waterfall


def term(waterfall: Waterfall, name: str) -> Term:
    return next(each for each in waterfall.terms if each.name == name)


def counts(waterfall: Waterfall) -> dict[str, float | None]:
    return {each.name: each.count for each in waterfall.terms}


def copy_first(operation: Operation, material: Material) -> Operation:
    """Copy the whole input to memory in use before the call."""
    spare = ctypes.create_string_buffer(len(material.data))

    def copy(copy_to: Callable[[Any, Any, int], None], data: bytes, size: int) -> None:
        copy_to(spare, data, size)

    def counted(data: bytes, size: int, ledger: Ledger) -> bytes:
        copy(ledger.copy, data, size)
        return b""

    extra = count(counted, len(material.data))
    names = operation.names()
    assert operation.events is not None
    return replace(
        operation,
        statement=f"copy(memmove, data, size); {operation.statement}",
        names=lambda: {**names, "copy": copy, "memmove": ctypes.memmove},
        events=replace(operation.events, copies=extra.copies),
    )


def sleep_first(operation: Operation, _: Material) -> Operation:
    """Sleep, and tell nobody."""
    names = operation.names()
    return replace(
        operation,
        statement=f"sleep(pause); {operation.statement}",
        names=lambda: {**names, "sleep": time.sleep, "pause": PAUSE},
    )


def touch_first(operation: Operation, _: Material) -> Operation:
    """Touch fresh pages, and tell nobody: the system counts them."""
    page = page_size()
    ones = b"\1" * TOUCHED

    def touch() -> None:
        flags = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}
        with mmap.mmap(-1, TOUCHED * page, **flags) as fresh, memoryview(fresh) as view:
            view[::page] = ones

    names = operation.names()
    return replace(
        operation,
        statement=f"touch(); {operation.statement}",
        names=lambda: {**names, "touch": touch},
    )


def test_a_planted_copy_raises_the_copies_and_nothing_else() -> None:
    plain, found = only(planted(None)), only(planted(copy_first))
    assert "copies" not in counts(plain)
    copies = term(found, "copies")
    assert copies.count == SIZE
    rest = {name: number for name, number in counts(found).items() if name != "copies"}
    assert rest == counts(plain)
    # It did take the time that the probe says, so that nothing is left over.
    assert abs(found.residual.value) < copies.predicted.value / 2
    assert found.measured.value > plain.measured.value


def test_a_planted_sleep_lands_in_the_residual() -> None:
    plain, found = only(planted(None)), only(planted(sleep_first))
    assert set(counts(found)) == set(counts(plain)) == {"engine", "foreign"}
    assert found.residual.low > PAUSE * 1e9 * 0.9
    assert found.residual.value > 0.8 * found.measured.value


@pytest.mark.skipif(bool(windows_info()["wine_version"]), reason="Wine counts no page faults")
def test_planted_page_touches_raise_the_faults() -> None:
    plain, found = only(planted(None)), only(planted(touch_first))
    assert "faults" not in counts(plain)
    faults = term(found, "faults")
    assert faults.count == pytest.approx(TOUCHED, rel=0.01)
    rest = {name: number for name, number in counts(found).items() if name != "faults"}
    assert rest == counts(plain)
    assert abs(found.residual.value) < faults.predicted.value / 2


@pytest.mark.parametrize("placement", TYPICAL_PASSES)
def test_pages_of_fresh_buffers_are_counted(placement: str) -> None:
    """By the system's count, whatever the ledger says; huge pages make fewer faults of them."""
    case = Case("aes-256-gcm", "encrypt", 64 * MIB)
    session = find("cpu-ctypes")(WORKLOAD, BUFFERS)
    details = session.prepare(Cell(case, "cpu-ctypes", placement)).details
    faults = float(session.run(1).extras["page_faults"])
    session.quit()
    pages = Events.from_text(details[EVENTS]).fresh / page_size()
    assert pages == TYPICAL_PASSES[placement] * 64 * MIB / page_size()
    if faults < pages / 2:
        pytest.skip("this system gives huge pages unasked")
    assert faults == pytest.approx(pages, rel=0.01)


@pytest.mark.parametrize(
    ("path", "algorithm"),
    [
        ("cryptography", "aes-256-gcm"),
        ("cryptography", "aes-256-ctr"),
        ("cryptography", "aes-256-ecb"),
        ("pycryptodomex", "aes-256-ecb"),
    ],
)
def test_fresh_outputs_of_libraries_are_as_many_as_stated(path: str, algorithm: str) -> None:
    case = Case(algorithm, "encrypt", 64 * MIB)
    session = find(path)(WORKLOAD, BUFFERS)
    details = session.prepare(Cell(case, path, "new")).details
    faults = float(session.run(1).extras["page_faults"])
    session.quit()
    pages = Events.from_text(details[EVENTS]).fresh / page_size()
    if faults < pages / 2:
        pytest.skip("this system gives huge pages unasked, or the library asks for them")
    assert faults == pytest.approx(pages, rel=0.01)


@pytest.mark.parametrize("size", [ADVISED_FROM, 64 * MIB])
@pytest.mark.parametrize("algorithm", ["aes-256-gcm", "aes-128-cbc"])
def test_the_package_touches_its_fresh_output_as_the_probe_does(algorithm: str, size: int) -> None:
    """Page for page, with huge pages and without."""
    case = Case(algorithm, "encrypt", size)
    session = find("cpu")(WORKLOAD, BUFFERS)
    details = session.prepare(Cell(case, "cpu", "new")).details
    faults = float(session.run(1).extras["page_faults"])
    session.quit()
    events = Events.from_text(details[EVENTS])
    assert events.fresh == size
    assert (events.advised == size) == (sys.platform == "linux")
    if size < FRESH_FROM:
        return  # what the allocator recycles costs no fault
    taken = Memory(size).take()
    price = taken[fresh_name("advised" if events.advised else "fault", size)]
    # What lies before the first and after the last huge page depends on where the block begins.
    assert abs(faults - price.faults) <= 2 * (2 * MIB // page_size())


BIG = "aes-256-gcm/encrypt/64MiB"
PAGES = 64 * MIB // 4096
ONE_BUFFER = Events(zeroed=64 * MIB, copied=64 * MIB, freed=64 * MIB, returned=64 * MIB, foreign=1,
                    arguments=10)  # fmt: skip
PROBES = ("zeroed/64MiB", "copied/64MiB", "fault/64MiB", "advised/64MiB", "release/64MiB",
          "advised-release/64MiB", "copy/64MiB", "fill/64MiB", "foreign-call",
          "foreign-call-10")  # fmt: skip


def synthetic(
    *, faults: float = 2 * PAGES, leave_out: str = "", away: float = 0.0, switches: float = 0.0
) -> Measurement:
    ns = (2000.0, 3000.0, 1500.0, 400.0, 100.0, 20.0, 0.5, 0.25, 100.0, 1000.0)
    prices = dict(zip(PROBES, ns, strict=True))
    extras = {"page_faults": faults, "cpu_ns": 100e6, "voluntary_switches": switches}
    return measurement(
        result(f"{BIG}/kernel/into", 20e6, events=Events()),
        result(f"{BIG}/cpu-ctypes/typical", [100e6 + away] * 9, events=ONE_BUFFER, extras=extras),
        probes=[probe(name, ns) for name, ns in prices.items() if name != leave_out],
    )


def test_terms_are_counts_times_prices() -> None:
    found = only(synthetic())
    assert counts(found) == {
        "engine": None, "zeroed": PAGES, "copied": PAGES, "release": PAGES, "foreign": 1,
    }  # fmt: skip
    assert term(found, "zeroed").predicted.value == pytest.approx(PAGES * 2000)
    assert term(found, "copied").predicted.value == pytest.approx(PAGES * 3000)
    assert term(found, "foreign").predicted.value == pytest.approx(1000)
    total = 20e6 + PAGES * 5100 + 1000
    assert found.predicted.value == pytest.approx(total)
    assert found.residual.value == pytest.approx(100e6 - total)
    assert found.missing == ()


def test_memory_advised_to_be_in_huge_pages_has_its_own_price() -> None:
    data = synthetic()
    data.results[1].details[EVENTS] = Events(advised=64 * MIB, freed=64 * MIB).to_text()
    for value in data.results[1].values:
        value.extras["page_faults"] = float(PAGES)
    found = only(data)
    assert counts(found) == {"engine": None, "advised": PAGES, "release": PAGES}
    assert term(found, "advised").predicted.value == pytest.approx(PAGES * 400)
    assert term(found, "release").predicted.value == pytest.approx(PAGES * 20)


def test_recycled_memory_has_no_faults_but_is_filled_and_copied() -> None:
    found = only(synthetic(faults=0.0))
    assert counts(found) == {
        "engine": None, "fills": 64 * MIB, "copies": 64 * MIB, "foreign": 1,
    }  # fmt: skip


def test_faults_beyond_the_ledger_are_a_term() -> None:
    found = only(synthetic(faults=3 * PAGES))
    assert term(found, "faults").count == pytest.approx(PAGES)
    assert term(found, "zeroed").count == PAGES


def test_time_of_others_is_not_explained_but_shown() -> None:
    found = only(synthetic(away=30e6))
    assert found.wall.value == pytest.approx(130e6)
    assert found.measured.value == pytest.approx(100e6)
    assert found.away == pytest.approx(30e6)
    # Who goes to sleep by itself was not stopped by others.
    assert only(synthetic(away=30e6, switches=1.0)).measured.value == pytest.approx(130e6)


@pytest.mark.parametrize("name", ["zeroed/64MiB", "copied/64MiB", "release/64MiB", "foreign-call"])
def test_a_missing_probe_is_named_in_its_row(name: str) -> None:
    found = only(synthetic(leave_out=name))
    assert found.missing == (name,)
    assert not found.complete


def test_a_missing_engine_is_named_in_its_row() -> None:
    data = synthetic()
    data.results = data.results[1:]
    assert only(data).missing == (f"engine: {BIG}/kernel/into",)


def test_uncounted_events_are_named_in_their_row() -> None:
    data = synthetic()
    data.results[1].details.clear()
    assert only(data).missing == ("events of cpu-ctypes/typical: nobody counted them",)


def test_probes_of_another_size_will_do() -> None:
    data = synthetic(leave_out="zeroed/64MiB")
    data.probes.append(probe("zeroed/128MiB", 2100.0))
    assert term(only(data), "zeroed").probe == "zeroed/128MiB"


def test_one_round_and_nothing_at_all_are_explained_without_a_crash() -> None:
    data = only_rounds(synthetic(), 1)
    (found,) = explain(data).waterfalls
    assert found.measured.low == found.measured.high
    empty = explain(measurement())
    assert (empty.waterfalls, empty.fits, empty.probes) == ((), (), ())
    assert {each.verdict for each in empty.verdicts} == {"cannot tell"}


def test_engines_twins_and_threads_have_no_waterfall() -> None:
    extra = [f"{BIG}/cpu/into/t2", f"{BIG}/cpu/into/again", f"{BIG}/openssl/into",
             "sha256/hash/1KiB/hashlib/new"]  # fmt: skip
    data = synthetic()
    data.results += [result(name, 1e6, events=Events()) for name in extra]
    assert [each.result_name for each in explain(data).waterfalls] == [f"{BIG}/cpu-ctypes/typical"]
