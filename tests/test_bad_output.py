"""Output buffers: exact, writable, not overlapping, and untouched when something is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import operations
from buffers import NARROW, NON_CONTIGUOUS, NOT_BUFFERS, READ_ONLY, WIDE, content_of
from cngaes import InvalidPadding, InvalidTag
from operations import INPUT_IDS, INPUTS, OUTPUTS, Operation

if TYPE_CHECKING:
    from collections.abc import Iterator

PATTERN = b"\xa5"
outputs = pytest.mark.parametrize("op", OUTPUTS, ids=str)
output_inputs = pytest.mark.parametrize(
    ("op", "argument"),
    [(op, argument) for op, argument in INPUTS if op.buf is not None],
    ids=[name for name, (op, _) in zip(INPUT_IDS, INPUTS, strict=True) if op.buf is not None],
)


def size_of(op: Operation) -> int:
    assert op.buf is not None
    return op.buf


@outputs
def test_any_writable_buffer(backend: str, op: Operation) -> None:
    size = size_of(op)
    done = 0
    wraps = [*NARROW.values(), *(w for divisor, w in WIDE.values() if size % divisor == 0)]
    for wrap in wraps:
        buf = wrap(PATTERN * size)
        count = op.call(backend, buf)
        assert type(count) is int
        assert count == len(op.result)
        assert content_of(buf) == op.result + bytes(size - count)
        done += 1
    assert done == len(NARROW) + len(WIDE)


@outputs
def test_wrong_size(backend: str, op: Operation) -> None:
    """One-shot: exactly the result's size. Contexts: at least; see test_streaming for more."""
    size = size_of(op)
    wrong = {0, 1, size - 17, size - 16, size - 1}
    if "or.update_into" not in op.name:
        wrong |= {size + 1, size + 15, size + 16, size + 17, 2 * size, 1 << 20}
    for length in wrong:
        buf = bytearray(PATTERN * length)
        with pytest.raises(ValueError, match=rf"(?s)buf.*\b{size}\b.*\b{length}\b"):
            op.call(backend, buf)
        assert buf == PATTERN * length, length


@outputs
@pytest.mark.parametrize("kind", READ_ONLY)
def test_read_only(backend: str, op: Operation, kind: str) -> None:
    size = size_of(op)
    buf = READ_ONLY[kind](PATTERN * size)
    with pytest.raises(TypeError, match="buf"):
        op.call(backend, buf)
    assert content_of(buf) == PATTERN * size


@outputs
def test_read_only_comes_before_size(backend: str, op: Operation) -> None:
    """Whatever else is wrong, an immutable object stays as it is."""
    for length in (0, 1, size_of(op) - 1, size_of(op) + 1):
        buf = bytes(bytearray(PATTERN * length))
        with pytest.raises((TypeError, ValueError), match="buf"):
            op.call(backend, buf)
        assert buf == PATTERN * length


@outputs
def test_not_a_buffer(backend: str, op: Operation) -> None:
    for value in (*NOT_BUFFERS.values(), None, "x" * size_of(op)):
        with pytest.raises(TypeError, match="buf"):
            op.make(backend)(*op.arguments.values(), value)


@outputs
def test_non_contiguous(backend: str, op: Operation) -> None:
    for name, wrap in NON_CONTIGUOUS.items():
        view = wrap(PATTERN * size_of(op))
        before = content_of(view)
        # A broadcast view is also read-only: that may be noticed first.
        errors = (BufferError, TypeError) if "broadcast" in name else BufferError
        with pytest.raises(errors):
            op.call(backend, view)
        assert content_of(view) == before, name


