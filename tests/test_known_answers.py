"""Values that users of other libraries reported as wrong there."""

from __future__ import annotations

import base64
import hashlib
import mmap
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from cngaes import hazmat
from forms import OPEN_FORMS, SEAL_FORMS
from vectors import unhex

if TYPE_CHECKING:
    from engines import Engine

# What is being told: (key, nonce, associated data, plaintext, ciphertext, tag).
GCM_ANSWERS = {
    "tag differs between processes": (
        b"1234567890123456",
        b"123456789012",
        b"",
        b"The quick brown fox jumps over the lazy dog",
        unhex(
            "e5190b88a9e43d6bccd179c7394634649011002415b6c1f81a8afabb5d4cafa97e51532b3f6454128765af"
        ),
        unhex("8e655a2ffd2cf34ba5e3b5796b82bc7e"),
    ),
    "wrong key schedule": (
        bytes(16),
        bytes(12),
        b"",
        bytes(16),
        unhex("0388dace60b6a392f328c2b971b2fe78"),
        unhex("ab6e47d42cec13bdf53a67b21257bddf"),
    ),
    "counter wraps in the low word of J0": (
        bytes(range(16)),
        unhex("b0bc145fa274fbeddb0434077ea29686"),
        b"",
        bytes(range(80)),
        unhex(
            "0b3174762511f1d7e45288880f6b66de47850de0554d97b7aabe8b61d9e72da7"
            "e6801914a3aa7da54766ab498de5f656437721a6a1f58229714287d859c91335"
            "0997c510dddee0cbabc030232cccfed2"
        ),
        unhex("2e975ed2d46073794b0773aef2b3e7fd"),
    ),
    "nothing at all, AES-128": (
        bytes(16),
        bytes(12),
        b"",
        b"",
        b"",
        unhex("58e2fccefa7e3061367f1d57a4e7455a"),
    ),
    "nothing at all, AES-256": (
        bytes(32),
        bytes(12),
        b"",
        b"",
        b"",
        unhex("530f8afbc74536b9a963b4f1c4cb738b"),
    ),
    "tag of 12 bytes": (
        base64.b64decode("IZKzlCW70ItujmHF0fG8n0KPxWn7xveMC8SPzNsPQq4="),
        base64.b64decode("4eWS6HIlhHwR2Uho"),
        b"",
        b'{"steamId":"76561198049878030"}',
        unhex("d5f9d2a874d6e8a10fc397af96d3f8e6965a003d02a88db1c85bdebfc35b11"),
        unhex("c1c4876c8853a226d6ce1ed2"),
    ),
}


@pytest.mark.parametrize("form", SEAL_FORMS)
@pytest.mark.parametrize("name", GCM_ANSWERS)
def test_gcm(aes: Engine, name: str, form: str) -> None:
    key, nonce, aad, plaintext, ciphertext, tag = GCM_ANSWERS[name]
    aead = aes.gcm(key, len(tag))
    assert SEAL_FORMS[form](aead, nonce, plaintext, aad) == ciphertext + tag
    assert OPEN_FORMS[form](aead, nonce, ciphertext + tag, aad) == plaintext


@pytest.mark.large
def test_half_a_gib_of_associated_data(aes: Engine) -> None:
    """2**32 bits, where a 32-bit count of them ends; and one block on both sides of it."""
    if str(aes) == "generic":
        size, tags = 1 << 20, {}
    else:
        size, tags = 1 << 29, {1 << 29: unhex("5633de47d6c63407bf61a89e2d96bd37")}
    # Memory that nobody has written to is one page of zeros, however long.
    zeros = (
        mmap.mmap(-1, size + 16)
        if sys.platform == "win32"
        else mmap.mmap(-1, size + 16, flags=mmap.MAP_PRIVATE)
    )
    key, nonce = bytes(range(32)), bytes(range(0x20, 0x2C))
    with memoryview(zeros) as view:
        for length in (size - 16, size, size + 16):
            with view[:length] as aad:
                expected = tags.get(length) or AESGCM(key).encrypt(nonce, b"", aad)
                assert aes.gcm(key).encrypt(nonce, b"", aad) == expected, length
    zeros.close()


def test_same_answer_in_twenty_processes() -> None:
    key, nonce, _, plaintext, ciphertext, tag = GCM_ANSWERS["tag differs between processes"]
    program = (
        f"import cngaes; print(cngaes.AESGCM({key!r}).encrypt({nonce!r}, {plaintext!r}).hex())"
    )
    for _ in range(20):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.strip() == (ciphertext + tag).hex()


def test_nothing_or_only_one_part(aes: Engine) -> None:
    """AAD without data, data without AAD, neither: streaming equals one-shot, no extra block."""
    aead, nonce = aes.gcm(bytes(16)), bytes(12)
    for aad in (b"", b"a", bytes(16), bytes(33)):
        for data in (b"", b"d", bytes(16), bytes(33)):
            context = aead.encryptor(nonce, aad)
            out = context.update(data) if data else b""
            out += context.finalize()
            assert out + context.tag == aead.encrypt(nonce, data, aad)
            with hazmat.gcm_decryptor(aead, nonce, aad) as opener:
                back = opener.update(out) if data else b""
                assert back + opener.finalize_with_tag(context.tag) == data


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
        (b"a" * 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ],
    ids=["nothing", "abc", "two blocks", "a million a"],
)
def test_sha256(sha: Engine, text: bytes, digest: str) -> None:
    """FIPS 180-4's examples."""
    assert sha.sha256_digest(text).hex() == digest
    assert sha.sha256(text).hexdigest() == digest == hashlib.sha256(text).hexdigest()
