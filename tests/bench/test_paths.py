"""Every path gives the right output, in every placement, key use and number of threads."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import pytest

from cngaes import backends
from cngaes_bench.buffers import Buffers
from cngaes_bench.cases import ALGORITHMS, Case, cases
from cngaes_bench.cells import KEYS, PLACEMENTS, TYPICAL_PASSES, Cell
from cngaes_bench.options import parse
from cngaes_bench.outputs import WrongOutputError
from cngaes_bench.paths import PRICES, REGISTRY, find
from cngaes_bench.paths.base import UnavailableError, UnsupportedError
from cngaes_bench.paths.foreign import typical_cipher
from cngaes_bench.paths.loops import compile_loop
from cngaes_bench.workload import MIB, Workload

if TYPE_CHECKING:
    from collections.abc import Callable

WORKLOAD, BUFFERS = Workload(), Buffers()
SHORT = cases(ALGORITHMS, (16, 1024, 48 * 1024))
LARGE = cases(("aes-256-gcm", "aes-128-cbc", "aes-192-ctr", "aes-256-ecb", "sha256"), (MIB,))

# What design and documentation promise of each path, at the least.
OFFERED = {
    "kernel": {"into", "inplace"},
    "cng-kernel": {"into", "inplace"},
    "cng": {"into", "new", "inplace"},
    "cng-ctypes": {"into", *TYPICAL_PASSES},
    "cpu": {"into", "new", "inplace"},
    "cpu-ctypes": {"into", *TYPICAL_PASSES},
    "cryptography": {"into", "new", "stream", "stream-into"},
    "pycryptodomex": {"into", "new"},
    "hashlib": {"new"},
    "openssl": {"into", *TYPICAL_PASSES},
    "cng-noop": {"into"},
    "cng-noop-kernel": {"into", "inplace"},
}


def supported(path: str, chosen: tuple[Case, ...], threads: int = 1) -> list[Cell]:
    """Check every cell of a path; list those it can do."""
    try:
        hello = find(path)(WORKLOAD, BUFFERS).hello()
    except UnavailableError as error:
        pytest.skip(str(error))
    assert hello.name == path
    assert hello.version
    done = []
    for case in chosen:
        for placement in PLACEMENTS:
            for key in KEYS:
                cell = Cell(case, path, placement, key, threads)
                session = find(path)(WORKLOAD, BUFFERS)
                try:
                    prepared = session.prepare(cell)
                except UnsupportedError:
                    continue
                expected = WORKLOAD.expected(case).fingerprint
                if path in PRICES:
                    expected = prepared.fingerprint
                assert prepared.fingerprint == expected, cell.name
                assert prepared.details["statement"]
                sample = session.run(3)
                assert sample.ns > 0
                assert {"page_faults", "voluntary_switches", "cpu_ns"} <= set(sample.extras)
                assert session.verify() == expected, cell.name
                session.quit()
                done.append(cell)
    return done


@pytest.mark.parametrize("path", REGISTRY)
def test_short_messages(path: str) -> None:
    done = supported(path, SHORT)
    assert {cell.placement for cell in done} == OFFERED[path]
    algorithms = {"sha256"} if path == "hashlib" else set(ALGORITHMS)
    if path == "cng-noop":
        algorithms = {name for name in algorithms if name.endswith("gcm")}
    if path == "cng-ctypes":  # CNG has no CTR of its own
        algorithms = {name for name in algorithms if not name.endswith("ctr")}
    wine = backends.windows_info()["wine_version"]
    if path in ("cng", "cng-kernel", "cng-ctypes") and wine:
        algorithms.discard("aes-192-gcm")  # Wine's bcrypt.dll has none
    assert {cell.case.algorithm for cell in done} == algorithms


@pytest.mark.parametrize("path", ["cpu", "cng", "cryptography", "pycryptodomex"])
@pytest.mark.parametrize("algorithm", ["aes-256-ecb", "aes-128-cbc"])
def test_padded_messages(path: str, algorithm: str) -> None:
    done = supported(path, cases((algorithm,), (52, 5000)))
    assert {cell.placement for cell in done} == {"new"}
    assert {(cell.case.size, cell.case.direction) for cell in done} == {
        (52, "encrypt"), (52, "decrypt"), (5000, "encrypt"), (5000, "decrypt"),
    }  # fmt: skip
    expected = {"per-call"} if (path, algorithm[-3:]) == ("pycryptodomex", "cbc") else set(KEYS)
    assert {cell.key for cell in done} == expected


@pytest.mark.parametrize("path", REGISTRY)
def test_large_messages(path: str) -> None:
    assert supported(path, LARGE)


@pytest.mark.parametrize("path", REGISTRY)
def test_two_threads(path: str) -> None:
    done = supported(path, LARGE, threads=2)
    assert all(cell.name.endswith("/t2") for cell in done)
    assert done


def test_the_registry_is_what_is_documented() -> None:
    assert set(REGISTRY) == set(OFFERED)


@pytest.mark.skipif(
    bool(backends.windows_info()["wine_version"]), reason="Wine counts no page faults"
)
def test_a_reused_buffer_costs_no_page_faults_and_a_fresh_one_its_pages() -> None:
    size = 64 * MIB  # more than any allocator keeps
    case = Case("aes-256-ctr", "encrypt", size)
    workload, buffers = Workload(), Buffers()
    faults = {}
    for placement in ("into", "new"):
        session = find("cryptography")(workload, buffers)
        session.prepare(Cell(case, "cryptography", placement))
        session.run(1)
        faults[placement] = int(session.run(1).extras["page_faults"])
        session.quit()
    pages = size // 4096
    assert faults["into"] < pages // 100
    assert faults["new"] >= pages // 512  # huge pages, if the system uses them unasked


def test_verify_belongs_to_the_last_run() -> None:
    case = Case("sha256", "hash", 64)
    first, second = (find("hashlib")(WORKLOAD, BUFFERS) for _ in range(2))
    for session in (first, second):
        session.prepare(Cell(case, "hashlib", "new"))
    second.verify()
    with pytest.raises(RuntimeError, match="another path"):
        first.verify()


def test_run_needs_prepare() -> None:
    with pytest.raises(RuntimeError, match="before prepare"):
        find("hashlib")(WORKLOAD, BUFFERS).run(1)


def test_threads_with_different_outputs_are_caught() -> None:
    case = Case("aes-128-ctr", "encrypt", 1024)
    session = find("cryptography")(WORKLOAD, BUFFERS)
    session.prepare(Cell(case, "cryptography", "into", threads=2))
    session.run(1)
    BUFFERS.held_by(session)[1].body[7] ^= 1
    with pytest.raises(WrongOutputError, match="threads"):
        session.verify()


@pytest.mark.parametrize("passes", [1, 2, 3, 4])
def test_typical_code_in_one_to_four_passes(passes: int) -> None:
    def run(source: bytes, size: int, target: object, tag: object) -> None:
        target[:size] = bytes(source)[:size][::-1]  # type: ignore[index]
        tag[:16] = b"t" * 16  # type: ignore[index]

    body, tag = typical_cipher(run, b"0123456789abcdef", 16, 16, passes=passes)
    assert bytes(body) + tag == b"fedcba9876543210" + b"t" * 16


def test_loops_do_exactly_what_they_are_told() -> None:
    calls: list[int] = []
    loop = compile_loop("add(1); size()", ("add", "size"))
    for loops in (1, 15, 16, 17, 100):
        calls.clear()
        ns, last = loop(loops, {"add": calls.append, "size": calls.__len__})
        assert (len(calls), last) == (loops, loops)
        assert ns > 0


def test_per_call_keys_have_their_own_names() -> None:
    cell = Cell(Case("aes-256-gcm", "encrypt", 1024), "cryptography", "new")
    session = find("cryptography")(WORKLOAD, BUFFERS)
    reused = session.prepare(cell).details["statement"]
    per_call = session.prepare(replace(cell, key="per-call")).details["statement"]
    assert reused == "cipher.encrypt(nonce, data, None)"
    assert per_call == "AESGCM(key).encrypt(nonce, data, None)"


# 16 bytes of GCM over functions that compute nothing cost 200 ns where an empty method call costs
# 35 ns: what a slower clock or a busy machine does to the one, it does to the other.
EMPTY_CALLS_PER_CNG_CALL = 200 / 35


class Empty:
    """Its method is the interpreter's part of any call."""

    def method(self) -> None:
        """Do nothing."""


