"""CBC and ECB with PKCS#7: good and bad padding on every kernel, through every form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import vectors
from cngaes import AESCBC, InvalidPadding
from forms import BLOCK_FORMS, ECB_FORMS
from padding_cases import padding_cases

if TYPE_CHECKING:
    from engines import Engine
    from vectors import PaddingCase


def run_cbc(engine: Engine, form: str, cases: list[PaddingCase]) -> tuple[int, int]:
    """Both directions of every case; returns how many were done and how many had to fail."""
    crypt = BLOCK_FORMS[form]
    texts, failing = set(), 0
    for case in cases:
        cipher = engine.cbc(case.key)
        if case.message is None:
            with pytest.raises(InvalidPadding) as caught:
                crypt(cipher, True, case.iv, case.ciphertext, True)
            assert type(caught.value) is InvalidPadding, case.where
            texts.add(str(caught.value))
            failing += 1
        else:
            assert crypt(cipher, True, case.iv, case.ciphertext, True) == case.message, case.where
            assert crypt(cipher, False, case.iv, case.message, True) == case.ciphertext, case.where
    assert len(texts) == 1, f"padding faults can be told apart: {texts}"
    return len(cases), failing


@pytest.mark.parametrize("form", BLOCK_FORMS)
def test_wycheproof(aes: Engine, form: str) -> None:
    assert run_cbc(aes, form, vectors.cbc_pkcs7_wycheproof()) == (216, 144)


@pytest.mark.parametrize("form", BLOCK_FORMS)
def test_cbc(aes: Engine, form: str) -> None:
    assert run_cbc(aes, form, padding_cases()) == (3 * 69 + 3012, 3012)


@pytest.mark.parametrize("form", ECB_FORMS)
def test_ecb(aes: Engine, form: str) -> None:
    """The same messages; under ECB the ciphertexts of another library again."""
    crypt = ECB_FORMS[form]
    texts = set()
    for case in padding_cases():
        cipher = aes.ecb(case.key, "pkcs7")
        # What the CBC ciphertext stands for, encrypted again block by block.
        cbc = Cipher(algorithms.AES(case.key), modes.CBC(case.iv)).decryptor()
        padded = cbc.update(case.ciphertext)
        ecb = Cipher(algorithms.AES(case.key), modes.ECB()).encryptor().update(padded)
        if case.message is None:
            with pytest.raises(InvalidPadding) as caught:
                crypt(cipher, True, b"", ecb, True)
            texts.add(str(caught.value))
        else:
            assert crypt(cipher, True, b"", ecb, True) == case.message, case.where
            assert crypt(cipher, False, b"", case.message, True) == ecb, case.where
    assert len(texts) == 1, f"padding faults can be told apart: {texts}"


@pytest.mark.parametrize("form", BLOCK_FORMS)
def test_every_flipped_bit_of_the_padding(backend: str, form: str) -> None:
    """All pad lengths, all pad bytes, all bits; a flip may by chance give another good padding."""
    crypt = BLOCK_FORMS[form]
    raw, cipher = AESCBC(bytes(16), padding=None), AESCBC(bytes(16), backend=backend)
    done = lucky = 0
    for size in range(1, 17):
        text = bytearray(b"\x7f" * (32 - size) + bytes([size]) * size)
        for bit in range(8 * (32 - size), 256):
            text[bit // 8] ^= 1 << bit % 8
            sealed = raw.encrypt(bytes(16), text)
            last = text[-1]
            if 1 <= last <= 16 and text.endswith(bytes([last]) * last):
                assert crypt(cipher, True, bytes(16), sealed, True) == text[:-last]
                lucky += 1
            else:
                with pytest.raises(InvalidPadding):
                    crypt(cipher, True, bytes(16), sealed, True)
            text[bit // 8] ^= 1 << bit % 8
            done += 1
    assert done == 8 * 136
    assert 0 < lucky < 20


@pytest.mark.parametrize("form", BLOCK_FORMS)
def test_cut_within_a_block(aes: Engine, form: str) -> None:
    """A length that no padded message has, which everybody can see: a plain ValueError."""
    crypt = BLOCK_FORMS[form]
    cbc, ecb = aes.cbc(bytes(16)), aes.ecb(bytes(16), "pkcs7")
    sealed = cbc.encrypt(bytes(16), bytes(40))
    for length in range(49):
        if length % 16:
            with pytest.raises(ValueError, match=r"multiple of 16") as caught:
                crypt(cbc, True, bytes(16), sealed[:length], True)
            assert type(caught.value) is ValueError
            if form in ECB_FORMS:
                with pytest.raises(ValueError, match=r"multiple of 16") as caught:
                    crypt(ecb, True, b"", sealed[:length], True)
                assert type(caught.value) is ValueError
