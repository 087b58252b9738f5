"""Lengths beyond 2**31 and 2**32, and a soak: minutes and gigabytes, hence not in tests/.

    python -m pytest tools/nightly

Every value printed here was reported by users of other libraries as wrong or impossible there, and
computed with two of them.
"""

from __future__ import annotations

import functools
import hashlib
import mmap
import random
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import cngaes
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEY, NONCE, IV = bytes(range(32)), bytes(range(0x20, 0x2C)), bytes(range(16))
MEBIBYTE = 1 << 20
# Zero bytes encrypted under KEY and NONCE -> tag.
TAGS = {1 << 31: "7236614fcc7eec0d1e1b500c9c99b2d9", 1 << 32: "a5a383e9793f9799b7f89cfd85b8f8fd"}


@pytest.fixture(params=[name for name in cngaes.supported_kernels()["aes"] if name != "generic"])
def kernel(request: pytest.FixtureRequest) -> Iterator[str]:
    """Force each kernel that is fast enough for this."""
    _core._force_kernels(f"aes={request.param}")
    yield str(request.param)
    _core._force_kernels(None)


@functools.cache
def expected_tag(size: int, aad_size: int = 0) -> str:
    """Make the tag of zero bytes with another library, in pieces."""
    other = Cipher(algorithms.AES(KEY), modes.GCM(NONCE)).encryptor()
    zeros, out = bytes(MEBIBYTE), bytearray(MEBIBYTE + 15)
    for start in range(0, aad_size, MEBIBYTE):
        other.authenticate_additional_data(zeros[: aad_size - start])
    for start in range(0, size, MEBIBYTE):
        other.update_into(memoryview(zeros)[: size - start], out)
    other.finalize()
    return other.tag.hex()


ONE_CALL = [*TAGS, (1 << 31) - 1, (1 << 32) - 1, (1 << 32) + 17]


@pytest.mark.parametrize("size", ONE_CALL)
def test_gcm_in_one_call(kernel: str, size: int) -> None:
    """In place: the plaintext is what nobody has written yet."""
    message = mmap.mmap(-1, size + 16, flags=mmap.MAP_PRIVATE)
    with memoryview(message) as view, view[:size] as text:
        aead = AESGCM(KEY)
        assert aead.kernel == kernel
        assert aead.encrypt_into(NONCE, text, None, view) == size + 16
        assert view[size:].hex() == TAGS.get(size, expected_tag(size))
        assert aead.decrypt_into(NONCE, view, None, text) == size
        assert not any(text[at] for at in range(0, size, 4093))
    message.close()


@pytest.mark.parametrize("size", [(1 << 29) - 1, 1 << 29, (1 << 29) + 1])
def test_much_associated_data(kernel: str, size: int) -> None:
    """From 2**29 bytes on their number of bits needs more than 32 of the length block's."""
    tag = AESGCM(KEY).encrypt(NONCE, b"", bytes(size)).hex()
    assert tag == expected_tag(0, size), kernel
    if size == 1 << 29:
        assert tag == "5633de47d6c63407bf61a89e2d96bd37"


@pytest.mark.parametrize("size", [*TAGS, (1 << 32) - 16, (1 << 32) + 16, (1 << 32) + 5])
def test_gcm_in_pieces(kernel: str, size: int) -> None:
    """A stream on both sides of 2**32 bytes, compared piece by piece."""
    assert AESGCM(KEY).kernel == kernel
    ours = AESGCM(KEY).encryptor(NONCE)
    theirs = Cipher(algorithms.AES(KEY), modes.GCM(NONCE)).encryptor()
    zeros, out, expected = bytes(MEBIBYTE), bytearray(MEBIBYTE), bytearray(MEBIBYTE + 15)
    for start in range(0, size, MEBIBYTE):
        piece = memoryview(zeros)[: min(MEBIBYTE, size - start)]
        ours.update_into(piece, out)
        theirs.update_into(piece, expected)
        assert out[: len(piece)] == expected[: len(piece)], start
    ours.finalize()
    theirs.finalize()
    assert ours.tag == theirs.tag
    assert ours.tag.hex() == TAGS.get(size, ours.tag.hex())


def test_one_update_above_2_gib(kernel: str) -> None:
    """One call equals the same data in pieces, in every mode and for SHA-256."""
    size = (1 << 31) + 48
    zeros = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE)
    out = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE)
    cbc = AESCBC(KEY, padding=None)
    makers: dict[str, Callable[[], Any]] = {
        "gcm": lambda: AESGCM(KEY).encryptor(NONCE),
        "ctr": lambda: AESCTR(KEY).encryptor(IV),
        "cbc encrypt": lambda: cbc.encryptor(IV),
        "cbc decrypt": lambda: cbc.decryptor(IV),
    }
    for name, make in makers.items():
        context = make()
        assert context.update_into(zeros, out) == size
        whole = hashlib.sha256(out).digest()
        pieces, twin = hashlib.sha256(), make()
        for start in range(0, size, MEBIBYTE):
            pieces.update(twin.update(bytes(min(MEBIBYTE, size - start))))
        assert pieces.digest() == whole, (kernel, name)
    assert AESECB(KEY).encrypt_into(zeros, out) == size
    assert out[:16] == out[-16:] == AESECB(KEY).encrypt(bytes(16))
    assert cngaes.sha256_digest(out) == hashlib.sha256(out).digest()
    zeros.close()
    out.close()


@pytest.mark.parametrize("size", [(1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1])
def test_hash_lengths(size: int) -> None:
    """One call on both sides of 2**31 and 2**32."""
    zeros = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE)
    assert cngaes.sha256_digest(zeros) == hashlib.sha256(zeros).digest()
    zeros.close()


def test_hashes_of_many_bytes() -> None:
    """1 GiB of the letter a, 10 GiB of zeros."""
    made, piece = cngaes.sha256(), b"a" * MEBIBYTE
    for _ in range(1024):
        made.update(piece)
    digest = "c4d3e5935f50de4f0ad36ae131a72fb84a53595f81f92678b42b91fc78992d84"
    assert made.hexdigest() == digest
    made, piece = cngaes.sha256(), bytes(MEBIBYTE)
    for _ in range(10 * 1024):
        made.update(piece)
    digest = "732377e7f4a2abdc13ddfa1eb4c9c497fd2a2b294674d056cf51581b47dd586d"
    assert made.hexdigest() == digest


def test_soak(kernel: str) -> None:
    """A million calls of 4 KiB: processors have been known to repeat a step after an interrupt."""
    rng = random.Random(kernel)
    data = rng.randbytes(4096)
    cipher, buf = AESCTR(KEY), bytearray(4096)
    for number in range(1_000_000):
        counter = number.to_bytes(16, "big")
        cipher.encrypt_into(counter, data, buf)
        if number % 8 == 0:
            other = Cipher(algorithms.AES(KEY), modes.CTR(counter)).encryptor()
            assert buf == other.update(data), number
        else:
            cipher.decrypt_into(counter, buf, buf)
            assert buf == data, number
