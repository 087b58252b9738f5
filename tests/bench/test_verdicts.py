"""Each hypothesis can be supported, refuted, and left open: by data alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cngaes_bench.events import Events
from cngaes_bench.explain.hypotheses import HYPOTHESES
from cngaes_bench.explain.hypotheses.buffers import buffer_passes, minimum_hides_faults
from cngaes_bench.explain.hypotheses.calls import ctypes_large, ctypes_small, key_schedule
from cngaes_bench.explain.hypotheses.cpu import clock_drop, emulation, key_length
from cngaes_bench.explain.hypotheses.threads import gil, hidden_threads
from cngaes_bench.explain.verdicts import Evidence, Hypothesis, judge
from synthetic import ROUNDS, measurement, only_rounds, probe, result

if TYPE_CHECKING:
    from cngaes_bench.explanation import Verdict
    from cngaes_bench.measurement import Measurement

MIB = 1 << 20
BIG, SMALL = "aes-256-gcm/encrypt/64MiB", "aes-256-gcm/encrypt/1KiB"
PAGES = 64 * MIB // 4096
WIDE = [1.0, 0.6, 1.4, 0.7, 1.3, 0.8, 1.2, 0.9, 1.1]


def wide(value: float) -> list[float]:
    return [value * factor for factor in WIDE]


def fresh_buffer(typical_ns: float | list[float], page_ns: float) -> Measurement:
    """An engine of 20 ms, and the same with one fresh zeroed buffer in front."""
    one = Events(zeroed=64 * MIB, returned=64 * MIB)
    return measurement(
        result(f"{BIG}/kernel/into", 20e6, events=Events()),
        result(f"{BIG}/cpu-ctypes/into", 20e6, events=Events()),
        result(f"{BIG}/cpu-ctypes/typical", typical_ns, events=one,
               extras={"page_faults": PAGES}),
        probes=[probe("zeroed/64MiB", page_ns), probe("fault/64MiB", page_ns * 0.8)],
    )  # fmt: skip


def foreign(case: str, typical_ns: float | list[float], call_ns: float) -> Measurement:
    one = Events(foreign=1, arguments=10)
    return measurement(
        result(f"{case}/kernel/into", 500.0, events=Events()),
        result(f"{case}/cpu-ctypes/into", typical_ns, events=one),
        probes=[probe("foreign-call", call_ns / 4), probe("foreign-call-10", call_ns)],
    )


def per_call(ns: float | list[float]) -> Measurement:
    return measurement(result(f"{SMALL}/cpu/new", 300.0), result(f"{SMALL}/cpu/new/per-call", ns))


def keys(*ratios: float) -> Measurement:
    """One run for each ratio of AES-256 to AES-128."""
    case, runs = "encrypt/1MiB/kernel/into", len(ratios)
    short = result(f"aes-128-cbc/{case}", 1e6, runs=runs)
    base = [value.seconds * 1e9 for value in short.values[:ROUNDS]]
    long = result(f"aes-256-cbc/{case}", [ns * ratio for ratio in ratios for ns in base])
    return measurement(short, long, runs=runs)


def faults(fastest: float) -> Measurement:
    times = [90.0, 100.0, 100.0, 101.0, 102.0]
    counts = [fastest, 1000.0, 1000.0, 1000.0, 1000.0]
    return measurement(
        result("aes-256-ctr/encrypt/4MiB/cpu/new", times, extras={"page_faults": counts})
    )


def threads(ns: float | list[float], cpus: str = "2") -> Measurement:
    return measurement(
        result(f"{BIG}/cpu/into", 1e6),
        result(f"{BIG}/cpu/into/t2", ns),
        machine={"cpus": cpus},
    )


def inside(cpu_ns: float | list[float]) -> Measurement:
    return measurement(result(f"{BIG}/java/into", 1e8, extras={"cpu_ns": cpu_ns}))


def clock(last: float) -> Measurement:
    clocks = [3000.0] * 3 + [2990.0] * 3 + [last] * 3
    return measurement(result(f"{BIG}/cpu/into", 1e6, extras={"clock_mhz": clocks}))


def process(text: str) -> Measurement:
    return measurement(result(f"{BIG}/cpu/into", 1e6), machine={"process": text})


ENGINE_ONLY, MEMORY_NS = 20e6, PAGES * 2000.0
CASES: list[tuple[Hypothesis, str, Measurement]] = [
    (buffer_passes, "supported", fresh_buffer(ENGINE_ONLY + MEMORY_NS, 2000.0)),
    (buffer_passes, "refuted", fresh_buffer(ENGINE_ONLY + MEMORY_NS * 3, 2000.0)),
    (buffer_passes, "refuted", fresh_buffer(ENGINE_ONLY + MEMORY_NS / 2, 2000.0)),
    (buffer_passes, "cannot tell", fresh_buffer(wide(ENGINE_ONLY + MEMORY_NS), 2000.0)),
    (buffer_passes, "cannot tell", fresh_buffer(ENGINE_ONLY * 0.9, 2000.0)),
    (ctypes_large, "supported", foreign(BIG, 3500.0, 2500.0)),
    (ctypes_large, "refuted", foreign(BIG, 3500.0, 200.0)),
    (ctypes_large, "cannot tell", foreign(BIG, wide(1500.0), 500.0)),
    (ctypes_small, "supported", foreign(SMALL, 3500.0, 2500.0)),
    (ctypes_small, "refuted", foreign(SMALL, 3500.0, 200.0)),
    (ctypes_small, "cannot tell", foreign(SMALL, 3500.0, 900.0)),
    (ctypes_small, "cannot tell", foreign(SMALL, 400.0, 900.0)),
    (key_schedule, "supported", per_call(900.0)),
    (key_schedule, "refuted", per_call(310.0)),
    (key_schedule, "cannot tell", per_call(wide(450.0))),
    (key_length, "supported", keys(1.4, 1.4, 1.4)),
    (key_length, "refuted", keys(1.2, 1.2, 1.2)),
    (key_length, "cannot tell", keys(1.4, 1.2)),
    (minimum_hides_faults, "supported", faults(3.0)),
    (minimum_hides_faults, "refuted", faults(1001.0)),
    (minimum_hides_faults, "cannot tell", faults(700.0)),
    (gil, "supported", threads(2e6)),
    (gil, "refuted", threads(1.02e6)),
    (gil, "cannot tell", threads(1.4e6)),
    (gil, "cannot tell", threads(2e6, cpus="1")),
    (hidden_threads, "supported", inside(1.9e8)),
    (hidden_threads, "refuted", inside(1e8)),
    (hidden_threads, "cannot tell", inside(1.15e8)),
    (clock_drop, "supported", clock(2500.0)),
    (clock_drop, "refuted", clock(3010.0)),
    (clock_drop, "cannot tell", clock(2900.0)),
    (emulation, "supported", process("emulated: x86-64 on ARM64")),
    (emulation, "refuted", process("native x86-64")),
    (emulation, "cannot tell", process("unknown")),
]


def verdicts(hypothesis: Hypothesis, data: Measurement) -> tuple[Verdict, ...]:
    return judge([hypothesis], Evidence.of(data))


@pytest.mark.parametrize(
    ("hypothesis", "outcome", "data"),
    CASES,
    ids=[f"{each.name}-{outcome}-{i}" for i, (each, outcome, _) in enumerate(CASES)],
)
def test_data_decides(hypothesis: Hypothesis, outcome: str, data: Measurement) -> None:
    (found,) = verdicts(hypothesis, data)
    assert found.verdict == outcome, found
    assert found.hypothesis.startswith(hypothesis.name)
    assert found.observation != "-"
    assert found.reason


def test_every_hypothesis_is_tested_for_every_outcome() -> None:
    tested = {(each.name, outcome) for each, outcome, _ in CASES}
    ours = {each.name for each, _, _ in CASES}
    for name in ours:
        assert {outcome for n, outcome in tested if n == name} == {
            "supported", "refuted", "cannot tell",
        }  # fmt: skip
    assert {each.name for each in HYPOTHESES if each.test.__module__.rpartition(".")[2] in
            ("buffers", "calls", "cpu", "threads")} == ours  # fmt: skip


@pytest.mark.parametrize("hypothesis", HYPOTHESES, ids=[each.name for each in HYPOTHESES])
def test_without_data_nobody_can_tell(hypothesis: Hypothesis) -> None:
    for data in (measurement(), measurement(result("sha256/hash/64B/hashlib/new", 100.0))):
        for found in verdicts(hypothesis, data):
            assert found.verdict == "cannot tell" or found.hypothesis.startswith("threads")
            assert found.reason


def test_one_round_is_not_enough() -> None:
    data = only_rounds(fresh_buffer(ENGINE_ONLY + MEMORY_NS, 2000.0), 1)
    (found,) = verdicts(buffer_passes, data)
    assert found.verdict == "cannot tell"
    assert "1 round" in found.reason


def test_what_one_run_does_not_show_is_not_reproduced() -> None:
    (found,) = verdicts(key_length, keys(1.4, 1.4, 1.4, 1.4, 1.2))
    assert found.verdict == "cannot tell"
    assert found.reason.startswith("not reproduced: run 1: supported, 1.400")
    assert "run 5: refuted, 1.200" in found.reason


def test_a_ratio_needs_more_than_one_run() -> None:
    (found,) = verdicts(key_length, keys(1.4))
    assert (found.verdict, "one run only" in found.reason) == ("cannot tell", True)
