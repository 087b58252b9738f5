"""Every kernel against two other libraries, and through them against every other kernel."""

from __future__ import annotations

import functools
import hashlib
import hmac
import random
from typing import TYPE_CHECKING, NamedTuple

import pytest

import references
from cngaes import InvalidTag
from forms import BLOCK_FORMS, ECB_FORMS, OPEN_FORMS, SEAL_FORMS, frame, unframe
from references import KEY_SIZES
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engines import Engine

MODES = ("ecb", "cbc", "ctr", "gcm")
MODE_FORMS = [(m, f) for m in MODES for f in (ECB_FORMS if m == "ecb" else BLOCK_FORMS)]
SHORT = scaled(range(601))


class Case(NamedTuple):
    """One random message; result is ciphertext, for GCM with its tag of 16 bytes."""

    key: bytes
    iv: bytes
    aad: bytes
    data: bytes
    result: bytes


def make_case(rng: random.Random, mode: str, key_size: int, length: int) -> Case:
    key = rng.randbytes(key_size)
    iv = rng.randbytes(12 if mode == "gcm" else 16)
    aad = rng.randbytes(rng.randrange(70)) if mode == "gcm" else b""
    if mode == "gcm":
        data = rng.randbytes(length)
        return Case(key, iv, aad, data, references.gcm(key, iv, data, aad))
    if mode == "ctr":
        data = rng.randbytes(length)
        return Case(key, iv, aad, data, references.ctr(key, iv, data))
    data = rng.randbytes(length // 16 * 16)
    result = references.ecb(key, data) if mode == "ecb" else references.cbc(key, iv, data)
    return Case(key, iv, aad, data, result)


@functools.cache
def make_cases(mode: str, lengths: Sequence[int]) -> list[Case]:
    """A case for each length and key size; block modes need each whole number of blocks once."""
    rng = random.Random(f"{mode} {lengths!r}")
    if mode in ("ecb", "cbc"):
        lengths = sorted({length // 16 * 16 for length in lengths})
    return [make_case(rng, mode, size, length) for length in lengths for size in KEY_SIZES]


def check(engine: Engine, mode: str, form: str, case: Case) -> None:
    """Both directions of one case through one form."""
    if mode == "gcm":
        aead = engine.gcm(case.key)
        out = SEAL_FORMS[form](aead, case.iv, case.data, case.aad)
        back = OPEN_FORMS[form](aead, case.iv, case.result, case.aad)
    else:
        iv = b"" if mode == "ecb" else case.iv
        cipher = engine.block_cipher(mode, case.key)
        out = BLOCK_FORMS[form](cipher, False, iv, case.data, False)
        back = BLOCK_FORMS[form](cipher, True, iv, case.result, False)
    where = f"{mode} {form} key {len(case.key)} data {len(case.data)}"
    assert out == case.result, where
    assert back == case.data, where


@pytest.mark.parametrize(("mode", "form"), MODE_FORMS)
def test_short_lengths(aes: Engine, mode: str, form: str) -> None:
    cases = make_cases(mode, SHORT)
    assert len(cases) == 3 * len({n // 16 if mode in ("ecb", "cbc") else n for n in SHORT})
    for case in cases:
        check(aes, mode, form, case)


# Every number of blocks across the unrolled steps of any kernel, with and without a tail.
UNROLL_BORDERS = scaled([16 * blocks + tail for blocks in range(37, 161) for tail in (0, 1, 15)])


@pytest.mark.parametrize(("mode", "form"), MODE_FORMS)
def test_block_counts(aes: Engine, mode: str, form: str) -> None:
    for case in make_cases(mode, UNROLL_BORDERS):
        check(aes, mode, form, case)


def near_powers(last: int) -> tuple[int, ...]:
    return scaled(
        [(1 << k) + d for k in range(11, last + 1) for d in (-17, -16, -15, -1, 0, 1, 15, 16, 17)]
    )


@pytest.mark.parametrize(("mode", "form"), MODE_FORMS)
def test_near_powers_of_two(aes: Engine, mode: str, form: str) -> None:
    """Also both sides of the size from which the GIL is released."""
    for case in make_cases(mode, near_powers(14 if str(aes) == "generic" else 20)):
        check(aes, mode, form, case)


@pytest.mark.parametrize("mode", MODES)
def test_in_place_up_to_8_kib(aes: Engine, mode: str) -> None:
    step = 512 if str(aes) == "generic" else 16
    for case in make_cases(mode, scaled(range(0, 8193, step))):
        check(aes, mode, "in-place", case)


@functools.cache
def thousand_keys(mode: str) -> list[Case]:
    """A thousand random keys for each length of a tail, behind up to three whole blocks."""
    rng = random.Random(mode)
    cases = []
    for number in scaled(range(1000)):
        key, iv = rng.randbytes(KEY_SIZES[number % 3]), rng.randbytes(16)
        for tail in range(1, 16):
            data = rng.randbytes(16 * (number % 4) + tail)
            if mode == "gcm":
                result = references.gcm_quick(key, iv[:12], data, b"")
            else:
                result = references.ctr(key, iv, data)
            cases.append(Case(key, iv[:12] if mode == "gcm" else iv, b"", data, result))
    return cases


@pytest.mark.parametrize("mode", ["ctr", "gcm"])
def test_random_keys_for_every_tail(aes: Engine, mode: str) -> None:
    cases = thousand_keys(mode)
    assert len(cases) == 15 * len(scaled(range(1000)))
    for case in cases:
        if mode == "gcm":
            out = aes.gcm(case.key).encrypt(case.iv, case.data)
        else:
            out = aes.ctr(case.key).encrypt(case.iv, case.data)
        assert out == case.result, case


def shifted(data: bytes, offset: int) -> memoryview:
    """data at an address that lies offset bytes beside an aligned one."""
    return memoryview(b"\xee" * offset + data + b"\xee" * 8)[offset : offset + len(data)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [1, 16, 31, 64, 272, 600])
def test_alignments(aes: Engine, mode: str, length: int) -> None:
    """Every pair of input and output alignments; keys, nonces and AAD are shifted along."""
    case = make_cases(mode, (length,))[-1]
    for number in scaled(range(17 * 17)):
        read, write = divmod(number, 17)
        key, iv = shifted(case.key, write), shifted(case.iv, (read + write) % 17)
        whole, view = frame(len(case.result) + write)
        inner = view[write:]
        data = shifted(case.data, read)
        if mode == "gcm":
            aead = aes.gcm(key)
            count = aead.encrypt_into(iv, data, shifted(case.aad, write), inner)
            assert aead.decrypt(iv, shifted(case.result, read), case.aad) == case.data
        elif mode == "ecb":
            count = aes.ecb(key).encrypt_into(data, inner)
            assert aes.ecb(key).decrypt(shifted(case.result, read)) == case.data
        elif mode == "cbc":
            cbc = aes.cbc(key, None)
            count = cbc.encrypt_into(iv, data, inner)
            assert cbc.decrypt(iv, shifted(case.result, read)) == case.data
        else:
            count = aes.ctr(key).encrypt_into(iv, data, inner)
        assert count == len(case.result)
        assert unframe(whole)[write:] == case.result, (read, write)
        assert view[:write] == b"\xa5" * write, (read, write)


@functools.cache
def tampered(form: str) -> list[tuple[Case, bytes]]:
    """GCM messages of each length up to 80 with one bit of ciphertext or tag flipped."""
    rng = random.Random(form)
    out = []
    for case in make_cases("gcm", scaled(range(81))):
        bad = bytearray(case.result)
        bit = rng.randrange(8 * len(bad))
        bad[bit // 8] ^= 1 << bit % 8
        out.append((case, bytes(bad)))
    return out


@pytest.mark.parametrize("form", OPEN_FORMS)
def test_tampering_is_seen(aes: Engine, form: str) -> None:
    """The forms themselves check that the output is zeros afterwards and the tag untouched."""
    for case, bad in tampered(form):
        aead = aes.gcm(case.key)
        with pytest.raises(InvalidTag):
            OPEN_FORMS[form](aead, case.iv, bad, case.aad)
        if case.aad:
            with pytest.raises(InvalidTag):
                OPEN_FORMS[form](aead, case.iv, case.result, case.aad[:-1])


@functools.cache
def sha_messages() -> list[tuple[bytes, bytes]]:
    rng = random.Random("sha256")
    lengths = [*SHORT, *near_powers(20), 3_000_001]
    messages = [rng.randbytes(length) for length in lengths]
    return [(message, hashlib.sha256(message).digest()) for message in messages]


def test_sha256(sha: Engine) -> None:
    for message, digest in sha_messages():
        assert sha.sha256_digest(message) == digest, len(message)
        assert sha.sha256(shifted(message, len(message) % 17)).digest() == digest, len(message)


def test_hmac_key_and_data_lengths(sha: Engine) -> None:
    rng = random.Random("hmac")
    for length in scaled(range(201)):
        key, data = rng.randbytes(length), rng.randbytes(7 * length % 331)
        assert sha.hmac_sha256(key, data) == hmac.digest(key, data, "sha256"), length
        assert sha.hmac_sha256(data, key) == hmac.digest(data, key, "sha256"), length
