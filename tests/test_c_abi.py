"""The C functions that the extension exports, called with ctypes."""

from __future__ import annotations

import ctypes
import hashlib
import hmac
import random
from ctypes import c_int32, c_size_t, c_void_p
from typing import TYPE_CHECKING

import pytest

import references
from cngaes import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engines import Engine

OK, INVALID_TAG = 0, 1
GCM = (
    *(c_void_p, c_void_p, c_size_t, c_void_p, c_size_t),  # key, nonce, AAD
    *(c_void_p, c_size_t, c_void_p, c_void_p, c_size_t),  # in, out, tag
)
SIGNATURES = {
    "cngaes_key_new": (ctypes.c_char_p, c_void_p, c_size_t, ctypes.POINTER(c_void_p)),
    "cngaes_ecb": (c_void_p, c_int32, c_void_p, c_size_t, c_void_p),
    "cngaes_cbc": (c_void_p, c_int32, c_void_p, c_void_p, c_size_t, c_void_p),
    "cngaes_ctr": (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p),
    "cngaes_gcm_encrypt": GCM,
    "cngaes_gcm_decrypt": GCM,
    "cngaes_sha256": (c_void_p, c_size_t, c_void_p),
    "cngaes_hmac_sha256": (c_void_p, c_size_t, c_void_p, c_size_t, c_void_p),
}


@pytest.fixture(scope="module")
def abi() -> ctypes.CDLL:
    library = ctypes.CDLL(_core.__file__)
    for name, arguments in SIGNATURES.items():
        getattr(library, name).argtypes = arguments
        getattr(library, name).restype = c_int32
    library.cngaes_key_free.argtypes = (c_void_p,)
    library.cngaes_key_free.restype = None
    library.cngaes_abi_version.argtypes = ()
    library.cngaes_abi_version.restype = ctypes.c_uint32
    return library


class Keys:
    """Makes keys and frees them at the end."""

    def __init__(self, abi: ctypes.CDLL) -> None:
        self.abi = abi
        self.made: list[c_void_p] = []

    def new(self, mode: bytes, key: bytes) -> c_void_p:
        out = c_void_p()
        assert self.abi.cngaes_key_new(mode, key, len(key), ctypes.byref(out)) == OK
        assert out.value
        self.made.append(out)
        return out


@pytest.fixture
def keys(abi: ctypes.CDLL) -> Iterator[Keys]:
    made = Keys(abi)
    yield made
    for key in made.made:
        abi.cngaes_key_free(key)


def test_version(abi: ctypes.CDLL) -> None:
    assert abi.cngaes_abi_version() == 1


@pytest.mark.parametrize("key_size", references.KEY_SIZES)
def test_block_modes(aes: Engine, abi: ctypes.CDLL, keys: Keys, key_size: int) -> None:
    assert str(aes)  # keys are made while this kernel is forced
    rng = random.Random(key_size)
    for blocks in (0, 1, 5, 40, 1000):
        key, iv, data = rng.randbytes(key_size), rng.randbytes(16), rng.randbytes(16 * blocks)
        out = ctypes.create_string_buffer(len(data) + 1)
        back = ctypes.create_string_buffer(len(data) + 1)
        ecb, cbc = keys.new(b"ecb", key), keys.new(b"cbc", key)
        assert abi.cngaes_ecb(ecb, 0, data, len(data), out) == OK
        assert out.raw[:-1] == references.ecb(key, data)
        assert abi.cngaes_ecb(ecb, 1, out, len(data), back) == OK
        assert back.raw[:-1] == data
        assert abi.cngaes_cbc(cbc, 0, iv, data, len(data), out) == OK
        assert out.raw[:-1] == references.cbc(key, iv, data)
        assert abi.cngaes_cbc(cbc, 1, iv, out, len(data), back) == OK
        assert back.raw[:-1] == data
        assert out.raw[-1:] == back.raw[-1:] == b"\0"


@pytest.mark.parametrize("key_size", references.KEY_SIZES)
def test_stream_modes(aes: Engine, abi: ctypes.CDLL, keys: Keys, key_size: int) -> None:
    assert str(aes)
    rng = random.Random(key_size)
    for length in (0, 1, 16, 100, 5001):
        key, iv, data = rng.randbytes(key_size), rng.randbytes(16), rng.randbytes(length)
        out = ctypes.create_string_buffer(length + 1)
        assert abi.cngaes_ctr(keys.new(b"ctr", key), iv, data, length, out) == OK
        assert out.raw[:-1] == references.ctr(key, iv, data)
        gcm, aad, tag = keys.new(b"gcm", key), rng.randbytes(21), ctypes.create_string_buffer(16)
        for nonce in (iv[:12], iv, iv[:1]):
            expected = references.gcm(key, nonce, data, aad)
            sealing = (gcm, nonce, len(nonce), aad, len(aad), data, length, out, tag, 16)
            assert abi.cngaes_gcm_encrypt(*sealing) == OK
            assert out.raw[:-1] + tag.raw == expected
            opening = (gcm, nonce, len(nonce), aad, len(aad), out, length, out, tag, 16)
            assert abi.cngaes_gcm_decrypt(*opening) == OK  # in place
            assert out.raw[:-1] == data


