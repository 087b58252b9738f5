"""pycryptodome's own tests of AES-GCM, CBC, CTR and SHA-256, run against cngaes.

They come with the installed package; nothing of them is here. DIFFERENCES names each test that
fails, with the reason, and one that stops failing must leave the list.
"""

from __future__ import annotations

import importlib
import unittest
from typing import Any

import pycryptodome_shim as shim
import pytest
from Cryptodome.Cipher import AES
from Cryptodome.Hash import SHA256

MODULES = ["Cipher.test_GCM", "Cipher.test_CBC", "Cipher.test_CTR", "Hash.test_SHA256"]
# At least so many tests ran when this was written; fewer would mean that they are no longer found.
AT_LEAST = {
    "Cipher.test_GCM": 37,
    "Cipher.test_CBC": 24,
    "Cipher.test_CTR": 20,
    "Hash.test_SHA256": 10,
}

SUFFIX = (
    "a counter between prefix and suffix: AESCTR counts in all 128 bits (SP 800-38A appendix B.1)"
)
DIFFERENCES = {
    "Cipher.test_CTR.CtrTests.test_nonce_attribute": SUFFIX,
    "Cipher.test_CTR.CtrTests.test_wrap_around": SUFFIX,
}


def flatten(tests: Any) -> list[unittest.TestCase]:
    if isinstance(tests, unittest.TestCase):
        return [tests]
    return [case for test in tests for case in flatten(test)]


def name_of(case: unittest.TestCase) -> str:
    return case.id().split("SelfTest.")[-1]


@pytest.fixture
def dressed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts cngaes in the place of pycryptodome's AES and SHA256."""
    original: Any = AES.new

    def new(key: Any, mode: int, *args: Any, **named: Any) -> Any:
        if mode in {AES.MODE_GCM, AES.MODE_CBC, AES.MODE_CTR}:
            return shim.new(key, mode, *args, **named)
        return original(key, mode, *args, **named)  # used by the tests to make their vectors

    monkeypatch.setattr(AES, "new", new)
    monkeypatch.setattr(SHA256, "new", shim.Sha256)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("dressed")
@pytest.mark.parametrize("name", MODULES)
def test_suite(name: str) -> None:
    module = importlib.import_module(f"Cryptodome.SelfTest.{name}")
    cases = flatten(module.get_tests({"slow_tests": False, "wycheproof_warnings": False}))
    result = unittest.TestResult()
    failed: dict[str, str] = {}
    for case in cases:
        before = len(result.failures) + len(result.errors)
        case.run(result)
        if len(result.failures) + len(result.errors) > before:
            trace = (result.failures + result.errors)[-1][1]
            failed[name_of(case)] = trace.splitlines()[-1]
    assert result.testsRun >= AT_LEAST[name], result.testsRun
    expected = {test for test in DIFFERENCES if f".{name.split('.')[-1]}." in f".{test}"}
    assert set(failed) == expected, failed