def empty_calls(run: Callable[[int], int], enough: float, seconds: float = 20) -> float:
    """Cost of `run`, in calls of an empty method: the best of many short rounds with both.

    A busy machine makes rounds slow and never fast: there are more until `enough` is met.
    """
    loop, names = compile_loop("empty.method()", ("empty",)), {"empty": Empty()}
    best = empty = math.inf
    deadline = time.monotonic() + seconds
    for number in count(1):
        best, empty = min(best, run(2000)), min(empty, loop(2000, names)[0])
        if number >= 50 and (best / empty <= enough or time.monotonic() > deadline):
            return best / empty
    raise AssertionError


def test_our_side_of_a_cng_call_is_cheap() -> None:
    session = find("cng-noop")(WORKLOAD, BUFFERS)
    session.prepare(Cell(Case("aes-256-gcm", "encrypt", 16), "cng-noop", "into"))
    assert empty_calls(lambda loops: session.run(loops).ns, EMPTY_CALLS_PER_CNG_CALL) <= (
        EMPTY_CALLS_PER_CNG_CALL
    )


def test_a_call_that_is_not_cheap_is_seen() -> None:
    session = find("cng-noop")(WORKLOAD, BUFFERS)
    session.prepare(Cell(Case("aes-256-gcm", "encrypt", 16), "cng-noop", "into"))
    twice = empty_calls(lambda loops: session.run(2 * loops).ns, EMPTY_CALLS_PER_CNG_CALL, 0)
    assert twice > EMPTY_CALLS_PER_CNG_CALL


@pytest.mark.parametrize("path", sorted(PRICES))
def test_prices_leave_their_output_alone(path: str) -> None:
    session = find(path)(WORKLOAD, BUFFERS)
    cell = Cell(Case("aes-256-gcm", "encrypt", 1024), path, "into")
    assert session.prepare(cell).details["computes"] == "nothing"
    body = BUFFERS.held_by(session)[0].body
    body[:] = b"x" * 1024
    session.run(3)
    assert BUFFERS.held_by(session)[0].body.tobytes() == b"x" * 1024


def test_prices_are_measured_only_when_named() -> None:
    assert not PRICES & set(parse([]).selection.paths)
    assert parse(["--path", *PRICES]).selection.paths == tuple(PRICES)
