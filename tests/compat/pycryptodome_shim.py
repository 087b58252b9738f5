"""cngaes dressed as pycryptodome's AES and SHA256 modules, so far as its own tests need it.

What a mode object does besides (attributes, which call may follow which) is pycryptodome's contract
and kept here; bytes, sizes and errors are those of cngaes.
"""

from __future__ import annotations

import secrets
from typing import Any

import cngaes
from cngaes import AESCBC, AESCTR, AESGCM, hazmat

MODE_CBC, MODE_CTR, MODE_GCM = 2, 6, 11


class _Mode:
    block_size = 16

    def __init__(self) -> None:
        self.allowed = {"update", "encrypt", "decrypt", "digest", "verify"}

    def enter(self, call: str, *then: str) -> None:
        if call not in self.allowed:
            raise TypeError(f"{call}() cannot be called now")
        self.allowed = set(then)


def _into(context: Any, data: Any, output: Any) -> Any:
    """One piece; like pycryptodome, output may be the input."""
    if output is None:
        return context.update(data)
    if isinstance(output, (bytes, str)) or memoryview(output).readonly:
        raise TypeError("output must be a writable buffer")
    if len(memoryview(output)) != len(memoryview(data)):
        raise ValueError("output must have the same length as the input")
    context.update_into(data, output)
    return None


class GcmMode(_Mode):
    def __init__(self, key: Any, nonce: Any, mac_len: int) -> None:
        super().__init__()
        self.nonce = secrets.token_bytes(16) if nonce is None else bytes(memoryview(nonce))
        if not 4 <= mac_len <= 16:
            raise ValueError("mac_len must be in the range 4..16")
        self.key = AESGCM(key)
        # cngaes has no tags of 5 to 7 and 9 to 11 bytes: those are cut off here.
        self.verifier = self.key
        if mac_len in {4, 8, *range(12, 17)}:
            self.verifier = AESGCM(key, tag_length=mac_len)
        if not self.nonce:  # the tests want these words; ours name the argument and the size
            raise ValueError("Nonce cannot be empty")
        self.mac_len = mac_len
        self.aad = bytearray()
        self.context: Any = None
        self.ciphertext = bytearray()  # kept for digest() of a message that is decrypted
        self.mac: bytes | None = None

    def update(self, data: Any) -> GcmMode:
        self.enter("update", "update", "encrypt", "decrypt", "digest", "verify")
        self.aad += memoryview(data)
        return self

    def encrypt(self, plaintext: Any, output: Any = None) -> Any:
        self.enter("encrypt", "encrypt", "digest")
        if self.context is None:
            self.context = self.key.encryptor(self.nonce, self.aad)
        return _into(self.context, plaintext, output)

    def decrypt(self, ciphertext: Any, output: Any = None) -> Any:
        self.enter("decrypt", "decrypt", "verify")
        if self.context is None:
            self.context = hazmat.gcm_decryptor(self.verifier, self.nonce, self.aad)
            self.mac = b""
        return _into(self.context, ciphertext, output)

    def digest(self) -> bytes:
        self.enter("digest", "digest")
        if self.mac is None:
            if self.context is None:
                self.context = self.key.encryptor(self.nonce, self.aad)
            self.context.finalize()
            self.mac = self.context.tag[: self.mac_len]
        return self.mac

    def verify(self, mac: Any) -> None:
        self.enter("verify", "verify")
        if isinstance(mac, str):
            raise TypeError("the MAC must be bytes")
        if self.context is None:
            self.context = hazmat.gcm_decryptor(self.verifier, self.nonce, self.aad)
        if isinstance(self.mac, bytes) and self.mac:  # verified already: the same answer again
            if bytes(mac) != self.mac:
                raise ValueError("MAC check failed")
            return
        try:
            self.context.finalize_with_tag(mac)
        except cngaes.InvalidTag:
            raise ValueError("MAC check failed") from None
        self.mac = bytes(mac)

    def hexdigest(self) -> str:
        return self.digest().hex()

    def hexverify(self, mac: str) -> None:
        self.verify(bytes.fromhex(mac))

    def encrypt_and_digest(self, plaintext: Any, output: Any = None) -> tuple[Any, bytes]:
        return self.encrypt(plaintext, output), self.digest()

    def decrypt_and_verify(self, ciphertext: Any, mac: Any, output: Any = None) -> Any:
        plaintext = self.decrypt(ciphertext, output)
        self.verify(mac)
        return plaintext


