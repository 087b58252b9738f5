"""The same operations from two other libraries, which must agree before a value is used."""

from __future__ import annotations

from Cryptodome.Cipher import AES
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_SIZES = (16, 24, 32)


def ecb(key: bytes, data: bytes) -> bytes:
    out = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)
    assert out == AES.new(key, AES.MODE_ECB).encrypt(data)
    return out


def cbc(key: bytes, iv: bytes, data: bytes) -> bytes:
    out = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(data)
    assert out == AES.new(key, AES.MODE_CBC, iv=iv).encrypt(data)
    return out


def ctr(key: bytes, counter: bytes, data: bytes) -> bytes:
    out = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor().update(data)
    start = int.from_bytes(counter, "big")
    if start + len(data) // 16 + 1 < 1 << 128:  # the other library refuses a counter that wraps
        other = AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=start)
        assert out == other.encrypt(data)
    return out


def gcm_quick(key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    """Ciphertext and 16-byte tag from one library; nonces of 8 to 128 bytes only."""
    return AESGCM(key).encrypt(nonce, data, aad)


def gcm(key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    """Ciphertext and 16-byte tag. Nonces that cryptography refuses have one witness only."""
    other = AES.new(key, AES.MODE_GCM, nonce=nonce)
    other.update(aad)
    out = b"".join(other.encrypt_and_digest(data))
    if 8 <= len(nonce) <= 128:
        assert out == gcm_quick(key, nonce, data, aad)
    return out


# GF(2**128) of SP 800-38D section 6.3, for nonces that lead to a wanted counter block J0.


def gf_multiply(x: int, y: int) -> int:
    product = 0
    for bit in range(127, -1, -1):
        if y >> bit & 1:
            product ^= x
        x = x >> 1 ^ (0xE1 << 120 if x & 1 else 0)
    return product


def gf_invert(x: int) -> int:
    """x ** (2**128 - 2)."""
    out = 1 << 127  # the field's one
    for _ in range(127):
        x = gf_multiply(x, x)
        out = gf_multiply(out, x)
    return out


def nonce_for(key: bytes, j0: bytes, before: bytes = b"") -> bytes:
    """A nonce of before (whole blocks) and one more block whose J0 is j0 (section 7.1 step 2)."""
    h = int.from_bytes(ecb(key, bytes(16)), "big")
    inverse = gf_invert(h)
    state = 0
    for start in range(0, len(before), 16):
        block = int.from_bytes(before[start : start + 16], "big")
        state = gf_multiply(state ^ block, h)
    lengths = 8 * (len(before) + 16)
    last = gf_multiply(gf_multiply(int.from_bytes(j0, "big"), inverse) ^ lengths, inverse) ^ state
    return before + last.to_bytes(16, "big")
