"""Streaming: every split of short streams gives what one call gives, in every mode."""

from __future__ import annotations

import functools
import hashlib
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import references
from cngaes import AlreadyFinalized, InvalidTag, hazmat
from forms import CANARY, Context, drive, frame, unframe

if TYPE_CHECKING:
    from collections.abc import Callable

    from engines import Engine

LONGEST = 200
KEY = bytes(range(32))
IV = bytes(range(100, 116))
NONCE = bytes(range(7))  # not 12 bytes: J0 is a GHASH
AAD = b"associated"


def pad(data: bytes) -> bytes:
    size = 16 - len(data) % 16
    return data + bytes([size]) * size


@dataclass(frozen=True)
class Stream:
    """One kind of context: how it is made, what it is fed, what must come out, how it ends.

    cases has a pair (input, output) for each length of the plaintext. end gets the context and the
    expected output (a GCM decryptor takes the tag from the case) and returns the last bytes.
    """

    name: str
    make: Callable[[Engine], Context]
    cases: Callable[[], list[tuple[bytes, bytes]]]
    end: Callable[[Context, int], bytes]


@functools.cache
def plaintexts() -> list[bytes]:
    rng = random.Random("streams")
    return [rng.randbytes(length) for length in range(LONGEST + 1)]


@functools.cache
def gcm_tags() -> list[bytes]:
    return [references.gcm(KEY, NONCE, data, AAD)[-16:] for data in plaintexts()]


@functools.cache
def gcm_cases(decrypt: bool) -> list[tuple[bytes, bytes]]:
    pairs = [(data, references.gcm(KEY, NONCE, data, AAD)[:-16]) for data in plaintexts()]
    return [(b, a) for a, b in pairs] if decrypt else pairs


@functools.cache
def ctr_cases() -> list[tuple[bytes, bytes]]:
    return [(data, references.ctr(KEY, IV, data)) for data in plaintexts()]


@functools.cache
def cbc_cases(decrypt: bool, padded: bool) -> list[tuple[bytes, bytes]]:
    if padded:
        pairs = [(data, references.cbc(KEY, IV, pad(data))) for data in plaintexts()]
    else:
        pairs = [
            (data, references.cbc(KEY, IV, data)) for data in plaintexts() if len(data) % 16 == 0
        ]
    return [(b, a) for a, b in pairs] if decrypt else pairs


def finalize(context: Context, _: int) -> bytes:
    return context.finalize()  # type: ignore[attr-defined, no-any-return]


def finalize_gcm(context: Context, number: int) -> bytes:
    out = context.finalize()  # type: ignore[attr-defined]
    assert context.tag == gcm_tags()[number]  # type: ignore[attr-defined]
    return out  # type: ignore[no-any-return]


def verify_gcm(context: Context, number: int) -> bytes:
    return context.finalize_with_tag(gcm_tags()[number])  # type: ignore[attr-defined, no-any-return]


STREAMS = [
    Stream(
        "gcm-encrypt",
        lambda e: e.gcm(KEY).encryptor(NONCE, AAD),
        lambda: gcm_cases(False),
        finalize_gcm,
    ),
    Stream(
        "gcm-decrypt",
        lambda e: hazmat.gcm_decryptor(e.gcm(KEY), NONCE, AAD),
        lambda: gcm_cases(True),
        verify_gcm,
    ),
    Stream("ctr-encrypt", lambda e: e.ctr(KEY).encryptor(IV), ctr_cases, finalize),
    Stream("ctr-decrypt", lambda e: e.ctr(KEY).decryptor(IV), ctr_cases, finalize),
    Stream(
        "cbc-encrypt-pkcs7",
        lambda e: e.cbc(KEY).encryptor(IV),
        lambda: cbc_cases(False, True),
        finalize,
    ),
    Stream(
        "cbc-decrypt-pkcs7",
        lambda e: e.cbc(KEY).decryptor(IV),
        lambda: cbc_cases(True, True),
        finalize,
    ),
    Stream(
        "cbc-encrypt",
        lambda e: e.cbc(KEY, None).encryptor(IV),
        lambda: cbc_cases(False, False),
        finalize,
    ),
    Stream(
        "cbc-decrypt",
        lambda e: e.cbc(KEY, None).decryptor(IV),
        lambda: cbc_cases(True, False),
        finalize,
    ),
]
streams = pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)


def feed_update(context: Context, piece: bytes) -> bytes:
    return context.update(piece)


def feed_into(context: Context, piece: bytes) -> bytes:
    whole, view = frame(len(piece) + 15)
    count = context.update_into(piece, view)
    return unframe(whole)[:count]


def feed_in_place(context: Context, piece: bytes) -> bytes:
    whole, view = frame(len(piece) + 15, piece)
    count = context.update_into(view[: len(piece)], view)
    return unframe(whole)[:count]


FEEDS = {"update": feed_update, "update_into": feed_into, "in-place": feed_in_place}


