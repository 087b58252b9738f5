"""The ARM64 kernels executed on this machine: results, instructions, traces, bounds, registers."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from unicorn import UcError

from arm64.kernels import USES, Aes, sha256, sha256_calls, sha256_padding
from arm64.machine import Machine

if TYPE_CHECKING:
    from arm64.machine import Call

pytestmark = pytest.mark.unicorn
COUNTS = Path(__file__).with_name("instructions.json")
KEY_LENGTHS = (16, 24, 32)
# Whole blocks up to 600 bytes: what kernels see. The core's partial blocks are tested under qemu.
BLOCK_COUNTS = range(600 // 16 + 1)


def clean(calls: list[Call]) -> bool:
    """Tell whether no call left its buffers or clobbered a register of its caller."""
    return not any(call.outside or call.clobbered for call in calls)


def reference(
    mode: modes.ECB | modes.CBC | modes.CTR, key: bytes, data: bytes, *, decrypt: bool = False
) -> bytes:
    cipher = Cipher(algorithms.AES(key), mode)
    context = cipher.decryptor() if decrypt else cipher.encryptor()
    return context.update(data) + context.finalize()


def xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("key_len", KEY_LENGTHS)
@pytest.mark.parametrize("blocks", [1, 7, 8, 13, 16, 41])
def test_known_answers(machine: Machine, kernel: str, key_len: int, blocks: int) -> None:
    rng = random.Random(f"{kernel} {key_len} {blocks}")
    key, data, iv = rng.randbytes(key_len), rng.randbytes(16 * blocks), rng.randbytes(16)
    counter = rng.randbytes(12) + (2**32 - 20).to_bytes(4, "big")
    aes = Aes(machine, kernel, key)
    assert aes.blocks("ecb_encrypt", data) == reference(modes.ECB(), key, data)
    assert aes.blocks("ecb_decrypt", data) == reference(modes.ECB(), key, data, decrypt=True)
    assert aes.cbc("cbc_encrypt", data, iv) == reference(modes.CBC(iv), key, data)
    assert aes.cbc("cbc_decrypt", data, iv) == reference(modes.CBC(iv), key, data, decrypt=True)
    # The counter wraps within its 32 bits: block by block.
    words = [(2**32 - 20 + i) % 2**32 for i in range(blocks)]
    stream = b"".join(counter[:12] + w.to_bytes(4, "big") for w in words)
    assert aes.ctr(data, counter) == xor(reference(modes.ECB(), key, stream), data)

    nonce = rng.randbytes(12)
    sealed = AESGCM(key).encrypt(nonce, data, None)
    mask = reference(modes.ECB(), key, nonce + b"\0\0\0\1")
    aes.ghash_init()
    ciphertext, y = aes.gcm("gcm_encrypt", data, nonce + b"\0\0\0\2")
    assert ciphertext + xor(y, mask) == sealed
    plaintext, y = aes.gcm("gcm_decrypt", ciphertext, nonce + b"\0\0\0\2")
    assert plaintext == data
    assert xor(y, mask) == sealed[-16:]
    assert clean(aes.calls)


@pytest.mark.parametrize("streams", [1, 2, 3, 5])
def test_sha256(machine: Machine, streams: int) -> None:
    rng = random.Random(streams)
    for length in (0, 3, 55, 56, 64, 600):
        messages = [rng.randbytes(length) for _ in range(streams)]
        padded = [m + sha256_padding(length) for m in messages]
        digests = [hashlib.sha256(m).digest() for m in messages]
        assert sha256(machine, padded) == digests


@pytest.mark.parametrize("at_begin", [False, True], ids=["page end", "page begin"])
@pytest.mark.parametrize("key_len", [16, 32])
def test_bounds(machine: Machine, kernel: str, key_len: int, at_begin: bool) -> None:
    """Every buffer touches an unmapped page, at every length: an access beyond it would raise."""
    key = bytes(range(key_len))
    for blocks in BLOCK_COUNTS:
        aes = Aes(machine, kernel, key, at_begin=at_begin)
        aes.ghash_init()
        for use in USES.values():
            use(aes, bytes(16 * blocks))
        assert clean(aes.calls)


def traces(watched: Machine, kernel: str, name: str, key_len: int, blocks: int) -> set[str]:
    """Collect the traces of one function for several keys and texts of one length."""
    found = set()
    for seed in range(3):
        rng = random.Random(seed)
        aes = Aes(watched, kernel, rng.randbytes(key_len))
        aes.ghash_init()
        aes.calls.clear()
        USES[name](aes, rng.randbytes(16 * blocks))
        assert clean(aes.calls)
        found.add(aes.calls[0].trace)
    return found


@pytest.mark.parametrize("name", USES)
def test_constant_trace(watched: Machine, kernel: str, name: str) -> None:
    """Blocks executed and addresses touched depend on lengths and nonces only."""
    for key_len in KEY_LENGTHS:
        assert len(traces(watched, kernel, name, key_len, 29)) == 1


def test_constant_trace_of_keys(watched: Machine, kernel: str) -> None:
    for key_len in KEY_LENGTHS:
        found = set()
        for seed in range(3):
            aes = Aes(watched, kernel, bytes(key_len))
            aes.calls.clear()
            rng = random.Random(seed)
            aes.run("expand_key", aes.key, aes.buffer(rng.randbytes(key_len)), key_len)
            aes.run("ghash_init", aes.ghash_key, aes.buffer(rng.randbytes(16)))
            y = aes.buffer(rng.randbytes(16))
            aes.run("ghash_multiply", y, aes.buffer(rng.randbytes(16)))
            assert clean(aes.calls)
            found.add(tuple(call.trace for call in aes.calls))
        assert len(found) == 1


@pytest.mark.parametrize("streams", [1, 2])
def test_constant_trace_of_sha256(watched: Machine, streams: int) -> None:
    sha256_calls.clear()
    for seed in range(3):
        rng = random.Random(seed)
        sha256(watched, [rng.randbytes(640) for _ in range(streams)])
    assert len({call.trace for call in sha256_calls}) == 1


def planted(watched: Machine, name: str, seed: int) -> Call:
    watched.forget()
    rng = random.Random(seed)
    key, out, data = (watched.buffer(rng.randbytes(n)) for n in (16, 64, 64))
    return watched.call(name, key, out, data, 4)


@pytest.mark.parametrize("name", ["planted_lookup", "planted_branch"])
def test_planted_leak_is_caught(watched: Machine, name: str) -> None:
    assert len({planted(watched, name, seed).trace for seed in range(3)}) == 3


def test_planted_overrun_is_caught(watched: Machine) -> None:
    with pytest.raises(UcError, match="UC_ERR_READ_UNMAPPED"):
        planted(watched, "planted_overrun", 0)


def test_planted_clobber_is_caught(libraries: Path) -> None:
    assert Machine(libraries / "linux.so").call("planted_clobber").clobbered == ["x18", "d8"]


def instructions_per_byte(watched: Machine, kernel: str, name: str, key_len: int) -> float:
    """Subtract two sizes, so that what a call costs once falls out."""
    counts = []
    for blocks in (128, 256):
        aes = Aes(watched, kernel, bytes(key_len))
        aes.ghash_init()
        aes.calls.clear()
        USES[name](aes, bytes(16 * blocks))
        counts.append(aes.calls[0].instructions)
    return (counts[1] - counts[0]) / (16 * 128)


def test_instructions(watched: Machine, library: Path) -> None:
    """The committed counts are a ratchet for the compiler that made them."""
    found: dict[str, float] = {}
    for kernel in ("arm64-ce", "arm64-eor3"):
        for name in USES:
            for key_len in (16, 32):
                count = instructions_per_byte(watched, kernel, name, key_len)
                found[f"{kernel} {name} {8 * key_len}"] = round(count, 3)
    compiler = library.with_suffix(".compiler").read_text().strip()
    print(json.dumps({compiler: found}, indent=1))  # shown by pytest -rP: to be committed
    committed = json.loads(COUNTS.read_text())
    if compiler not in committed:
        pytest.skip(f"no committed counts for {compiler}")
    worse = {
        name: (before, found[name])
        for name, before in committed[compiler].items()
        if found[name] > before + 0.0015
    }
    assert not worse
