"""Batch calls given wrong things: said by name and index, before anything is written."""

from __future__ import annotations

import array
import contextlib
import itertools
import threading
from typing import TYPE_CHECKING, Any

import pytest

import cngaes
from cngaes import AESCBC, AESGCM

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = bytes(32)
GCM = AESGCM(KEY)
DATA = bytes(100)
NONCES = b"".join(i.to_bytes(12, "big") for i in range(3))
OFFSETS = array.array("i", [0, 10, 20, 30])


def packed_calls(
    data: Any = DATA, offsets: Any = OFFSETS, out: Any = None
) -> list[Callable[[], object]]:
    return [
        lambda: GCM.encrypt_packed(NONCES, data, offsets, out=out),
        lambda: GCM.decrypt_packed(NONCES, data, offsets, out=out),
        lambda: cngaes.sha256_packed(data, offsets, out=out),
        lambda: cngaes.hmac_sha256_packed(KEY, data, offsets, out=out),
    ]


@pytest.mark.parametrize("width", ["i", "q"])
@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0, 10, 9, 30], r"offsets run backwards: offsets\[1\] is 10, offsets\[2\] is 9"),
        ([-1, 10, 20, 30], r"offsets\[0\] must be at least 0, got -1"),
        ([0, 10, 20, 101], r"offsets\[3\] is 101, past the end of data, 100 bytes"),
        ([0, -5, 20, 30], r"offsets\[0\] is 0, offsets\[1\] is -5"),
        ([0, 2**31 - 1, 20, 30], "run backwards"),
        ([2**31 - 1] * 4, "past the end"),
    ],
)
def test_offsets(width: str, values: list[int], text: str) -> None:
    out = bytearray(b"\xa5" * 96)
    for call in packed_calls(offsets=array.array(width, values), out=out):
        with pytest.raises(ValueError, match=text):
            call()
    assert out == b"\xa5" * 96


def test_offsets_of_64_bits() -> None:
    for call in packed_calls(offsets=array.array("q", [0, 10, 20, 2**63 - 1])):
        with pytest.raises(ValueError, match="past the end"):
            call()
    for call in packed_calls(offsets=array.array("q", [-(2**63), 10, 20, 2**63 - 1])):
        with pytest.raises(ValueError, match="at least 0"):
            call()


@pytest.mark.parametrize("form", ["b", "B", "h", "I", "L", "Q", "f", "d"])
def test_offsets_of_another_type(form: str) -> None:
    for call in packed_calls(offsets=array.array(form, [0, 10, 20, 30])):
        with pytest.raises(TypeError, match=r"offsets must have items of int32 or int64.*cast"):
            call()


def test_offsets_of_raw_bytes() -> None:
    raw = OFFSETS.tobytes()
    with pytest.raises(TypeError, match="cast"):
        cngaes.sha256_packed(DATA, raw)
    expected = cngaes.sha256_packed(DATA, OFFSETS)
    assert cngaes.sha256_packed(DATA, memoryview(raw).cast("i")) == expected
    assert cngaes.sha256_packed(DATA, memoryview(b"").cast("i")) == b""


def test_not_contiguous() -> None:
    strided = memoryview(array.array("i", [0, 0, 10, 0, 20, 0, 30, 0]))[::2]
    for call in packed_calls(offsets=strided):
        with pytest.raises(BufferError, match="offsets must be C-contiguous"):
            call()
    for call in packed_calls(data=memoryview(bytes(200))[::2]):
        with pytest.raises(BufferError, match="data must be C-contiguous"):
            call()


def test_int32_is_too_narrow() -> None:
    """A result beyond 2**31-1 bytes cannot be said in int32: nothing is allocated for it."""
    size = 2**31 - 16
    data = memoryview(bytearray(size))
    offsets = array.array("i", [0, size - 1])
    with pytest.raises(OverflowError, match=r"2147483647|2\*\*31-1"):
        GCM.encrypt_packed(bytes(12), data, array.array("i", [0, size]))
    assert offsets[1] == size - 1