@streams
@pytest.mark.parametrize("feed", FEEDS)
def test_every_split_in_two(aes: Engine, stream: Stream, feed: str) -> None:
    put = FEEDS[feed]
    done = 0
    for number, (data, expected) in enumerate(stream.cases()):
        for cut in range(len(data) + 1):
            context = stream.make(aes)
            out = put(context, data[:cut]) + put(context, data[cut:])
            assert out + stream.end(context, number) == expected, (len(data), cut)
            done += 1
    assert done >= 700


@streams
def test_random_splits(aes: Engine, stream: Stream) -> None:
    """Many pieces, empty ones among them, each fed in a way of its own."""
    rng = random.Random(stream.name)
    puts = list(FEEDS.values())
    for number, (data, expected) in enumerate(stream.cases()):
        for _ in range(10):
            context = stream.make(aes)
            out, start = [], 0
            while start < len(data) or rng.random() < 0.5:
                size = rng.choice((0, 1, 2, 5, 15, 16, 17, 31, 32, 33, 64, 100))
                out.append(rng.choice(puts)(context, data[start : start + size]))
                start += size
            assert b"".join(out) + stream.end(context, number) == expected, len(data)


@streams
def test_byte_by_byte(aes: Engine, stream: Stream) -> None:
    for number, (data, expected) in enumerate(stream.cases()):
        context = stream.make(aes)
        out = b"".join(context.update(data[i : i + 1]) for i in range(len(data)))
        assert out + stream.end(context, number) == expected, len(data)


