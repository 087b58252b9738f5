"""After close() nothing of a key is left in the memory of the process, round keys included."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

import cngaes
import references
from process_memory import count_in_memory, round_keys

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


def test_round_keys_are_right() -> None:
    """FIPS 197 appendix A.3."""
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    assert round_keys(key)[14].hex() == "fe4890d1e6188d0b046df344706c631e"


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
