"""Derive the digests in cpp/core/self_test.cpp from another library's AES and SHA-256.

Run with `cryptography` installed; prints the two C++ constants.
"""

from __future__ import annotations

import hashlib

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC, CTR, ECB

BLOCKS = 37
MESSAGE = bytes(i % 251 for i in range(16 * BLOCKS))
STREAMS = (8, 7, 6, 5, 4, 3, 2, 1, 1)  # blocks of the messages that CBC encrypts in step
ZERO = bytes(16)


def ghash_multiply(x: int, y: int) -> int:
    """SP 800-38D algorithm 1, most significant bit first."""
    product = 0
    for i in range(127, -1, -1):
        if x >> i & 1:
            product ^= y
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return product


def ghash(h: bytes, y: bytes, data: bytes) -> bytes:
    """SP 800-38D algorithm 2, started at y."""
    state = int.from_bytes(y, "big")
    for i in range(0, len(data), 16):
        state ^= int.from_bytes(data[i : i + 16], "big")
        state = ghash_multiply(state, int.from_bytes(h, "big"))
    return state.to_bytes(16, "big")


def crypt(key: bytes, mode: ECB | CBC | CTR, data: bytes, *, decrypt: bool = False) -> bytes:
    """One whole message without padding."""
    cipher = Cipher(AES(key), mode)
    context = cipher.decryptor() if decrypt else cipher.encryptor()
    return context.update(data) + context.finalize()


def ctr32(key: bytes, counter: bytes, data: bytes) -> bytes:
    """CTR whose last 32 bits wrap without a carry, one block at a time."""
    prefix, low = counter[:12], int.from_bytes(counter[12:], "big")
    blocks = b"".join(
        prefix + ((low + i) % 2**32).to_bytes(4, "big") for i in range(len(data) // 16)
    )
    keystream = crypt(key, ECB(), blocks)
    return bytes(a ^ b for a, b in zip(data, keystream, strict=True))


def aes_digest() -> str:
    """Digest over the outputs that aes_known_answers collects, in its order."""
    out = hashlib.sha256()
    for key_len in (16, 24, 32):
        key = MESSAGE[:key_len]
        out.update(crypt(key, ECB(), MESSAGE))
        out.update(crypt(key, ECB(), MESSAGE, decrypt=True))
        out.update(ctr32(key, b"\xff" * 16, MESSAGE))
        encrypted = crypt(key, CBC(ZERO), MESSAGE)
        out.update(encrypted + encrypted[-16:])
        out.update(crypt(key, CBC(ZERO), MESSAGE, decrypt=True) + MESSAGE[-16:])
        h = crypt(key, ECB(), ZERO)
        sealed = crypt(key, CTR(bytes(15) + b"\x02"), MESSAGE)
        y = ghash(h, ZERO, sealed)
        out.update(sealed + y)
        y = ghash(h, y, MESSAGE)
        out.update(y)
        y = ghash(h, y, MESSAGE)
        out.update(y)
        lengths = (8).to_bytes(8, "big") + (1 << 40).to_bytes(8, "big")
        y = ghash(h, y, MESSAGE + lengths)
        out.update(y)
        out.update(ghash(h, ZERO, y))
        at = 0
        for blocks in STREAMS:
            out.update(crypt(key, CBC(ZERO), MESSAGE[at : at + 16 * blocks]))
            at += 16 * blocks
    return out.hexdigest()


def as_constant(name: str, digest: str) -> str:
    """Format 32 bytes as a C++ array."""
    octets = [f"0x{digest[i : i + 2]}" for i in range(0, 64, 2)]
    rows = [", ".join(octets[i : i + 8]) for i in range(0, 32, 8)]
    return f"{name} = {{\n    " + ",\n    ".join(rows) + "};"


if __name__ == "__main__":
    print(as_constant("kAesDigest[kSha256DigestBytes]", aes_digest()))
    print(as_constant("kSha256Digest[kSha256DigestBytes]", hashlib.sha256(MESSAGE).hexdigest()))
