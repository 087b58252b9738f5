"""What is left in memory after all ways in which a key's life or a message can end.

A child process does the work; its whole writable memory is searched from outside, first while the
secrets must be there (else the search would prove nothing), then when they must not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

import cngaes
import references
from process_memory import count_in_memory, hash_powers, round_keys

if TYPE_CHECKING:
    from typing import Self

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs /proc/PID/mem to search memory"
)

IV = bytes(range(16))
NONCE = bytes(range(12))

CHILD = """
    import gc, os, sys
    import cngaes
    from cngaes import AESCBC, AESGCM, InvalidPadding, InvalidTag, _core

    kernel, name = sys.argv[1:]
    _core._force_kernels(f"aes={kernel}")
    iv, nonce = bytes(range(16)), bytes(range(12))

    def wait(state):
        print(state, flush=True)
        assert os.read(0, 1) == b"\\n"

    # Neither key nor message becomes a Python object that would outlive its use.
    key = bytearray(32)
    sealed = bytearray(144)
    out = bytearray(128)

    def receive():
        assert os.readv(0, [key]) == 32
        assert os.readv(0, [sealed]) == 144

    def wipe_own():
        key[:] = bytes(32)
        out[:] = bytes(128)

    def raises(kind, call, *arguments, **named):
        try:
            call(*arguments, **named)
        except kind:
            return
        raise AssertionError("not refused")
