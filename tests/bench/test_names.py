"""Names of cases and results: written, read back, and refused with the known ones listed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cngaes_bench.cases import ALGORITHMS, Case, UnknownNameError, cases, format_size, parse_size
from cngaes_bench.cells import Cell
from cngaes_bench.planner import twin_of

SIZES = st.integers(1, 1 << 28).map(lambda blocks: blocks * 16)
CASES = st.builds(
    lambda algorithm, size, decrypt: Case(
        algorithm,
        "hash" if algorithm == "sha256" else ("decrypt" if decrypt else "encrypt"),
        size,
    ),
    st.sampled_from(ALGORITHMS),
    SIZES,
    st.booleans(),
)
CELLS = st.builds(
    Cell,
    CASES,
    st.sampled_from(["kernel", "cpu", "cpu-ctypes", "dotnet-bcrypt"]),
    st.sampled_from(["into", "new", "inplace", "typical"]),
    st.sampled_from(["reused", "per-call"]),
    st.integers(1, 64),
    st.booleans(),
)


@given(CASES)
def test_case_names_round_trip(case: Case) -> None:
    assert Case.parse(case.name) == case


@given(CELLS)
def test_result_names_round_trip(cell: Cell) -> None:
    assert Cell.parse(cell.name) == cell
    assert twin_of(twin_of(cell)) == cell


def test_names_read_as_documented() -> None:
    case = Case("aes-256-gcm", "encrypt", 1 << 20)
    assert Cell(case, "cpu", "into").name == "aes-256-gcm/encrypt/1MiB/cpu/into"
    cell = Cell(case, "cpu", "new", "per-call", 2)
    assert cell.name == "aes-256-gcm/encrypt/1MiB/cpu/new/per-call/t2"


@pytest.mark.parametrize(
    ("text", "size"), [("16B", 16), ("1KiB", 1024), ("128MiB", 1 << 27), ("1GiB", 1 << 30)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size
    assert format_size(size) == text


@pytest.mark.parametrize("text", ["", "16", "1kb", "0B", "-1KiB", "1.5MiB", "5GiB", "1 KiB"])
def test_bad_sizes(text: str) -> None:
    with pytest.raises(ValueError, match="size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("aes-512-gcm/encrypt/1KiB", "aes-256-gcm"),
        ("sha256/encrypt/1KiB", "hash"),
        ("aes-128-cbc/hash/1KiB", "decrypt"),
    ],
)
def test_unknown_names_list_the_known_ones(name: str, known: str) -> None:
    with pytest.raises(UnknownNameError, match=known):
        Case.parse(name)


@pytest.mark.parametrize(
    "name",
    [
        "aes-128-cbc/encrypt",
        "aes-256-gcm/encrypt/1024B/cpu/into",
        "aes-256-gcm/encrypt/1KiB/cpu",
        "aes-256-gcm/encrypt/1KiB/cpu/into/reused",
        "aes-256-gcm/encrypt/1KiB/cpu/into/t1",
        "aes-256-gcm/encrypt/1KiB/cpu/into/again/t2",
        "aes-256-gcm/encrypt/1KiB/cpu/over/t2",
    ],
)
def test_bad_names(name: str) -> None:
    with pytest.raises(ValueError, match=r"bad|blocks|unknown"):
        Cell.parse(name) if name.count("/") > 2 else Case.parse(name)


def test_all_combinations_come_out_once() -> None:
    every = cases(ALGORITHMS, (16, 1024))
    assert len(every) == len({case.name for case in every}) == (12 * 2 + 1) * 2
