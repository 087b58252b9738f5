"""Calls of the kernels' functions on an emulated CPU, with the arguments of cngaes/kernels.h."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from arm64.machine import Call, Machine

AES_KEY_BYTES = 512
GHASH_KEY_BYTES = 1088
COUNTER = bytes(12) + b"\0\0\0\5"


class Aes:
    """One kernel's AES functions with a key, in one emulated CPU."""

    def __init__(
        self, machine: Machine, kernel: str, key: bytes, *, at_begin: bool = False
    ) -> None:
        self.machine = machine
        self.kernel = kernel
        self.at_begin = at_begin
        self.calls: list[Call] = []
        machine.forget()
        # Aligned to 64, as the compiler may assume.
        self.key = self.buffer(bytes(AES_KEY_BYTES))
        self.ghash_key = self.buffer(bytes(GHASH_KEY_BYTES))
        self.run("expand_key", self.key, self.buffer(key), len(key))

    def buffer(self, data: bytes) -> int:
        """Place a buffer at an unmapped page."""
        return self.machine.buffer(data, at_begin=self.at_begin)

    def run(self, slot: str, *arguments: int) -> None:
        """Call a function of this kernel, or of arm64-ce where this one has none of its own."""
        name = f"{self.kernel}.{slot}"
        if name not in self.machine.functions:
            name = f"arm64-ce.{slot}"
        self.calls.append(self.machine.call(name, *arguments))

    def blocks(self, slot: str, data: bytes) -> bytes:
        """ECB: data in, result out."""
        out = self.buffer(bytes(len(data)))
        self.run(slot, self.key, out, self.buffer(data), len(data) // 16)
        return self.machine.read(out, len(data))

    def ctr(self, data: bytes, counter: bytes = COUNTER) -> bytes:
        """CTR with a 32-bit counter."""
        out = self.buffer(bytes(len(data)))
        at = self.buffer(counter)
        self.run("ctr32", self.key, out, self.buffer(data), len(data) // 16, at)
        return self.machine.read(out, len(data))

    def cbc(self, slot: str, data: bytes, iv: bytes = bytes(16)) -> bytes:
        """CBC without padding."""
        out = self.buffer(bytes(len(data)))
        at = self.buffer(iv)
        self.run(slot, self.key, at, out, self.buffer(data), len(data) // 16)
        return self.machine.read(out, len(data))

    def ghash_init(self) -> None:
        """Make the key of GHASH: H is the encryption of the zero block."""
        h = self.buffer(bytes(16))
        self.run("ecb_encrypt", self.key, h, h, 1)
        self.run("ghash_init", self.ghash_key, h)

    def ghash(self, data: bytes) -> bytes:
        """GHASH from zero."""
        y = self.buffer(bytes(16))
        self.run("ghash", self.ghash_key, y, self.buffer(data), len(data) // 16)
        return self.machine.read(y, 16)

    def gcm(self, slot: str, data: bytes, counter: bytes = COUNTER) -> tuple[bytes, bytes]:
        """Return the result and the GHASH with the lengths, which the tag is masked from."""
        out, y = self.buffer(bytes(len(data))), self.buffer(bytes(16))
        arguments = (out, self.buffer(data), len(data) // 16, self.buffer(counter))
        self.run(slot, self.key, self.ghash_key, y, *arguments)
        self.run("ghash_finish", self.ghash_key, y, self.buffer(b""), 0, 0, 8 * len(data))
        return self.machine.read(out, len(data)), self.machine.read(y, 16)


def sha256(machine: Machine, messages: list[bytes]) -> list[bytes]:
    """Compress whole blocks of messages of equal length, from the initial state."""
    machine.forget()
    # FIPS 180-4 section 5.3.3
    initial = bytes.fromhex("6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19")
    count, blocks = len(messages), len(messages[0]) // 64
    states = machine.buffer(struct.pack("<8I", *struct.unpack(">8I", initial)) * count)
    data = [machine.buffer(m) for m in messages]
    if count == 1:
        call = machine.call("sha256.compress", states, data[0], blocks)
    else:
        pointers = machine.buffer(struct.pack(f"<{count}Q", *data))
        arguments = (states, pointers, count, blocks)
        call = machine.call("sha256.compress_streams", *arguments)
    assert not call.outside
    assert not call.clobbered
    sha256_calls.append(call)
    words = struct.unpack(f"<{8 * count}I", machine.read(states, 32 * count))
    return [struct.pack(">8I", *words[8 * i : 8 * i + 8]) for i in range(count)]


sha256_calls: list[Call] = []


def sha256_padding(length: int) -> bytes:
    """Pad as FIPS 180-4 section 5.1.1 says."""
    return b"\x80" + bytes((55 - length) % 64) + struct.pack(">Q", 8 * length)


# Every function that handles data, as one call with `data`.
USES: dict[str, Callable[[Aes, bytes], object]] = {
    "ecb_encrypt": lambda a, d: a.blocks("ecb_encrypt", d),
    "ecb_decrypt": lambda a, d: a.blocks("ecb_decrypt", d),
    "ctr32": lambda a, d: a.ctr(d),
    "cbc_encrypt": lambda a, d: a.cbc("cbc_encrypt", d),
    "cbc_decrypt": lambda a, d: a.cbc("cbc_decrypt", d),
    "ghash": lambda a, d: a.ghash(d),
    "gcm_encrypt": lambda a, d: a.gcm("gcm_encrypt", d),
    "gcm_decrypt": lambda a, d: a.gcm("gcm_decrypt", d),
}
