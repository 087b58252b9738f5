"""Counters that wrap, nonces, tags and associated data of every length."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING

import pytest

import references
from cngaes import InvalidTag
from forms import BLOCK_FORMS, OPEN_FORMS, SEAL_FORMS
from references import KEY_SIZES

if TYPE_CHECKING:
    from engines import Engine

# As many blocks before the wrap as any kernel takes in one step, and more.
BEFORE_WRAP = tuple(range(41))
TAG_LENGTHS = (4, 8, 12, 13, 14, 15, 16)


@functools.cache
def ctr_cases() -> list[tuple[bytes, bytes, bytes, bytes]]:
    """(key, counter, data, result) with counters just below 2**32, 2**64, 2**96 and 2**128."""
    rng = random.Random("ctr wrap")
    cases = []
    for bits in (32, 64, 96, 128):
        for before in BEFORE_WRAP:
            high = rng.getrandbits(128 - bits) << bits if bits < 128 else 0
            counter = (high + (1 << bits) - 1 - before).to_bytes(16, "big")
            key = rng.randbytes(KEY_SIZES[before % 3])
            data = rng.randbytes(16 * 45 + before % 16)
            cases.append((key, counter, data, references.ctr(key, counter, data)))
    return cases


@pytest.mark.parametrize("form", BLOCK_FORMS)
def test_ctr_wrap(aes: Engine, form: str) -> None:
    crypt = BLOCK_FORMS[form]
    for key, counter, data, result in ctr_cases():
        cipher = aes.ctr(key)
        assert crypt(cipher, False, counter, data, False) == result, counter.hex()
        assert crypt(cipher, True, counter, result, False) == data, counter.hex()
        for length in (0, 1, 15, 16, 17, 100, 256, 511):
            short = crypt(cipher, False, counter, data[:length], False)
            assert short == result[:length], (counter.hex(), length)


@pytest.mark.parametrize("key_size", KEY_SIZES)
def test_ctr_offset(aes: Engine, key_size: int) -> None:
    """offset=n starts n bytes into the keystream, across every wrap."""
    rng = random.Random(key_size)
    key = rng.randbytes(key_size)
    cipher = aes.ctr(key)
    for counter in (rng.randbytes(16), b"\xff" * 16, bytes(8) + b"\xff" * 8):
        data = rng.randbytes(400)
        whole = references.ctr(key, counter, data)
        for offset in range(400):
            piece, expected = data[offset:], whole[offset:]
            assert cipher.encrypt(counter, piece, offset=offset) == expected, offset
            assert cipher.decrypt(counter, expected, offset=offset) == piece, offset
            buf = bytearray(piece)
            assert cipher.encrypt_into(counter, buf, buf, offset=offset) == len(piece)
            assert buf == expected, offset
            assert cipher.decrypt_into(counter, buf, buf, offset=offset) == len(piece)
            assert buf == piece, offset
            context = cipher.encryptor(counter, offset=offset)
            out = context.update(piece[:7]) + context.update(piece[7:]) + context.finalize()
            assert out == expected, offset
            context = cipher.decryptor(counter, offset=offset)
            assert context.update(expected) == piece, offset


@pytest.mark.parametrize("offset", [2**31, 2**32 - 1, 2**36 + 5, 2**40 - 16, 2**52 + 17, 2**62 + 9])
def test_ctr_far_offset(aes: Engine, offset: int) -> None:
    rng = random.Random(offset)
    key, counter, data = rng.randbytes(32), rng.randbytes(16), rng.randbytes(100)
    start = (int.from_bytes(counter, "big") + offset // 16) % (1 << 128)
    skip = bytes(offset % 16)
    expected = references.ctr(key, start.to_bytes(16, "big"), skip + data)[len(skip) :]
    assert aes.ctr(key).encrypt(counter, data, offset=offset) == expected
    assert aes.ctr(key).encryptor(counter, offset=offset).update(data) == expected


@functools.cache
def j0_cases() -> list[tuple[bytes, bytes, bytes, bytes]]:
    """(key, nonce, data, result): the counter's low word wraps after 0, 1, 2, ... blocks."""
    rng = random.Random("j0")
    cases = []
    for before in BEFORE_WRAP:
        for blocks in (0, 1, 3):  # before the block of the nonce that is solved for
            key = rng.randbytes(KEY_SIZES[(before + blocks) % 3])
            j0 = rng.randbytes(12) + (2**32 - 1 - before).to_bytes(4, "big")
            nonce = references.nonce_for(key, j0, rng.randbytes(16 * blocks))
            data = rng.randbytes(16 * 45 + before % 16)
            result = references.gcm(key, nonce, data, b"header")
            # The tag is masked with the encrypted J0: the nonce really leads there.
            zeros = references.gcm(key, nonce, bytes(16), b"")
            low = (int.from_bytes(j0[12:], "big") + 1) % 2**32
            assert zeros[:16] == references.ecb(key, j0[:12] + low.to_bytes(4, "big"))
            cases.append((key, nonce, data, result))
    return cases


