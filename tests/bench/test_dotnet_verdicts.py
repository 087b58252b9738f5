"""What is said about .NET can be supported, refuted and left open: by data alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from synthetic import measurement, result

if TYPE_CHECKING:
    from cngaes_bench.measurement import Measurement

from cngaes_bench.explain.hypotheses import HYPOTHESES
from cngaes_bench.explain.hypotheses import dotnet as about
from cngaes_bench.explain.verdicts import Evidence, Hypothesis, judge
from cngaes_bench.explanation import CANNOT_TELL, REFUTED, SUPPORTED

CASE = "aes-256-gcm/encrypt/64MiB"
PAGES = 64 * 1024 * 1024 / 4096
MS = 1e6
WIDE = [0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4]
INTO, TYPICAL, REUSED = "dotnet/into", "cng-ctypes/typical", "cng-ctypes/into"


def wide(value: float) -> list[float]:
    return [value * factor for factor in WIDE]


def ways(**milliseconds: float | list[float]) -> Measurement:
    """Results by way (`dotnet__into` is dotnet/into), in milliseconds."""
    return measurement(
        *(
            result(f"{CASE}/{way.replace('__', '/').replace('_', '-')}", _ns(time))
            for way, time in milliseconds.items()
        )
    )


def _ns(time: float | list[float]) -> float | list[float]:
    return [each * MS for each in time] if isinstance(time, list) else time * MS


def recycled(dotnet: list[float], ctypes: list[float]) -> Measurement:
    return measurement(
        result(f"{CASE}/{INTO}", 30 * MS),
        result(f"{CASE}/dotnet/new", 40 * MS, extras={"page_faults": dotnet}),
        result(f"{CASE}/{TYPICAL}", 120 * MS, extras={"page_faults": ctypes}),
    )


def clocked(dotnet: float, ctypes: float) -> Measurement:
    return measurement(
        result(f"{CASE}/{INTO}", 100 * MS, extras={"clock_mhz": dotnet}),
        result(f"{CASE}/{TYPICAL}", 120 * MS, extras={"clock_mhz": ctypes}),
    )


def processes(python: str, dotnet: str, system: str) -> Measurement:
    made = measurement(result(f"{CASE}/{INTO}", 30 * MS), machine={"process": python})
    made.results[0].details.update(process_arch=dotnet, os_arch=system)
    return made


def noisy(gap: float | list[float], apart: float) -> Measurement:
    ctypes = [30.0 + gap] * 9 if isinstance(gap, int | float) else [30.0 + each for each in gap]
    return ways(
        dotnet__into=30.0, cng_ctypes__typical=ctypes, cpu__into=20.0, cpu__into__again=20.0 + apart
    )


ALL, NONE = [PAGES] * 9, [0.0] * 9
BIMODAL = [PAGES, 0.0] * 4 + [PAGES]

TABLE = [
    (about.beside, SUPPORTED, ways(dotnet__into=30.0, cng_kernel__into=30.3)),
    (about.beside, REFUTED, ways(dotnet__into=30.0, cng_kernel__into=40.0)),
    (about.beside, CANNOT_TELL, ways(dotnet__into=wide(30.0), cng_kernel__into=30.0)),
    (about.own_instructions, SUPPORTED, ways(dotnet__into=20.0, cng_kernel__into=30.0)),
    (about.own_instructions, REFUTED, ways(dotnet__into=30.0, cng_kernel__into=30.0)),
    (about.own_instructions, CANNOT_TELL, ways(dotnet__into=28.0, openssl__into=30.0)),
    (
        about.fresh_buffers,
        SUPPORTED,
        ways(dotnet__into=30.0, cng_ctypes__into=30.0, cng_ctypes__typical=150.0),
    ),
    (
        about.fresh_buffers,
        REFUTED,
        ways(dotnet__into=30.0, cng_ctypes__into=140.0, cng_ctypes__typical=150.0),
    ),
    (
        about.fresh_buffers,
        CANNOT_TELL,
        ways(dotnet__into=30.0, cng_ctypes__into=30.0, cng_ctypes__typical=29.0),
    ),
    (about.marshalling, SUPPORTED, ways(dotnet__into=30.0, cng_ctypes__into=60.0)),
    (about.marshalling, REFUTED, ways(dotnet__into=30.0, openssl__into=30.0)),
    (about.marshalling, CANNOT_TELL, ways(dotnet__into=30.0, cng_ctypes__into=32.2)),
    (about.recycled_pages, SUPPORTED, recycled(BIMODAL, ALL)),
    (about.recycled_pages, REFUTED, recycled(ALL, ALL)),
    (about.recycled_pages, CANNOT_TELL, recycled(NONE, BIMODAL)),
    (about.clocks, SUPPORTED, clocked(3600.0, 3000.0)),
    (about.clocks, REFUTED, clocked(3000.0, 3000.0)),
    (about.clocks, CANNOT_TELL, clocked(3400.0, 3000.0)),
    (about.background, SUPPORTED, noisy(1.0, 5.0)),
    (about.background, REFUTED, noisy(100.0, 0.1)),
    (about.background, CANNOT_TELL, noisy(8.0, 5.0)),
    (about.units, SUPPORTED, ways(dotnet__into=30.0, cng_ctypes__typical=31.457)),
    (about.units, REFUTED, ways(dotnet__into=30.0, cng_ctypes__typical=150.0)),
    (about.units, CANNOT_TELL, ways(dotnet__into=30.0, cng_ctypes__typical=wide(31.0))),
    (about.another_path, SUPPORTED, ways(dotnet_bcrypt__into=20.0, cng_kernel__into=30.0)),
    (about.another_path, REFUTED, ways(dotnet_bcrypt__into=30.0, cng_kernel__into=30.0)),
    (about.another_path, CANNOT_TELL, ways(dotnet_bcrypt__into=28.0, cng_kernel__into=30.0)),
    (about.one_emulated, SUPPORTED, processes("emulated x64 on ARM64", "Arm64", "Arm64")),
    (about.one_emulated, REFUTED, processes("native ARM64", "Arm64", "Arm64")),
    (about.one_emulated, CANNOT_TELL, processes("emulated x64 on ARM64", "X64", "Arm64")),
    (about.pieces, CANNOT_TELL, ways(dotnet__into=30.0)),
]


@pytest.mark.parametrize(
    ("hypothesis", "outcome", "data"), TABLE, ids=[f"{row[0].name} {row[1]}" for row in TABLE]
)
def test_each_verdict_can_be_reached(
    hypothesis: Hypothesis, outcome: str, data: Measurement
) -> None:
    (verdict,) = judge([hypothesis], Evidence.of(data))
    assert verdict.verdict == outcome, verdict
    assert verdict.hypothesis.startswith(hypothesis.name)
    assert verdict.reason


def test_all_three_are_reached_by_all_but_the_one_that_a_trace_decides() -> None:
    reached = {each.name: {row[1] for row in TABLE if row[0] is each} for each in HYPOTHESES}
    about_dotnet = [
        reached[each.name] for each in about.DOTNET_HYPOTHESES if each is not about.pieces
    ]
    assert about_dotnet
    assert all(outcomes == {SUPPORTED, REFUTED, CANNOT_TELL} for outcomes in about_dotnet)


@pytest.mark.parametrize("hypothesis", about.DOTNET_HYPOTHESES, ids=lambda each: each.name)
def test_without_dotnet_nothing_is_claimed(hypothesis: Hypothesis) -> None:
    data = ways(cpu__into=30.0, cng_ctypes__typical=120.0, cng_ctypes__into=30.0)
    (verdict,) = judge([hypothesis], Evidence.of(data))
    assert verdict.verdict == CANNOT_TELL
    assert "this run has no" in verdict.reason


def test_a_small_message_is_another_question() -> None:
    case = "aes-256-gcm/encrypt/1KiB"
    data = measurement(result(f"{case}/{INTO}", 800.0), result(f"{case}/{REUSED}", 2000.0))
    (verdict,) = judge([about.marshalling], Evidence.of(data))
    assert "this run has no" in verdict.reason


def test_every_way_beside_dotnet_has_a_line() -> None:
    others = ("kernel", "cng", "cng-ctypes", "cng-kernel", "dotnet-bcrypt", "dotnet-intrinsics")
    data = measurement(
        result(f"{CASE}/{INTO}", 30 * MS),
        *(result(f"{CASE}/{way}/into", 30 * MS) for way in others),
    )
    verdicts = judge([about.beside], Evidence.of(data))
    assert {verdict.hypothesis.rpartition(", ")[2] for verdict in verdicts} == set(others)


def test_names_are_whole_before_their_subject() -> None:
    # A report cuts a verdict's name at the first colon: what follows is the subject.
    names = [each.name for each in about.DOTNET_HYPOTHESES]
    assert not [name for name in names if ": " in name]
    assert len(set(names)) == len(names)