@outputs
def test_references_are_not_bytes(backend: str, op: Operation) -> None:
    """An array of Python objects has a buffer of pointers: writing there would crash later."""
    np = pytest.importorskip("numpy", reason="numpy ends the process under Wine 8")
    assert size_of(op) % 8 == 0
    value = object()
    buf = np.full(size_of(op) // 8, value, dtype=object)
    with pytest.raises((TypeError, BufferError), match="buf"):
        op.call(backend, buf)
    assert all(item is value for item in buf)


def wrong_inputs(op: Operation) -> Iterator[dict[str, Any]]:
    """Arguments each of which is refused."""
    for argument, content in op.arguments.items():
        yield {argument: "text"}
        yield {argument: 5}
        yield {argument: memoryview(content + content)[::2]}
        if argument in ("iv", "counter"):
            yield {argument: content[:-1]}
            yield {argument: content + b"x"}
        if argument == "nonce":
            yield {argument: b""}
        if argument == "data" and op.name.startswith(("AESCBC-raw.", "AESECB.")):
            yield {argument: content[:-1]}
            yield {argument: content + b"x"}


@outputs
def test_nothing_is_written_before_an_error(backend: str, op: Operation) -> None:
    done = 0
    for changed in wrong_inputs(op):
        buf = bytearray(PATTERN * size_of(op))
        with pytest.raises((TypeError, ValueError, BufferError)):
            op.call(backend, buf, **changed)
        assert buf == PATTERN * size_of(op), changed
        done += 1
    assert done >= 3


# Overlap.


def place(op: Operation, argument: str, distance: int) -> tuple[bytearray, memoryview, memoryview]:
    """One arena with an input and the output in it, the output distance bytes behind the input."""
    content, size = op.arguments[argument], size_of(op)
    start = 200
    arena = bytearray(PATTERN * 600)
    arena[start : start + len(content)] = content
    view = memoryview(arena)
    return (
        arena,
        view[start : start + len(content)],
        view[start + distance : start + distance + size],
    )


@output_inputs
def test_overlap(backend: str, op: Operation, argument: str) -> None:
    """Every distance at which input and output share a byte, and the two next to them."""
    length, size = len(op.arguments[argument]), size_of(op)
    refused = 0
    for distance in range(-size, length + 1):
        arena, source, buf = place(op, argument, distance)
        before = bytes(arena)
        apart = distance in (-size, length)
        if apart or (argument == "data" and distance == 0):
            assert op.call(backend, buf, **{argument: source}) == len(op.result)
            assert bytes(buf[: len(op.result)]) == op.result, distance
            # Nothing beside the output has changed.
            start = 200 + distance
            assert arena[:start] == before[:start]
            assert arena[start + size :] == before[start + size :]
            continue
        with pytest.raises(ValueError, match=r"buf overlaps"):
            op.call(backend, buf, **{argument: source})
        assert arena == before, distance
        refused += 1
    assert refused == size + length - 1 - (argument == "data")


def test_empty_input_overlaps_nothing(backend: str) -> None:
    aead = operations.gcm(backend)
    expected = aead.encrypt(operations.NONCE, b"", b"")
    arena = memoryview(bytearray(60))
    for start in range(10, 50):
        empty = arena[start:start]
        buf = arena[20:36]
        assert aead.encrypt_into(operations.NONCE, empty, empty, buf) == 16
        assert buf == expected


def test_input_is_left_alone(backend: str) -> None:
    for op in OUTPUTS:
        copies = {name: bytearray(content) for name, content in op.arguments.items()}
        op.call(backend, None, **copies)
        assert {name: bytes(value) for name, value in copies.items()} == op.arguments


# After a failed check.


def test_gcm_bad_tag(backend: str) -> None:
    """Zeros in the output, never plaintext; the input, tag included, as it was."""
    op = next(op for op in OUTPUTS if op.name == "AESGCM.decrypt_into")
    sealed = op.arguments["data"]
    for bit in range(8 * len(sealed)):
        bad = bytearray(sealed)
        bad[bit // 8] ^= 1 << bit % 8
        before = bytes(bad)
        buf = bytearray(PATTERN * size_of(op))
        with pytest.raises(InvalidTag) as caught:
            op.call(backend, buf, data=bad)
        assert str(caught.value) == ""
        assert buf == bytes(size_of(op)), bit
        assert bad == before, bit


def test_gcm_bad_tag_in_place(backend: str) -> None:
    for size in (0, 1, 15, 16, 100, 5000, 100_000):
        aead = operations.gcm(backend)
        sealed = bytearray(aead.encrypt(operations.NONCE, b"\x55" * size))
        sealed[-1] ^= 1
        tag = bytes(sealed[-16:])
        with memoryview(sealed) as view, pytest.raises(InvalidTag):
            aead.decrypt_into(operations.NONCE, view, None, view[:size])
        assert sealed == bytes(size) + tag, size


def test_bad_padding_in_place(backend: str) -> None:
    raw, cipher = operations.raw_cbc(backend), operations.cbc(backend)
    for size in (16, 32, 160, 4096, 100_000 // 16 * 16):
        data = bytearray(raw.encrypt(operations.IV, b"\x55" * size))
        with pytest.raises(InvalidPadding):
            cipher.decrypt_into(operations.IV, data, data)
        assert data == bytes(size)


def test_padded_rest_holds_zeros(backend: str) -> None:
    cipher = operations.cbc(backend)
    for size in range(100):
        data = bytearray(cipher.encrypt(operations.IV, b"\x55" * size))
        assert cipher.decrypt_into(operations.IV, data, data) == size
        assert data == b"\x55" * size + bytes(len(data) - size)