@pytest.mark.parametrize("form", SEAL_FORMS)
def test_gcm_counter_wrap(aes: Engine, form: str) -> None:
    for key, nonce, data, result in j0_cases():
        aead = aes.gcm(key)
        assert SEAL_FORMS[form](aead, nonce, data, b"header") == result, nonce.hex()
        assert OPEN_FORMS[form](aead, nonce, result, b"header") == data, nonce.hex()
        for length in (1, 16, 50, 255):
            out = SEAL_FORMS[form](aead, nonce, data[:length], b"header")
            assert out[:-16] == result[:length], (nonce.hex(), length)


@functools.cache
def nonce_cases() -> list[tuple[bytes, bytes, bytes, bytes, bytes]]:
    rng = random.Random("nonces")
    cases = []
    for length in [*range(1, 131), 255, 256, 257, 1000, 4099]:
        key, nonce = rng.randbytes(KEY_SIZES[length % 3]), rng.randbytes(length)
        data, aad = rng.randbytes(length % 50), rng.randbytes(length % 23)
        cases.append((key, nonce, data, aad, references.gcm(key, nonce, data, aad)))
    return cases


@pytest.mark.parametrize("form", SEAL_FORMS)
def test_gcm_nonce_lengths(aes: Engine, form: str) -> None:
    for key, nonce, data, aad, result in nonce_cases():
        aead = aes.gcm(key)
        assert SEAL_FORMS[form](aead, nonce, data, aad) == result, len(nonce)
        assert OPEN_FORMS[form](aead, nonce, result, aad) == data, len(nonce)
        if len(nonce) > 12:  # nor is it cut to 12 bytes
            assert SEAL_FORMS[form](aead, nonce[:12], data, aad) != result, len(nonce)


@functools.cache
def aad_cases() -> list[tuple[bytes, bytes, bytes, bytes, bytes]]:
    rng = random.Random("aad")
    cases = []
    for aad_len in [*range(300), 511, 512, 513, 1023, 1024, 4095, 4096, 4097, 65536]:
        for data_len in (0, (3 * aad_len + 1) % 97):
            key, nonce = rng.randbytes(KEY_SIZES[aad_len % 3]), rng.randbytes(12)
            data, aad = rng.randbytes(data_len), rng.randbytes(aad_len)
            cases.append((key, nonce, data, aad, references.gcm(key, nonce, data, aad)))
    return cases


@pytest.mark.parametrize("form", SEAL_FORMS)
def test_gcm_aad_lengths(aes: Engine, form: str) -> None:
    """With data and without (GMAC)."""
    for key, nonce, data, aad, result in aad_cases():
        aead = aes.gcm(key)
        assert SEAL_FORMS[form](aead, nonce, data, aad) == result, (len(aad), len(data))
        assert OPEN_FORMS[form](aead, nonce, result, aad) == data, (len(aad), len(data))


@pytest.mark.parametrize("form", SEAL_FORMS)
@pytest.mark.parametrize("tag_length", TAG_LENGTHS)
def test_gcm_tag_lengths(aes: Engine, tag_length: int, form: str) -> None:
    """A shorter tag is the start of the long one; every flipped bit of it is refused."""
    rng = random.Random(tag_length)
    for length in (0, 1, 16, 100):
        key, nonce = rng.randbytes(KEY_SIZES[length % 3]), rng.randbytes(12)
        data, aad = rng.randbytes(length), rng.randbytes(20)
        result = references.gcm(key, nonce, data, aad)[: length + tag_length]
        aead = aes.gcm(key, tag_length)
        assert aead.tag_length == tag_length
        assert SEAL_FORMS[form](aead, nonce, data, aad) == result
        assert OPEN_FORMS[form](aead, nonce, result, aad) == data
        for bit in range(8 * tag_length):
            bad = bytearray(result)
            bad[length + bit // 8] ^= 1 << bit % 8
            with pytest.raises(InvalidTag):
                OPEN_FORMS[form](aead, nonce, bytes(bad), aad)


def test_gcm_tag_length_is_the_keys(aes: Engine) -> None:
    """A tag cut by the sender does not pass: no prefix of a good message is a good message."""
    aead = aes.gcm(bytes(16))
    sealed = aead.encrypt(bytes(12), b"some data that is longer than a tag", b"")
    for length in range(len(sealed)):
        with pytest.raises(InvalidTag):
            aead.decrypt(bytes(12), sealed[:length], b"")


def test_no_aad_is_empty_aad(aes: Engine) -> None:
    aead, nonce = aes.gcm(bytes(32)), bytes(12)
    sealed = aead.encrypt(nonce, b"data", b"")
    assert aead.encrypt(nonce, b"data") == sealed
    assert aead.encrypt(nonce, b"data", None) == sealed
    assert aead.decrypt(nonce, sealed) == b"data"
    assert aead.decrypt(nonce, sealed, None) == b"data"
    buf = bytearray(20)
    assert aead.encrypt_into(nonce, b"data", None, buf) == 20
    assert buf == sealed
    assert aead.decrypt_into(nonce, sealed, None, memoryview(buf)[:4]) == 4
    context = aead.encryptor(nonce)
    assert context.update(b"data") + context.finalize() + context.tag == sealed
