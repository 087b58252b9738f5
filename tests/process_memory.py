"""What a key turns into, and how often that stands in the memory of a process (Linux)."""

from __future__ import annotations

import contextlib
from pathlib import Path

import references


def round_keys(key: bytes) -> list[bytes]:
    """FIPS 197 section 5.2, for 32-byte keys."""
    box = [0] * 256
    p = q = 1
    while True:  # multiply p by 3, divide q by 3: q is the inverse of p
        p ^= (p << 1 ^ (0x11B if p & 0x80 else 0)) & 0x1FF
        for shift in (1, 2, 4):
            q ^= q << shift & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        turned = [(q << n | q >> 8 - n) & 0xFF for n in range(5)]
        box[p] = turned[0] ^ turned[1] ^ turned[2] ^ turned[3] ^ turned[4] ^ 0x63
        if p == 1:
            break
    box[0] = 0x63
    words = [key[i : i + 4] for i in range(0, 32, 4)]
    for i in range(8, 60):
        word = list(words[-1])
        if i % 8 == 0:
            word = [box[b] for b in word[1:] + word[:1]]
            word[0] ^= 1 << i // 8 - 1
        elif i % 8 == 4:
            word = [box[b] for b in word]
        words.append(bytes(a ^ b for a, b in zip(words[-8], word, strict=True)))
    return [b"".join(words[i : i + 4]) for i in range(0, 60, 4)]


def count_in_memory(pid: int, needles: list[bytes]) -> list[int]:
    """How often each needle stands in the writable memory of a process."""
    counts = [0] * len(needles)
    with (
        Path(f"/proc/{pid}/maps").open() as maps,
        Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory,
    ):
        for line in maps:
            bounds, permissions = line.split()[:2]
            if "rw" not in permissions:
                continue
            start, end = (int(part, 16) for part in bounds.split("-"))
            with contextlib.suppress(OSError):
                memory.seek(start)
                content = memory.read(end - start)
                counts = [c + content.count(n) for c, n in zip(counts, needles, strict=True)]
    return counts


def hash_powers(key: bytes) -> list[bytes]:
    """H to H**8 as SP 800-38D writes them, and as the x86 kernels store them.

    Those reverse the bytes and divide by x, which saves a shift in each product.
    """
    h = int.from_bytes(references.ecb(key, bytes(16)), "big")
    power, found = h, []
    for _ in range(8):
        found.append(power.to_bytes(16, "big"))
        halved = (power << 1 & (1 << 128) - 1) ^ (0xC2 << 120 | 1 if power >> 127 else 0)
        found.append(halved.to_bytes(16, "little"))
        power = references.gf_multiply(power, h)
    return found
