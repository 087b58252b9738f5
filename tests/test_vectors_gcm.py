"""GCM: NIST CAVP and Wycheproof on every kernel, through every form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import vectors
from cngaes import InvalidTag
from forms import OPEN_FORMS, SEAL_FORMS

if TYPE_CHECKING:
    from engines import Engine

# File -> (cases, cases that must fail), counted by other means in the files as published.
CAVP_FILES = {
    "gcmDecrypt128": (7875, 4011),
    "gcmDecrypt192": (7875, 3978),
    "gcmDecrypt256": (7875, 3919),
    "gcmEncryptExtIV128": (7875, 0),
    "gcmEncryptExtIV192": (7875, 0),
    "gcmEncryptExtIV256": (7875, 0),
}


def run(engine: Engine, form: str, cases: list[vectors.GcmCase]) -> tuple[int, int]:
    """Seals and opens every case; returns how many were done and how many had to fail."""
    seal, open_ = SEAL_FORMS[form], OPEN_FORMS[form]
    failing = 0
    for case in cases:
        aead = engine.gcm(case.key, len(case.tag))
        sealed = case.ciphertext + case.tag
        if case.plaintext is None:
            failing += 1
            try:
                open_(aead, case.nonce, sealed, case.aad)
            except InvalidTag:
                continue
            pytest.fail(f"accepted: {case}")
        assert open_(aead, case.nonce, sealed, case.aad) == case.plaintext, case
        assert seal(aead, case.nonce, case.plaintext, case.aad) == sealed, case
    return len(cases), failing


def test_cavp_is_complete() -> None:
    assert sum(len(vectors.gcm_cavp(name)) for name in CAVP_FILES) == 47250
    tags = {len(case.tag) for name in CAVP_FILES for case in vectors.gcm_cavp(name)}
    assert tags == {4, 8, 12, 13, 14, 15, 16}


@pytest.mark.parametrize("form", SEAL_FORMS)
@pytest.mark.parametrize("name", CAVP_FILES)
def test_cavp(aes: Engine, name: str, form: str) -> None:
    assert run(aes, form, vectors.gcm_cavp(name)) == CAVP_FILES[name]


@pytest.mark.parametrize("form", SEAL_FORMS)
def test_wycheproof(aes: Engine, form: str) -> None:
    cases = vectors.gcm_wycheproof()
    empty_nonce = [case for case in cases if not case.nonce]
    assert len(cases) == 316
    assert len(empty_nonce) == 6
    for case in empty_nonce:
        assert case.plaintext is None
        with pytest.raises(ValueError, match="nonce"):
            OPEN_FORMS[form](aes.gcm(case.key), b"", case.ciphertext + case.tag, case.aad)
    assert run(aes, form, [case for case in cases if case.nonce]) == (310, 81)