@pytest.mark.parametrize("size", [35, 37, 0, 24])
def test_packed_nonces(size: int) -> None:
    for call in (
        lambda: GCM.encrypt_packed(bytes(size), DATA, OFFSETS),
        lambda: GCM.decrypt_packed(bytes(size), DATA, OFFSETS),
        lambda: GCM.encrypt_many(bytes(size), [b""] * 3),
        lambda: GCM.decrypt_many(bytes(size), [b""] * 3),
    ):
        with pytest.raises(ValueError, match=f"nonces must be 12 bytes for each of 3.*{size} byt"):
            call()
    with pytest.raises(ValueError, match="nonce_length must be at least 1"):
        GCM.encrypt_packed(NONCES, DATA, OFFSETS, nonce_length=0)


def test_numbers_of_items() -> None:
    for call in (
        lambda: GCM.encrypt_many([bytes(12)] * 2, [b""] * 3),
        lambda: GCM.decrypt_many([bytes(12)] * 4, [b""] * 3),
    ):
        with pytest.raises(ValueError, match="nonces must have 3 items, one for each message"):
            call()
    with pytest.raises(ValueError, match="associated_data must be one for all or have 3 items"):
        GCM.encrypt_many(NONCES, [b""] * 3, [b""] * 2)
    with pytest.raises(ValueError, match="associated_data must be one for all or have 3 items"):
        GCM.encrypt_packed(NONCES, DATA, OFFSETS, (b"", array.array("i", [0, 0])))
    with pytest.raises(ValueError, match="ivs must have 3 items"):
        AESCBC(KEY).encrypt_many([bytes(16)], [b""] * 3)
    with pytest.raises(ValueError, match="ivs must be 16 bytes for each of 3"):
        AESCBC(KEY).encrypt_many(bytes(47), [b""] * 3)


def test_one_wrong_item() -> None:
    """Named by its index."""
    good = [b"a", bytearray(b"b"), memoryview(b"c"), b"d"]
    for wrong, error in (
        ("str", TypeError),
        (7, TypeError),
        (memoryview(b"abcd")[::2], BufferError),
    ):
        items: list[Any] = [*good[:2], wrong, *good[2:]]
        calls: tuple[Callable[[], object], ...] = (
            lambda i=items: GCM.encrypt_many(bytes(60), i),
            lambda i=items: GCM.decrypt_many(bytes(60), i),
            lambda i=items: AESCBC(KEY).encrypt_many(bytes(80), i),
            lambda i=items: cngaes.sha256_many(i),
            lambda i=items: cngaes.hmac_sha256_many(b"", i),
        )
        for call in calls:
            with pytest.raises(error, match=r"messages\[2\] must be"):
                call()
        with pytest.raises(error, match=r"nonces\[2\] must be"):
            GCM.encrypt_many(items, [b""] * 5)
        with pytest.raises(error, match=r"associated_data\[2\] must be"):
            GCM.encrypt_many(bytes(60), [b""] * 5, items)
    with pytest.raises(ValueError, match=r"nonces\[1\] must be at least 1 byte"):
        GCM.encrypt_many([b"1", b""], [b"", b""])
    with pytest.raises(ValueError, match=r"ivs\[1\] must be 16 bytes, got 15 bytes"):
        AESCBC(KEY).encrypt_many([bytes(16), bytes(15)], [b"", b""])
    with pytest.raises(ValueError, match=r"messages\[2\] must be a multiple of 16 bytes, got 5"):
        AESCBC(KEY, padding=None).encrypt_many(bytes(48), [b"", bytes(16), b"12345"])


@pytest.mark.parametrize("wrong", [b"bytes", "text", bytearray(3), memoryview(b"x"), 5, None])
def test_no_sequence(wrong: Any) -> None:
    for call in (
        lambda: GCM.encrypt_many(bytes(12), wrong),
        lambda: cngaes.sha256_many(wrong),
        lambda: cngaes.hmac_sha256_many(b"", wrong),
        lambda: AESCBC(KEY).encrypt_many(bytes(16), wrong),
    ):
        with pytest.raises(TypeError, match="messages must be a sequence of bytes-like objects"):
            call()


def test_an_iterator_that_fails() -> None:
    def items() -> Any:
        yield b"one"
        raise RuntimeError("the caller's own")

    with pytest.raises(RuntimeError, match="the caller's own"):
        cngaes.sha256_many(items())


