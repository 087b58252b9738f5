"""What typical ctypes code does with memory is counted by running it."""

from __future__ import annotations

import ctypes
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from cngaes_bench.buffers import Buffers
from cngaes_bench.cases import Case
from cngaes_bench.cells import KEYS, TYPICAL_PASSES, Cell
from cngaes_bench.events import EVENTS, Events, count
from cngaes_bench.paths import find
from cngaes_bench.paths.base import UnavailableError
from cngaes_bench.paths.foreign import typical_events, typical_hash_events
from cngaes_bench.workload import Workload

if TYPE_CHECKING:
    from cngaes_bench.events import Ledger

MIB = 1 << 20
ONE_CALL = Events(foreign=1, arguments=10, functions=2)


@pytest.mark.parametrize(
    ("passes", "zeroed", "copied", "copies", "freed"),
    [(1, 1, 0, 0, 0), (2, 1, 1, 0, 1), (3, 2, 1, 1, 2), (4, 2, 2, 1, 3)],
)
def test_passes_of_typical_code(
    passes: int, zeroed: int, copied: int, copies: int, freed: int
) -> None:
    events = typical_events(MIB, passes, 16, None, ONE_CALL)
    assert (events.zeroed, events.copied) == (zeroed * MIB, copied * MIB)
    assert (events.copies, events.freed, events.returned) == (copies * MIB, freed * MIB, MIB)
    assert events.fresh == passes * MIB
    assert (events.foreign, events.arguments, events.functions) == (1, 10, 3)
    assert events.buffers == (3 if passes >= 3 else 2)


def test_a_tag_that_is_given_needs_no_buffer() -> None:
    events = typical_events(MIB, 3, 0, bytes(16), ONE_CALL)
    assert (events.zeroed, events.copied, events.buffers) == (2 * MIB, MIB, 2)


def test_a_hash_copies_its_input_only() -> None:
    events = typical_hash_events(MIB, ONE_CALL)
    assert (events.zeroed, events.copied, events.copies, events.freed) == (MIB, 0, MIB, MIB)


def test_an_extra_copy_is_counted() -> None:
    spare = ctypes.create_string_buffer(1 << 16)

    def call(data: bytes, length: int, ledger: Ledger) -> Any:
        ledger.copy(spare, data, length)
        return ledger.create(length)

    events = count(call, MIB)
    assert events == Events(zeroed=MIB, copies=MIB, returned=MIB, buffers=1)


def test_counting_buffers_hold_what_real_ones_hold() -> None:
    def call(data: bytes, length: int, ledger: Ledger) -> Any:
        buffer = ledger.create(data, length)
        real = ctypes.create_string_buffer(data, length)
        assert (buffer.raw, len(buffer)) == (real.raw, len(real))
        assert len(ledger.create(data)) == len(ctypes.create_string_buffer(data))
        joined = buffer.raw + b"tag"
        assert joined == real.raw + b"tag"
        return joined

    count(call, MIB)


def test_text_round_trip() -> None:
    events = typical_events(MIB, 4, 16, None, ONE_CALL)
    assert Events.from_text(events.to_text()) == events
    assert Events.from_text("none") == Events()
    assert Events().to_text() == "none"
    with pytest.raises(ValueError, match="unknown event 'dances'"):
        Events.from_text("dances=3")
    with pytest.raises(ValueError, match="invalid literal"):
        Events.from_text("copies=many")
    assert sorted(TYPICAL_PASSES.values()) == [1, 2, 3, 4]


class Counting:
    """A library whose functions count their calls and arguments."""

    def __init__(self, real: Any) -> None:
        self.real, self.calls, self.arguments = real, 0, 0

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.real, name)

        def call(*arguments: Any) -> Any:
            self.calls += 1
            self.arguments += len(arguments)
            return function(*arguments)

        return call


WAYS = [
    (Case(f"aes-256-{mode}", direction, 1024), key)
    for mode in ("gcm", "cbc", "ctr", "ecb")
    for direction in ("encrypt", "decrypt")
    for key in KEYS
] + [(Case("sha256", "hash", 1024), "reused")]


@pytest.mark.parametrize("name", ["cpu_ctypes", "openssl"])
@pytest.mark.parametrize(("case", "key"), WAYS, ids=[f"{c.name}-{key}" for c, key in WAYS])
@pytest.mark.parametrize("placement", ["into", "typical"])
def test_the_foreign_calls_that_a_path_states_are_those_that_it_makes(
    name: str, case: Case, placement: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module(f"cngaes_bench.paths.{name}")
    try:
        library = Counting(module.library())
    except UnavailableError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(module, "library", lambda: library)
    path = find(name.replace("_", "-"))(Workload(), Buffers())
    details = path.prepare(Cell(case, name.replace("_", "-"), placement, key)).details
    events = Events.from_text(details[EVENTS])
    library.calls = library.arguments = 0
    path.run(1)
    assert (events.foreign, events.arguments) == (library.calls, library.arguments)
