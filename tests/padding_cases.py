"""CBC with good and bad PKCS#7 padding at every short length, for all key sizes.

Wycheproof has six messages for each wrong padding; here every wrong padding meets every length of
the last block. The ciphertexts come from another library.
"""

from __future__ import annotations

import functools
import random

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from vectors import PaddingCase

BLOCK = 16


def reference_cbc(key: bytes, iv: bytes, blocks: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(blocks)


def _wrong_endings(message: bytes) -> list[tuple[str, bytes]]:
    """Whole blocks that start with message and do not end in its padding."""
    size = BLOCK - len(message) % BLOCK
    head = message + bytes([size]) * (size - 1)
    endings = [
        # Other paddings that a lenient reader might take.
        ("zeros (ISO 9797-1 method 1)", message + bytes(size)),
        ("0x80 then zeros (ISO 7816-4)", message + b"\x80" + bytes(size - 1)),
        ("0xff throughout", message + b"\xff" * size),
        ("one too small", message + bytes([size - 1]) * size),
        ("one too large", message + bytes([size + 1]) * size),
        ("17 throughout", message + b"\x11" * size),
        ("high bit set", message + bytes([size | 0x80]) * size),
        ("last byte zero", head + b"\x00"),
        ("last byte 17", head + b"\x11"),
        ("last byte 0x80 higher", head + bytes([size | 0x80])),
        ("last byte 255", head + b"\xff"),
    ]
    if size > 1:
        endings += [
            ("zeros then length (ANSI X9.23)", message + bytes(size - 1) + bytes([size])),
            ("rubbish then length (ISO 10126)", message + b"\x5a" * (size - 1) + bytes([size])),
            ("first pad byte wrong", message + bytes([size ^ 1]) + bytes([size]) * (size - 1)),
            ("second last pad byte wrong", head[:-1] + bytes([size ^ 0x40]) + bytes([size])),
        ]
    return [(name, text) for name, text in endings if not _is_padded(text)]


def _is_padded(text: bytes) -> bool:
    size = text[-1]
    return 1 <= size <= BLOCK and text.endswith(bytes([size]) * size)


@functools.cache
def padding_cases() -> list[PaddingCase]:
    """Good and bad cases for all key sizes, bad ones with message None."""
    rng = random.Random(0x7057)
    cases = []
    for key_len in (16, 24, 32):
        for length in [*range(65), 255, 256, 257, 1000]:
            key, iv = rng.randbytes(key_len), rng.randbytes(BLOCK)
            message = rng.randbytes(length)
            size = BLOCK - length % BLOCK
            good = reference_cbc(key, iv, message + bytes([size]) * size)
            where = f"AES-{8 * key_len} {length} bytes"
            cases.append(PaddingCase(where, key, iv, message, good))
            cases += [
                PaddingCase(f"{where}, {name}", key, iv, None, reference_cbc(key, iv, text))
                for name, text in _wrong_endings(message)
            ]
            if length >= BLOCK and not _is_padded(message[: length // BLOCK * BLOCK]):
                cases.append(PaddingCase(f"{where}, last block lost", key, iv, None, good[:-BLOCK]))
        cases.append(PaddingCase(f"AES-{8 * key_len} empty", bytes(key_len), iv, None, b""))
    return cases