@pytest.mark.parametrize("size", [0, 1, 95, 97])
def test_out_of_another_size(size: int) -> None:
    out = bytearray(b"\xa5" * size)
    for call in packed_calls(offsets=array.array("i", [0, 20, 40, 60]), out=out):
        with pytest.raises(ValueError, match=rf"out must be \d+ bytes, got {size} bytes"):
            call()
    assert out == b"\xa5" * size


def test_out_that_cannot_be_written() -> None:
    for call in packed_calls(out=bytes(bytearray(96))):
        with pytest.raises(TypeError, match="out must be writable"):
            call()


def test_out_over_an_input() -> None:
    memory = bytearray(500)
    view = memoryview(memory)
    data, nonces, aad, key = view[:100], view[200:236], view[300:314], view[350:382]
    for at, name in ((0, "data"), (99, "data"), (130, "nonces"), (310, "associated_data")):
        out = view[at : at + 78]
        with pytest.raises(ValueError, match=f"out overlaps {name}"):
            GCM.encrypt_packed(nonces, data, OFFSETS, aad, out=out, allow_repeated_nonces=True)
    with pytest.raises(ValueError, match="out overlaps data"):
        cngaes.sha256_packed(data, OFFSETS, out=view[90 : 90 + 96])
    with pytest.raises(ValueError, match="out overlaps key"):
        cngaes.hmac_sha256_packed(key, data, OFFSETS, out=view[381 : 381 + 96])
    assert memory == bytes(500)


@pytest.mark.parametrize(
    ("value", "error"), [(0, ValueError), (-3, ValueError), ("2", TypeError), (1.0, TypeError)]
)
def test_threads_argument(value: Any, error: type[Exception]) -> None:
    for call in (
        lambda: GCM.encrypt(bytes(12), b"", threads=value),
        lambda: GCM.decrypt(bytes(12), bytes(16), threads=value),
        lambda: GCM.encrypt_into(bytes(12), b"", None, bytearray(16), threads=value),
        lambda: GCM.encrypt_many(b"", [], threads=value),
        lambda: GCM.decrypt_packed(NONCES, DATA, OFFSETS, threads=value),
        lambda: cngaes.sha256_many([], threads=value),
        lambda: cngaes.AESCTR(KEY).encrypt(bytes(16), b"", threads=value),
        lambda: cngaes.AESECB(KEY).decrypt_into(b"", bytearray(), threads=value),
        lambda: AESCBC(KEY).decrypt(bytes(16), bytes(16), threads=value),
    ):
        with pytest.raises(error, match="threads must be"):
            call()
    with pytest.raises(TypeError, match="threads"):
        AESCBC(KEY).encrypt(bytes(16), b"", threads=2)  # type: ignore[call-arg]


def test_on_error_argument() -> None:
    for value, error in (("None", ValueError), (None, TypeError)):
        with pytest.raises(error, match="on_error must be 'raise' or 'none'"):
            GCM.decrypt_many(b"", [], on_error=value)  # type: ignore[call-overload]


def test_closed_key() -> None:
    aead = AESGCM(KEY)
    aead.close()
    out = bytearray(b"\xa5" * 78)
    for call in (
        lambda: aead.encrypt_many(bytes(12), [b""]),
        lambda: aead.decrypt_many(bytes(12), [bytes(16)]),
        lambda: aead.encrypt_packed(NONCES, DATA, OFFSETS, out=out),
    ):
        with pytest.raises(ValueError, match="AESGCM is closed"):
            call()
    assert out == b"\xa5" * 78


def test_offsets_changed_during_the_call() -> None:
    """They were copied and checked: whatever another thread writes into them does no harm."""
    count = 20_000
    offsets = array.array("q", range(0, 16 * count + 1, 16))
    data = bytes(16 * count)
    stop = threading.Event()

    def change() -> None:
        for i in itertools.cycle(range(1, count)):
            offsets[i] = 2**62
            offsets[i] = 16 * i
            if stop.is_set():
                return

    thread = threading.Thread(target=change)
    thread.start()
    expected = cngaes.sha256_digest(bytes(16)) * count
    try:
        for _ in range(20):
            with contextlib.suppress(ValueError):  # it may be seen while they are wrong
                assert cngaes.sha256_packed(data, offsets) == expected
    finally:
        stop.set()
        thread.join()
