"""Batch calls: the same bytes as one call for each message, on every kernel and backend."""

from __future__ import annotations

import array
import hashlib
import hmac
import os
import random
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.exceptions import InvalidTag as PeerInvalidTag
from cryptography.hazmat.primitives.ciphers import aead as peer
from hypothesis import given, settings
from hypothesis import strategies as st

import cngaes
from cngaes import InvalidTag
from engines import Engine, engines
from forms import frame, unframe

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY = bytes(range(32))
SIZES = (0, 1, 15, 16, 17, 31, 32, 33, 64, 100, 119, 120, 255, 256, 257, 1000, 4097)
WIDTHS = ("i", "q")


def offsets_of(messages: Sequence[bytes], width: str, start: int = 0) -> array.array[int]:
    return array.array(width, accumulate((len(m) for m in messages), initial=start))


def some_messages(count: int, seed: int = 0) -> list[bytes]:
    chosen = random.Random(seed)
    return [chosen.randbytes(chosen.choice(SIZES)) for _ in range(count)]


def some_nonces(count: int) -> list[bytes]:
    return [hashlib.sha256(b"%d" % i).digest()[:12] for i in range(count)]


def sealed_by_peer(
    nonces: Sequence[bytes], messages: Sequence[bytes], aads: Sequence[bytes | None]
) -> list[bytes]:
    theirs = peer.AESGCM(KEY)
    return [theirs.encrypt(n, m, a) for n, m, a in zip(nonces, messages, aads, strict=True)]


@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize("count", [0, 1, 2, 63, 64, 65, 300])
def test_gcm_sequences(aes: Engine, count: int, threads: int | None) -> None:
    aead = aes.gcm(KEY)
    messages, nonces = some_messages(count), some_nonces(count)
    for aads in ([None] * count, [b"shared"] * count, some_messages(count, 1)):
        aad: Any = aads if len(set(aads)) > 1 else (aads[0] if aads else None)
        expected = sealed_by_peer(nonces, messages, aads)
        assert aead.encrypt_many(nonces, messages, aad, threads=threads) == expected
        assert aead.decrypt_many(nonces, expected, aad, threads=threads) == messages
        joined = b"".join(nonces)
        assert aead.encrypt_many(joined, iter(messages), aad, threads=threads) == expected
        assert aead.decrypt_many(joined, tuple(expected), aad, threads=threads) == messages


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", [0, 1, 2, 65, 300])
def test_gcm_packed(aes: Engine, count: int, width: str) -> None:
    aead = aes.gcm(KEY)
    messages, nonces, aads = some_messages(count), some_nonces(count), some_messages(count, 1)
    data = b"skipped" + b"".join(messages) + b"not reached"
    offsets = offsets_of(messages, width, 7)
    packed_aads = (b"".join(aads), offsets_of(aads, width))
    for aad, single in ((b"one for all", [b"one for all"] * count), (packed_aads, aads)):
        expected = sealed_by_peer(nonces, messages, single)
        out, out_offsets = aead.encrypt_packed(b"".join(nonces), data, offsets, aad)
        assert out == b"".join(expected)
        assert out_offsets.format == width
        assert list(out_offsets) == list(offsets_of(expected, width))
        assert aead.encrypt_packed(nonces, data, offsets, aad)[0] == out
        for threads in (1, 2, None):
            whole, view = frame(len(out))
            result, _ = aead.encrypt_packed(nonces, data, offsets, aad, out=view, threads=threads)
            assert result is view
            assert unframe(whole) == out
            whole, view = frame(len(data) - 18)
            opened, back = aead.decrypt_packed(
                nonces, out, out_offsets, aad, out=view, threads=threads
            )
            assert opened is view
            assert unframe(whole) == b"".join(messages)
            assert list(back) == [offset - 7 for offset in offsets]


@pytest.mark.parametrize("tag_length", [4, 8, 12, 13, 14, 15, 16])
def test_tag_lengths(aes: Engine, tag_length: int) -> None:
    aead = aes.gcm(KEY, tag_length)
    messages, nonces = some_messages(50), some_nonces(50)
    expected = [aead.encrypt(n, m) for n, m in zip(nonces, messages, strict=True)]
    assert aead.encrypt_many(nonces, messages) == expected
    assert aead.decrypt_many(nonces, expected) == messages
    out, offsets = aead.encrypt_packed(nonces, b"".join(messages), offsets_of(messages, "i"))
    assert out == b"".join(expected)
    assert aead.decrypt_packed(nonces, out, offsets)[0] == b"".join(messages)