class StreamMode(_Mode):
    """CBC and CTR."""

    def __init__(self, key: Any, start: Any, whole_blocks: bool) -> None:
        super().__init__()
        self.key, self.start, self.whole_blocks = key, start, whole_blocks
        self.context: Any = None

    def _crypt(self, call: str, data: Any, output: Any) -> Any:
        self.enter(call, call)
        if self.context is None:
            self.context = getattr(self.key, f"{call}or")(self.start)
        # Ours would keep the rest for the next call.
        if self.whole_blocks and len(memoryview(data)) % 16:
            raise ValueError("Data must be padded to 16 byte boundary in CBC mode")
        return _into(self.context, data, output)

    def encrypt(self, plaintext: Any, output: Any = None) -> Any:
        return self._crypt("encrypt", plaintext, output)

    def decrypt(self, ciphertext: Any, output: Any = None) -> Any:
        return self._crypt("decrypt", ciphertext, output)


def _cbc(key: Any, args: tuple[Any, ...], named: dict[str, Any]) -> StreamMode:
    given = [*args, *(named.pop(name) for name in ("iv", "IV") if name in named)]
    if named or len(given) > 1:
        raise TypeError("unknown parameters, or two of iv and IV")
    iv = secrets.token_bytes(16) if not given or given[0] is None else bytes(memoryview(given[0]))
    made = StreamMode(AESCBC(key, padding=None), iv, whole_blocks=True)
    made.key.encryptor(iv)  # refuses a wrong size now
    made.iv = made.IV = iv  # type: ignore[attr-defined]
    return made


def _ctr(key: Any, args: tuple[Any, ...], named: dict[str, Any]) -> StreamMode:
    if args:
        raise TypeError("CTR takes no further positional parameters")
    counter = named.pop("counter", None)
    if counter is not None:
        # The dictionary that Counter.new() makes.
        if set(named) & {"nonce", "initial_value"}:
            raise TypeError("counter, or nonce and initial_value")
        if named:
            raise TypeError("unknown parameters")
        size = counter["counter_len"]
        order = "little" if counter["little_endian"] else "big"
        if counter["little_endian"]:
            raise ValueError("AESCTR counts in big-endian order")
        middle = counter["initial_value"].to_bytes(size, order)
        start = counter["prefix"] + middle + counter["suffix"]
        if len(start) != 16:
            raise ValueError("Size of the counter block must match block size")
        if counter["suffix"]:
            raise ValueError("AESCTR counts in all of the block: no suffix")
        nonce = counter["prefix"]
    else:
        nonce = named.pop("nonce", None)
        nonce = secrets.token_bytes(8) if nonce is None else bytes(memoryview(nonce))
        initial = named.pop("initial_value", 0)
        if named:
            raise TypeError("unknown parameters")
        if len(nonce) >= 16:
            raise ValueError("Nonce is too long")
        if isinstance(initial, int):
            if initial >> 8 * (16 - len(nonce)):
                raise ValueError("Initial counter value is too large")
            initial = initial.to_bytes(16 - len(nonce), "big")
        if len(initial) != 16 - len(nonce):
            raise ValueError("Incorrect length for counter byte string")
        start = nonce + initial
    made = StreamMode(AESCTR(key), start, whole_blocks=False)
    made.nonce = nonce  # type: ignore[attr-defined]
    return made


def new(key: Any, mode: int, *args: Any, **named: Any) -> Any:
    """AES.new: use_aesni and use_clmul choose among pycryptodome's own kernels."""
    named.pop("use_aesni", None)
    if mode == MODE_GCM:
        named.pop("use_clmul", None)
        nonce = args[0] if args else named.pop("nonce", None)
        if len(args) > 1 or set(named) - {"mac_len"}:
            raise TypeError("unknown parameters")
        return GcmMode(key, nonce, named.get("mac_len", 16))
    if mode in {MODE_CBC, MODE_CTR}:
        return (_cbc if mode == MODE_CBC else _ctr)(key, args, named)
    raise ValueError(f"mode {mode} is none of {MODE_CBC}, {MODE_CTR}, {MODE_GCM}")


class Sha256:
    """SHA256.new's object."""

    oid = "2.16.840.1.101.3.4.2.1"
    digest_size, block_size = 32, 64

    def __init__(self, data: Any = None, made: Any = None) -> None:
        self.made = cngaes.sha256() if made is None else made
        if data is not None:
            self.update(data)

    def update(self, data: Any) -> None:
        self.made.update(data)

    def digest(self) -> bytes:
        return bytes(self.made.digest())

    def hexdigest(self) -> str:
        return str(self.made.hexdigest())

    def copy(self) -> Sha256:
        return Sha256(made=self.made.copy())

    def new(self, data: Any = None) -> Sha256:
        return Sha256(data)