"""

# What the child does in state "open" (secrets are there) and then (they must not be).
SCENARIOS = {
    "collected": (
        """
        made = AESGCM(key)
        made.encrypt(nonce, bytes(500))
        context = made.encryptor(nonce)
        context.update(bytes(33))
        """,
        "del made, context; gc.collect()",
    ),
    "batch": (
        """
        made = AESGCM(key)
        made.encrypt_many([bytes([i]) * 12 for i in range(99)], [bytes(i) for i in range(99)])
        made.decrypt_many([nonce], [bytes(sealed)], on_error="none")
        """,
        "made.close()",
    ),
    "cbc-batch": (
        """
        made = AESCBC(key)
        made.encrypt_many([iv] * 40, [bytes(i) for i in range(40)])
        """,
        "made.close()",
    ),
    "exception": (
        """
        made = AESGCM(key)
        raises(InvalidTag, made.decrypt, nonce, bytes(99))
        raises(InvalidTag, made.decrypt, nonce, bytes(3))
        raises(ValueError, made.encrypt, b"", b"data")
        raises(TypeError, made.encrypt, nonce, "text")
        """,
        "made.close()",
    ),
    "refused-key": (
        """
        kept = bytes(key)  # what is searched for must be found
        raises(ValueError, AESGCM, key, tag_length=5)
        raises(ValueError, AESCBC, key, padding="other")
        raises(Exception, AESGCM, key, backend="none")
        """,
        "import ctypes; ctypes.memset(id(kept) + bytes.__basicsize__ - 1, 0, 32)",
    ),
    "padding": (
        """
        made = AESCBC(key)
        raises(InvalidPadding, made.decrypt, iv, sealed[:128])
        raises(InvalidPadding, made.decrypt_into, iv, sealed[:128], out)
        """,
        "made.close()",
    ),
}


class Child:
    """The process, one state after the other."""

    def __init__(self, program: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    def count(self, state: str, needles: list[bytes], answer: bytes = b"") -> int:
        """Waits for a state, searches, and lets the child go on; how much was found."""
        return sum(self.found(state, needles, answer).values())

    def found(self, state: str, needles: list[bytes], answer: bytes = b"") -> dict[int, int]:
        """The same by the number of the needle."""
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        assert self.process.stdout.readline().decode().strip() == state
        counts = count_in_memory(self.process.pid, needles)
        self.process.stdin.write(b"\n" + answer)
        return {number: count for number, count in enumerate(counts) if count > 0}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


def program_of(*parts: str) -> str:
    return "\n".join(textwrap.dedent(part).strip("\n") for part in (CHILD, *parts))


@pytest.mark.parametrize("kernel", cngaes.supported_kernels()["aes"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_no_key_is_left(kernel: str, name: str) -> None:
    key = os.urandom(32)
    needles = [key[:16], key[16:], *round_keys(key)[2:], *hash_powers(key)]
    use, end = SCENARIOS[name]
    program = program_of(
        "wait('ready')", "receive()", use, "wipe_own()", "wait('open')", end, "wait('ended')"
    )
    with Child(program, kernel, name) as child:
        # For "padding": a last byte of zero is never right.
        sealed = references.cbc(key, IV, os.urandom(127) + b"\x00") + bytes(16)
        assert child.count("ready", needles, key + sealed) == 0
        assert child.count("open", needles) > 0
        assert child.found("ended", needles) == {}
        assert child.process.wait(30) == 0


@pytest.mark.parametrize("kernel", cngaes.supported_kernels()["aes"])
@pytest.mark.parametrize("how", ["decrypt", "decrypt_into", "in place", "decrypt_many"])
def test_no_rejected_plaintext_is_left(kernel: str, how: str) -> None:
    """Of a forged message nothing decrypted is left, but of a good one it is seen."""
    key, plaintext = os.urandom(32), os.urandom(128)
    sealed = references.gcm(key, NONCE, plaintext, b"")
    needles = [plaintext[i : i + 16] for i in range(0, 128, 16)]
    calls = {
        "decrypt": "lambda: made.decrypt(nonce, sealed)",
        "decrypt_into": "lambda: made.decrypt_into(nonce, sealed, None, out)",
        "in place": "lambda: made.decrypt_into(nonce, sealed, None, memoryview(sealed)[:128])",
        "decrypt_many": "lambda: made.decrypt_many([nonce], [bytes(sealed)])[0]",
    }
    program = program_of(
        "wait('ready')",
        "receive()",
        "made = AESGCM(key)",
        f"call = {calls[how]}",
        "good = call()",
        "wait('good')",
        "del good; out[:] = bytes(128)",
        "receive()",
        "raises(InvalidTag, call)",
        "made.close()",
        "wait('forged')",
    )
    with Child(program, kernel, how) as child:
        assert child.count("ready", needles, key + sealed) == 0
        assert child.count("good", needles, os.urandom(0)) > 0
        # Another message under the same key, so that the good one cannot be what is found.
        other = os.urandom(128)
        forged = bytearray(references.gcm(key, NONCE, other, b""))
        forged[-1] ^= 1
        assert child.process.stdin is not None
        child.process.stdin.write(key + bytes(forged))
        needles = [other[i : i + 16] for i in range(0, 128, 16)]
        assert child.found("forged", needles) == {}
        assert child.process.wait(30) == 0


@pytest.mark.parametrize("kernel", cngaes.supported_kernels()["aes"])
def test_no_badly_padded_plaintext_is_left(kernel: str) -> None:
    key, plaintext = os.urandom(32), os.urandom(127) + b"\x00"
    sealed = references.cbc(key, IV, plaintext) + bytes(16)
    needles = [plaintext[i : i + 16] for i in range(0, 128, 16)]
    program = program_of(
        "wait('ready')",
        "receive()",
        "made = AESCBC(key)",
        "kept = AESCBC(key, padding=None).decrypt(iv, sealed[:128])",
        "wait('good')",
        "import ctypes; ctypes.memset(id(kept) + bytes.__basicsize__ - 1, 0, 128)",
        "raises(InvalidPadding, made.decrypt, iv, sealed[:128])",
        "raises(InvalidPadding, made.decrypt_into, iv, sealed[:128], out)",
        "context = made.decryptor(iv)",
        "raises(InvalidPadding, context.finalize)",
        "made.close()",
        "wait('refused')",
    )
    with Child(program, kernel, "padding") as child:
        assert child.count("ready", needles, key + sealed) == 0
        assert child.count("good", needles) > 0
        assert child.found("refused", needles) == {}
        assert child.process.wait(30) == 0


@pytest.mark.parametrize("kernel", cngaes.supported_kernels()["sha256"])
def test_no_hmac_key_is_left(kernel: str) -> None:
    """Neither the key nor what FIPS 198-1 makes of it."""
    key = os.urandom(32)
    padded = [bytes(b ^ pad for b in key) for pad in (0x36, 0x5C)]
    needles = [part for k in (key, *padded) for part in (k[:16], k[16:])]
    program = program_of(
        f"_core._force_kernels('sha256={kernel}')",
        "wait('ready')",
        "receive()",
        "wait('open')",
        "cngaes.hmac_sha256(key, b'data')",
        "cngaes.hmac_sha256_many(key, [bytes(i) for i in range(99)])",
        "wipe_own()",
        "wait('ended')",
    )
    with Child(program, "generic", "hmac") as child:
        assert child.count("ready", needles, key + bytes(144)) == 0
        assert child.count("open", needles) > 0
        assert child.found("ended", needles) == {}
        assert child.process.wait(30) == 0