@pytest.mark.parametrize("length", [1, 8, 11, 13, 16, 17, 40])
def test_other_nonces(aes: Engine, length: int) -> None:
    aead = aes.gcm(KEY)
    messages = some_messages(80)
    nonces = [hashlib.shake_128(b"%d" % i).digest(length) for i in range(80)]
    nonces = [bytes([i]) + n[1:] for i, n in enumerate(nonces)]
    expected = [aead.encrypt(n, m) for n, m in zip(nonces, messages, strict=True)]
    assert aead.encrypt_many(nonces, messages) == expected
    offsets = offsets_of(messages, "q")
    out, _ = aead.encrypt_packed(b"".join(nonces), b"".join(messages), offsets, nonce_length=length)
    assert out == b"".join(expected)
    mixed = [n[: 1 + i % length] if i % 3 else n for i, n in enumerate(nonces)]
    assert aead.encrypt_many(mixed, messages, allow_repeated_nonces=True) == [
        aead.encrypt(n, m) for n, m in zip(mixed, messages, strict=True)
    ]


@pytest.mark.parametrize("threads", [1, 2])
def test_wrong_tags(aes: Engine, threads: int) -> None:
    aead = aes.gcm(KEY)
    messages, nonces = some_messages(200), some_nonces(200)
    sealed = sealed_by_peer(nonces, messages, [None] * 200)
    bad = (0, 3, 64, 65, 130, 199)
    for i in bad:
        flipped = bytearray(sealed[i])
        flipped[(i * 7) % len(flipped)] ^= 1 << i % 8
        sealed[i] = bytes(flipped)
    sealed[130] = sealed[130][:15]  # no room for a tag
    with pytest.raises(InvalidTag) as error:
        aead.decrypt_many(nonces, sealed, threads=threads)
    assert error.value.indices == bad
    expected = [None if i in bad else m for i, m in enumerate(messages)]
    assert aead.decrypt_many(nonces, sealed, threads=threads, on_error="none") == expected

    data, offsets = b"".join(sealed), offsets_of(sealed, "i")
    sizes = [max(0, len(s) - 16) for s in sealed]
    whole, view = frame(sum(sizes))
    with pytest.raises(InvalidTag) as error:
        aead.decrypt_packed(nonces, data, offsets, out=view, threads=threads)
    assert error.value.indices == bad
    assert unframe(whole) == bytes(sum(sizes))
    result, out_offsets, validity = aead.decrypt_packed(
        nonces, data, offsets, out=view, threads=threads, on_error="none"
    )
    assert result is view
    assert [validity[i // 8] >> i % 8 & 1 for i in range(200)] == [i not in bad for i in range(200)]
    assert unframe(whole) == b"".join(
        bytes(size) if m is None else m for m, size in zip(expected, sizes, strict=True)
    )
    assert list(out_offsets) == list(accumulate(sizes, initial=0))


@pytest.mark.parametrize("padding", ["pkcs7", None])
@pytest.mark.parametrize("threads", [1, 2, None])
def test_cbc(aes: Engine, padding: Any, threads: int | None) -> None:
    cipher = aes.cbc(KEY, padding)
    for count in (0, 1, 2, 7, 8, 9, 127, 128, 300):
        messages = some_messages(count)
        if padding is None:
            messages = [m[: len(m) // 16 * 16] for m in messages]
        ivs = [os.urandom(16) for _ in messages]
        expected = [cipher.encrypt(iv, m) for iv, m in zip(ivs, messages, strict=True)]
        assert cipher.encrypt_many(ivs, messages, threads=threads) == expected
        assert cipher.encrypt_many(b"".join(ivs), messages, threads=threads) == expected


@pytest.mark.parametrize("threads", [1, 2, None])
def test_hashes(sha: Engine, threads: int | None) -> None:
    for count in (0, 1, 2, 3, 15, 16, 17, 300):
        messages = some_messages(count, count)
        if count > 16:
            messages[5] = bytes(100_000)  # one that outlasts all others
        digests = [hashlib.sha256(m).digest() for m in messages]
        assert cngaes.sha256_many(messages, threads=threads, backend=sha.backend) == digests
        data = b"." + b"".join(messages)
        whole, view = frame(32 * count)
        for width in WIDTHS:
            offsets = offsets_of(messages, width, 1)
            packed = cngaes.sha256_packed(data, offsets, threads=threads, backend=sha.backend)
            assert packed == b"".join(digests)
            assert (
                cngaes.sha256_packed(data, offsets, out=view, threads=threads, backend=sha.backend)
                is view
            )
            assert unframe(whole) == packed
        for key in (b"", b"key", bytes(64), bytes(65), bytes(1000)):
            macs = [hmac.digest(key, m, "sha256") for m in messages]
            result = cngaes.hmac_sha256_many(key, messages, threads=threads, backend=sha.backend)
            assert result == macs
            packed = cngaes.hmac_sha256_packed(
                key, data, offsets, out=view, threads=threads, backend=sha.backend
            )
            assert packed == b"".join(macs)


def test_every_length_around_a_block(sha: Engine) -> None:
    messages = [os.urandom(n) for n in range(300)]
    digests = [hashlib.sha256(m).digest() for m in messages]
    assert cngaes.sha256_many(messages, threads=1, backend=sha.backend) == digests
    assert cngaes.sha256_many(messages[::-1], threads=1, backend=sha.backend) == digests[::-1]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.binary(max_size=70), st.binary(max_size=20)), max_size=20),
    st.binary(min_size=16, max_size=16),
    st.integers(0, 5000),
)
def test_against_cryptography(items: list[tuple[bytes, bytes]], key: bytes, flip: int) -> None:
    """Any batch, and any batch with one bit wrong."""
    messages, aads = [m for m, _ in items], [a for _, a in items]
    nonces = some_nonces(len(items))
    theirs, ours = peer.AESGCM(key), cngaes.AESGCM(key)
    sealed = [theirs.encrypt(n, m, a) for n, m, a in zip(nonces, messages, aads, strict=True)]
    assert ours.encrypt_many(nonces, messages, aads) == sealed
    data = bytearray(b"".join(sealed))
    if data:
        data[flip % len(data)] ^= 1
    offsets = offsets_of(sealed, "i")
    expected: list[bytes | None] = []
    for i, (nonce, aad) in enumerate(zip(nonces, aads, strict=True)):
        try:
            expected.append(theirs.decrypt(nonce, bytes(data[offsets[i] : offsets[i + 1]]), aad))
        except PeerInvalidTag:
            expected.append(None)
    pieces = [bytes(data[a:b]) for a, b in pairwise(offsets)]
    assert ours.decrypt_many(nonces, pieces, aads, on_error="none") == expected
    assert sum(m is None for m in expected) == (1 if data else 0)


@pytest.mark.parametrize("count", [2, 63, 64, 65, 5000])
@pytest.mark.parametrize("length", [12, 13])
def test_equal_nonces(count: int, length: int) -> None:
    """Found wherever they stand, in counters and in random nonces; nothing is encrypted then."""
    aead = cngaes.AESGCM(KEY)
    random_nonces = [hashlib.shake_128(b"%d" % i).digest(length) for i in range(count)]
    counters = [i.to_bytes(length, "big") for i in range(count)]
    messages = [b"x"] * count
    offsets = array.array("q", range(count + 1))
    for nonces in (random_nonces, counters):
        aead.encrypt_many(nonces, messages)
        for first, second in ((0, 1), (0, count - 1), (count // 2 - 1, count // 2)):
            repeated = list(nonces)
            repeated[second] = repeated[first]
            whole, view = frame(17 * count)
            for call in (
                lambda n=repeated: aead.encrypt_many(n, messages),
                lambda n=repeated, v=view: aead.encrypt_packed(
                    b"".join(n), b"x" * count, offsets, out=v, nonce_length=length
                ),
            ):
                with pytest.raises(ValueError, match=rf"\[{first}\] and nonces\[{second}\] are eq"):
                    call()
            assert unframe(whole) == b"\xa5" * 17 * count
            allowed = aead.encrypt_many(repeated, messages, allow_repeated_nonces=True)
            assert allowed[second] == allowed[first]
            assert aead.decrypt_many(repeated, allowed) == messages


def test_engines_are_there() -> None:
    assert {engine.kernel for engine in engines("aes")} >= {"generic"}