@streams
def test_long_stream(aes: Engine, stream: Stream) -> None:
    """Pieces around the size from which the GIL is released, behind an unaligned start."""
    cases = stream.cases()
    data = b"".join(piece for piece, _ in cases)
    data = data[: len(data) // 16 * 16]
    context = stream.make(aes)
    whole = context.update(data)
    assert len(whole) >= len(data) - 16
    again = drive(stream.make(aes), data)
    assert again == whole


@streams
def test_update_into_asks_for_the_exact_size(aes: Engine, stream: Stream) -> None:
    """Exactly enough passes, one byte less is refused with both sizes, nothing written or lost."""
    data, expected = stream.cases()[-1]
    number = len(stream.cases()) - 1
    for cut in range(34):
        context = stream.make(aes)
        first = context.update(data[:cut])
        twin = stream.make(aes)
        twin.update(data[:cut])
        size = len(twin.update(data[cut : cut + 50]))
        whole, view = frame(size - 1)
        with pytest.raises(ValueError, match=rf"\b{size}\b.*\b{size - 1}\b"):
            context.update_into(data[cut : cut + 50], view)
        assert unframe(whole) == b"\xa5" * (size - 1)
        whole, view = frame(size)
        assert context.update_into(data[cut : cut + 50], view) == size
        out = first + unframe(whole) + context.update(data[cut + 50 :])
        assert out + stream.end(context, number) == expected, cut


@streams
def test_larger_output_is_left_alone_behind_the_result(aes: Engine, stream: Stream) -> None:
    data, _ = stream.cases()[-1]
    whole, view = frame(1000)
    count = stream.make(aes).update_into(data, view)
    assert count > 100
    assert unframe(whole)[count:] == b"\xa5" * (1000 - count)


@streams
def test_overlap_is_refused(aes: Engine, stream: Stream) -> None:
    data, expected = stream.cases()[-1]
    number = len(stream.cases()) - 1
    for kept in (0, 5, 16):  # bytes taken before, so that CBC output lags behind its input
        for shift in (*range(-40, 0), *range(1, 41)):
            context = stream.make(aes)
            first = context.update(data[:kept])
            rest = data[kept:]
            arena = bytearray(CANARY * 30)
            view = memoryview(arena)
            view[100 : 100 + len(rest)] = rest
            before = bytes(arena)
            size = len(rest) + 15
            with pytest.raises(ValueError, match="overlap"):
                context.update_into(
                    view[100 : 100 + len(rest)], view[100 + shift : 100 + shift + size]
                )
            assert arena == before
            out = first + context.update(rest) + stream.end(context, number)
            assert out == expected, (kept, shift)


@streams
def test_nothing_after_the_end(aes: Engine, stream: Stream) -> None:
    data, _ = stream.cases()[0]
    context = stream.make(aes)
    context.update(data)
    stream.end(context, 0)
    for _ in range(2):
        with pytest.raises(AlreadyFinalized):
            context.update(b"")
        with pytest.raises(AlreadyFinalized):
            context.update(b"more")
        buf = bytearray(b"\xa5" * 40)
        with pytest.raises(AlreadyFinalized):
            context.update_into(b"more", buf)
        assert buf == b"\xa5" * 40
        with pytest.raises(AlreadyFinalized):
            stream.end(context, 0)


def test_gcm_tag_only_after_the_end(aes: Engine) -> None:
    context = aes.gcm(KEY).encryptor(NONCE)
    with pytest.raises(ValueError, match="finalize"):
        _ = context.tag
    context.update(b"data")
    with pytest.raises(ValueError, match="finalize"):
        _ = context.tag
    context.finalize()
    assert context.tag == context.tag == aes.gcm(KEY).encrypt(NONCE, b"data")[4:]


def test_gcm_short_tag(aes: Engine) -> None:
    aead = aes.gcm(KEY, 4)
    context = aead.encryptor(NONCE, AAD)
    sealed = context.update(b"data") + context.finalize() + context.tag
    assert sealed == aead.encrypt(NONCE, b"data", AAD)
    assert len(sealed) == 8


def test_unpadded_cbc_left_over(aes: Engine) -> None:
    """Bytes that fill no block: ValueError that says how many, and the context is done."""
    cipher = aes.cbc(KEY, None)
    for make in (cipher.encryptor, cipher.decryptor):
        for length in range(1, 34):
            if length % 16 == 0:
                continue
            context = make(IV)
            context.update(bytes(length))
            with pytest.raises(ValueError, match="16"):
                context.finalize()
            with pytest.raises(AlreadyFinalized):
                context.update(b"")


def test_gcm_decryptor_refuses_bad_tags(aes: Engine) -> None:
    data, _ = gcm_cases(True)[50]
    tag = gcm_tags()[50]
    for bit in range(128):
        bad = bytearray(tag)
        bad[bit // 8] ^= 1 << bit % 8
        context = hazmat.gcm_decryptor(aes.gcm(KEY), NONCE, AAD)
        context.update(data)
        with pytest.raises(InvalidTag):
            context.finalize_with_tag(bad)
        with pytest.raises(AlreadyFinalized):
            context.finalize_with_tag(tag)
        with pytest.raises(AlreadyFinalized):
            context.update(b"")


def test_gcm_decryptor_tag_length(aes: Engine) -> None:
    """The tag has the length that the key object says; a part of it does not pass."""
    data, _ = gcm_cases(True)[50]
    tag = gcm_tags()[50]
    for length in (*range(16), 17):
        context = hazmat.gcm_decryptor(aes.gcm(KEY), NONCE, AAD)
        context.update(data)
        with pytest.raises((ValueError, InvalidTag)):
            context.finalize_with_tag((tag + b"\0")[:length])


def test_gcm_decryptor_must_be_verified(aes: Engine) -> None:
    data, plaintext = gcm_cases(True)[50]
    tag = gcm_tags()[50]
    with pytest.raises(InvalidTag), hazmat.gcm_decryptor(aes.gcm(KEY), NONCE, AAD) as context:
        assert context.update(data) == plaintext
    with pytest.raises(InvalidTag), hazmat.gcm_decryptor(aes.gcm(KEY), NONCE, AAD):
        pass
    with (
        pytest.raises(KeyError, match="mine"),
        hazmat.gcm_decryptor(aes.gcm(KEY), NONCE, AAD),
    ):
        raise KeyError("mine")
    with hazmat.gcm_decryptor(aes.gcm(KEY), NONCE, AAD) as context:
        assert context.update(data) == plaintext
        assert context.finalize_with_tag(tag) == b""


def test_contexts_are_independent(aes: Engine) -> None:
    """Two streams of one key object, fed in turn, and the key object used between."""
    aead = aes.gcm(KEY)
    data = plaintexts()[LONGEST]
    one, two = aead.encryptor(NONCE, AAD), aead.encryptor(b"other", b"")
    out_one, out_two = b"", b""
    for start in range(0, len(data), 7):
        out_one += one.update(data[start : start + 7])
        aead.encrypt(b"third", data)
        out_two += two.update(data[start : start + 7])
    out_one += one.finalize() + one.tag
    out_two += two.finalize() + two.tag
    assert out_one == aead.encrypt(NONCE, data, AAD)
    assert out_two == aead.encrypt(b"other", data)


def test_sha256_every_split(sha: Engine) -> None:
    for data in plaintexts():
        expected = hashlib.sha256(data).digest()
        for cut in range(len(data) + 1):
            made = sha.sha256(data[:cut])
            made.digest()  # looking at it changes nothing
            made.update(data[cut:])
            assert made.digest() == expected, (len(data), cut)


def test_sha256_random_splits_and_copies(sha: Engine) -> None:
    rng = random.Random("sha256 splits")
    for length in (*range(0, 700, 3), 5000, 70_001):
        data = rng.randbytes(length)
        made, start = sha.sha256(), 0
        while start < length or rng.random() < 0.5:
            size = rng.choice((0, 1, 55, 56, 57, 63, 64, 65, 127, 128, 129, 1000, 9000))
            if rng.random() < 0.3:
                made = made.copy()
            assert made.update(data[start : start + size]) is None  # type: ignore[func-returns-value]
            start += size
        assert made.digest() == hashlib.sha256(data).digest(), length


def test_sha256_copies_part_ways(sha: Engine) -> None:
    first = sha.sha256(b"common ")
    second = first.copy()
    first.update(b"one")
    second.update(b"two")
    assert first.digest() == hashlib.sha256(b"common one").digest()
    assert second.digest() == hashlib.sha256(b"common two").digest()
