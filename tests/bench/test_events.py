"""What typical ctypes code does with memory is counted by running it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

from cngaes_bench.cells import TYPICAL_PASSES
from cngaes_bench.events import Events, count
from cngaes_bench.paths.foreign import typical_events, typical_hash_events

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
