"""After close() nothing of a key is left in the memory of the process, round keys included."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import cngaes
import references

CHILD = """
    import os, sys
    import cngaes
    from cngaes import _core

    def wait(state):
        print(state, flush=True)
        assert os.read(0, 1) == b"\\n"

    kernel, name = sys.argv[1:]
    _core._force_kernels(f"aes={kernel}")
    wait("ready")
    # The key itself never becomes a Python object that would outlive the key object.
    key = bytearray(32)
    assert os.readv(0, [key]) == 32
    made = getattr(cngaes, name)(key)
    key[:] = bytes(32)
    head = () if name == "AESECB" else (bytes(range(1, 17)),)
    text = bytes(range(256)) * 40
    made.encrypt(*head, text)
    made.encrypt(*head, text[:160])
    contexts = [made.encryptor(*head)] if head else []
    for context in contexts:
        context.update(text[:1000])
    wait("open")
    for context in contexts:
        context.finalize()
    del contexts, head
    made.close()
    wait("closed")
    made = None
    wait("gone")
"""


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


def test_round_keys_are_right() -> None:
    """FIPS 197 appendix A.3."""
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    assert round_keys(key)[14].hex() == "fe4890d1e6188d0b046df344706c631e"


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


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc/PID/mem")
@pytest.mark.parametrize("kernel", cngaes.supported_kernels()["aes"])
@pytest.mark.parametrize("name", ["AESGCM", "AESCBC", "AESCTR", "AESECB"])
def test_nothing_is_left(kernel: str, name: str) -> None:
    key = os.urandom(32)
    needles = [key[:16], key[16:], *round_keys(key)[2:], references.ecb(key, bytes(16))]
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), kernel, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    found = {}
    try:
        for state in ("ready", "open", "closed", "gone"):
            assert child.stdout.readline().decode().strip() == state
            found[state] = count_in_memory(child.pid, needles)
            child.stdin.write(b"\n" + key if state == "ready" else b"\n")
        assert child.wait(30) == 0
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()
    assert sum(found["ready"]) == 0
    # The check sees what is there: otherwise it would prove nothing.
    assert sum(found["open"]) > 0
    assert sum(found["closed"]) == 0, dict(zip(range(99), found["closed"], strict=False))
    assert sum(found["gone"]) == 0
