"""ECB, CBC and CTR: NIST files and CBC Monte Carlo on every kernel, through every form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import vectors
from forms import BLOCK_FORMS, ECB_FORMS

if TYPE_CHECKING:
    from engines import Engine

# Mode -> (files, cases).
PUBLISHED = {"ECB": (15, 2138), "CBC": (15, 2138), "CTR": (3, 9)}
MODE_FORMS = [
    (mode, form) for mode in PUBLISHED for form in (ECB_FORMS if mode == "ECB" else BLOCK_FORMS)
]


@pytest.mark.parametrize(("mode", "form"), MODE_FORMS)
def test_nist_files(aes: Engine, mode: str, form: str) -> None:
    crypt = BLOCK_FORMS[form]
    done = 0
    for _, cases in vectors.aes_files(mode):
        for case in cases:
            cipher = aes.block_cipher(mode, case.key)
            # The files say which direction they mean; both must hold for each case.
            assert crypt(cipher, False, case.iv, case.plaintext, False) == case.ciphertext, case
            assert crypt(cipher, True, case.iv, case.ciphertext, False) == case.plaintext, case
            done += 1
    assert (len(vectors.aes_files(mode)), done) == PUBLISHED[mode]


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_cbc_monte_carlo(aes: Engine, bits: int) -> None:
    """AESVS section 6.4.2; the form changes with each of the 100 steps."""
    cases = vectors.cbc_monte_carlo(bits)
    assert len(cases) == 200
    forms = list(BLOCK_FORMS.values())
    for number, case in enumerate(cases):
        crypt = forms[number % len(forms)]
        cipher = aes.cbc(case.key, None)
        source, target = case.plaintext, case.ciphertext
        if case.decrypt:
            source, target = target, source
        # The second text is the IV, each later one the output before the last.
        text, before, chain = source, case.iv, case.iv
        for _ in range(1000):
            out = crypt(cipher, case.decrypt, chain, text, False)
            chain = text if case.decrypt else out
            text, before = before, out
        assert before == target, case
