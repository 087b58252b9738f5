"""Known answers through every backend, for a Windows Python without other cryptography packages.

Emulation is slow and wheels for win_arm64 are rare, so this stands in for the large test suite
there: NIST's examples for each mode, padding, forged tags, streams, chunks and threads.
"""

from __future__ import annotations

import hashlib
import hmac
import sys
import threading
from typing import Any

import pytest

import cngaes
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, InvalidTag, UnsupportedBackend, _core

BACKENDS = cngaes.available_backends()
# SP 800-38A appendix F: keys by length, plaintext, IV, counter.
KEYS = {
    16: "2b7e151628aed2a6abf7158809cf4f3c",
    24: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    32: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
}
PLAIN = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
IV, COUNTER = bytes(range(16)), bytes(range(0xF0, 0x100))
# The first two blocks of F.1, F.2 and F.5.
ECB = {
    16: "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf",
    24: "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef",
    32: "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870",
}
CBC = {
    16: "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
    24: "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a",
    32: "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d",
}
CTR = {
    16: "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
    24: "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94",
    32: "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5",
}
# The GCM specification's test cases 4 and 16 (D. McGrew, J. Viega, appendix B).
GCM_NONCE = bytes.fromhex("cafebabefacedbaddecaf888")
GCM_AAD = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
GCM_PLAIN = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
)
# Ciphertext in two halves.
GCM = {
    16: (
        "feffe9928665731c6d6a8f9467308308",
        (
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
            "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
        ),
        "5bc94fbc3221a5db94fae95ae7121a47",
    ),
    32: (
        "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        (
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        ),
        "76fc6ece0f4e1768cddf8853bb2d551b",
    ),
}


def sizes(backend: str) -> list[int]:
    """Key lengths that do not end the process: nettle's AES-192-ECB does, under ARM64 Wine."""
    wine = bool(_core.windows_info()["wine_version"])
    on_arm64 = _core.build_info()["architecture"] == "arm64"
    return [16, 32] if wine and on_arm64 and backend != "cpu" else [16, 24, 32]


@pytest.mark.parametrize("backend", BACKENDS)
def test_block_modes(backend: str) -> None:
    for size in sizes(backend):
        key = bytes.fromhex(KEYS[size])
        ecb, ctr = AESECB(key, backend=backend), AESCTR(key, backend=backend)
        cbc = AESCBC(key, padding=None, backend=backend)
        for _ in range(2):
            assert ecb.encrypt(PLAIN).hex() == ECB[size]
            assert cbc.encrypt(IV, PLAIN).hex() == CBC[size]
            assert ctr.encrypt(COUNTER, PLAIN).hex() == CTR[size]
            assert ecb.decrypt(bytes.fromhex(ECB[size])) == PLAIN
            assert cbc.decrypt(IV, bytes.fromhex(CBC[size])) == PLAIN
        assert cbc.backend == backend


@pytest.mark.parametrize("backend", BACKENDS)
def test_gcm(backend: str) -> None:
    for key, ciphertext, tag in GCM.values():
        aead = AESGCM(bytes.fromhex(key), backend=backend)
        sealed = bytes.fromhex(ciphertext + tag)
        assert aead.encrypt(GCM_NONCE, GCM_PLAIN, GCM_AAD) == sealed
        assert aead.decrypt(GCM_NONCE, sealed, GCM_AAD) == GCM_PLAIN
        out = bytearray(len(GCM_PLAIN))
        with pytest.raises(InvalidTag):
            aead.decrypt_into(GCM_NONCE, sealed[:-1] + b"\0", GCM_AAD, out)
        assert not any(out)
        empty = aead.encrypt(GCM_NONCE, b"", None)
        with pytest.raises(InvalidTag):
            aead.decrypt(GCM_NONCE, empty[:-1] + bytes([empty[-1] ^ 1]))
        if backend != "cpu":
            with pytest.raises(UnsupportedBackend, match="in pieces"):
                aead.encryptor(GCM_NONCE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_hashes(backend: str) -> None:
    for size in (0, 1, 55, 56, 64, 100_000):
        data = bytes(i & 255 for i in range(size))
        assert cngaes.sha256_digest(data, backend=backend) == hashlib.sha256(data).digest()
        made = cngaes.sha256(data, backend=backend)
        copy = made.copy()
        copy.update(data)
        assert made.digest() == hashlib.sha256(data).digest()
        assert copy.digest() == hashlib.sha256(data + data).digest()
        mac = cngaes.hmac_sha256(data[:70], data, backend=backend)
        assert mac == hmac.digest(data[:70], data, "sha256")


@pytest.mark.parametrize("backend", BACKENDS)
def test_backends_agree(backend: str) -> None:
    key, data = bytes(range(32)), bytes(i * 7 & 255 for i in range(50_001))
    for size in (1, 15, 16, 17, 4096, 16384, 50_001):
        part = data[:size]
        pairs: list[Any] = [
            (kind(key, backend=backend), kind(key, backend="cpu"))
            for kind in (AESGCM, AESCBC, AESCTR)
        ]
        ivs = (bytes(12), IV, COUNTER)
        for (mine, other), iv in zip(pairs, ivs, strict=True):
            sealed = mine.encrypt(iv, part)
            assert sealed == other.encrypt(iv, part)
            assert mine.decrypt(iv, sealed) == part


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads(backend: str) -> None:
    aead, cbc = AESGCM(bytes(32), backend=backend), AESCBC(bytes(32), backend=backend)
    data = bytes(5000)
    wrong: list[int] = []
    expected = (aead.encrypt(bytes(12), data), cbc.encrypt(IV, data))

    def work() -> None:
        for _ in range(25):
            got = (aead.encrypt(bytes(12), data), cbc.encrypt(IV, data))
            wrong.extend([1] * (got != expected))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_is_here() -> None:
    everything = {"cpu", "cng", "cng-ctypes"}
    assert set(BACKENDS) == (everything if sys.platform == "win32" else {"cpu"})
    assert all(result == "passed" for result in cngaes.self_test().values())