def test_bad_tag(abi: ctypes.CDLL, keys: Keys) -> None:
    gcm, nonce = keys.new(b"gcm", bytes(16)), bytes(12)
    sealed = references.gcm(bytes(16), nonce, b"plaintext", b"")
    out = ctypes.create_string_buffer(b"\xa5" * 9, 9)
    for bit in range(128):
        tag = bytearray(sealed[9:])
        tag[bit // 8] ^= 1 << bit % 8
        arguments = (gcm, nonce, 12, None, 0, sealed, 9, out, bytes(tag), 16)
        assert abi.cngaes_gcm_decrypt(*arguments) == INVALID_TAG
        assert out.raw == bytes(9)


@pytest.mark.parametrize("tag_size", [4, 8, 12, 13, 14, 15])
def test_short_tags(abi: ctypes.CDLL, keys: Keys, tag_size: int) -> None:
    gcm, nonce = keys.new(b"gcm", bytes(24)), bytes(12)
    expected = references.gcm(bytes(24), nonce, b"data", b"aad")
    out, tag = ctypes.create_string_buffer(4), ctypes.create_string_buffer(16)
    call = (gcm, nonce, 12, b"aad", 3, b"data", 4, out, tag, tag_size)
    assert abi.cngaes_gcm_encrypt(*call) == OK
    assert out.raw + tag.raw == expected[: 4 + tag_size] + bytes(16 - tag_size)


def test_hashes(sha: Engine, abi: ctypes.CDLL) -> None:
    assert str(sha)
    out = ctypes.create_string_buffer(32)
    rng = random.Random("abi")
    for length in (0, 1, 55, 56, 64, 1000, 100_000):
        data, key = rng.randbytes(length), rng.randbytes(length % 100)
        assert abi.cngaes_sha256(data, length, out) == OK
        assert out.raw == hashlib.sha256(data).digest()
        assert abi.cngaes_hmac_sha256(key, len(key), data, length, out) == OK
        assert out.raw == hmac.digest(key, data, "sha256")


@pytest.mark.parametrize("mode", [b"", b"ECB", b"xts", b"gcm ", b"sha256", None])
def test_unknown_mode(abi: ctypes.CDLL, mode: bytes | None) -> None:
    out = c_void_p()
    assert abi.cngaes_key_new(mode, bytes(16), 16, ctypes.byref(out)) != OK
    assert not out.value


@pytest.mark.parametrize("size", [0, 1, 15, 17, 31, 33, 64, 2**40 + 16])
def test_wrong_key_size(abi: ctypes.CDLL, size: int) -> None:
    out = c_void_p()
    for mode in (b"ecb", b"cbc", b"ctr", b"gcm"):
        assert abi.cngaes_key_new(mode, bytes(64), size, ctypes.byref(out)) != OK
        assert not out.value


def test_wrong_sizes(abi: ctypes.CDLL, keys: Keys) -> None:
    """Refused with a code; nothing is written."""
    out = ctypes.create_string_buffer(b"\xa5" * 64, 64)
    tag = ctypes.create_string_buffer(b"\xa5" * 64, 64)
    ecb, cbc, gcm = (keys.new(mode, bytes(16)) for mode in (b"ecb", b"cbc", b"gcm"))
    for length in (1, 15, 17, 33):
        assert abi.cngaes_ecb(ecb, 0, bytes(64), length, out) != OK
        assert abi.cngaes_cbc(cbc, 1, bytes(16), bytes(64), length, out) != OK
    for tag_size in (0, 1, 3, 5, 7, 9, 11, 17, 32, 2**32 + 16):
        arguments = (gcm, bytes(12), 12, None, 0, bytes(16), 16, out, tag, tag_size)
        assert abi.cngaes_gcm_encrypt(*arguments) != OK
        assert abi.cngaes_gcm_decrypt(*arguments) not in (OK, INVALID_TAG)
    empty_nonce = (gcm, bytes(12), 0, None, 0, bytes(16), 16, out, tag, 16)
    assert abi.cngaes_gcm_encrypt(*empty_nonce) != OK
    assert abi.cngaes_gcm_decrypt(*empty_nonce) not in (OK, INVALID_TAG)
    assert out.raw == tag.raw == b"\xa5" * 64


def test_key_of_another_mode(abi: ctypes.CDLL, keys: Keys) -> None:
    """A key made for one mode is refused by the others, or gives their right answer."""
    out, tag = ctypes.create_string_buffer(16), ctypes.create_string_buffer(16)
    gcm = keys.new(b"gcm", bytes(16))
    if abi.cngaes_ecb(gcm, 0, bytes(16), 16, out) == OK:
        assert out.raw == references.ecb(bytes(16), bytes(16))
    ecb = keys.new(b"ecb", bytes(16))
    arguments = (ecb, bytes(12), 12, None, 0, bytes(16), 16, out, tag, 16)
    if abi.cngaes_gcm_encrypt(*arguments) == OK:
        assert out.raw + tag.raw == references.gcm(bytes(16), bytes(12), bytes(16), b"")


def test_null(abi: ctypes.CDLL) -> None:
    abi.cngaes_key_free(None)
    out = ctypes.create_string_buffer(32)
    assert abi.cngaes_ecb(None, 0, bytes(16), 16, out) != OK
    assert abi.cngaes_sha256(None, 0, out) == OK
    assert out.raw == hashlib.sha256().digest()
