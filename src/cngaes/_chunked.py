"""C2SP chunked encryption (c2sp.org/chunked-encryption) with AES-GCM: keys, nonces and chunks.

A message is a salt of 24 bytes, a commitment of 32 and chunks of 16 KiB of plaintext, each followed
by its tag of 16 bytes. The last chunk is shorter than 16 KiB, perhaps empty: that is how its end is
known. With SHA-512 these are Cobblestone-128 and Cobblestone-256.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from cngaes.aead import AESGCM
from cngaes.exceptions import InvalidFile, InvalidTag

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from typing_extensions import Buffer

CHUNK = 16384
TAG = 16
SEALED = CHUNK + TAG
SALT = 24
HEADER = SALT + 32
MAX_CHUNKS = 2**38
# Chunks in one call. A power of two, so that the nonces of a batch differ in few bits of their last
# byte; 1 MiB of plaintext and of ciphertext fit the second-level cache of a core together.
BATCH = 64
HASHES = ("sha512", "sha256")

_PLAIN_OFFSETS = array("q", range(0, BATCH * CHUNK + 1, CHUNK))
_SEALED_OFFSETS = array("q", range(0, BATCH * SEALED + 1, SEALED))


def wipe(buffer: bytearray) -> None:
    """Overwrite a buffer with zeros."""
    buffer[:] = bytes(len(buffer))


def hkdf_expand(hash_name: str, key: Buffer, info: bytes, length: int) -> bytearray:
    """Derive length bytes (RFC 5869 section 2.3)."""
    import hashlib  # here, since it loads OpenSSL: most who import cngaes encrypt no files
    import hmac

    okm = bytearray()
    block = b""
    for counter in range(1, -(-length // hashlib.new(hash_name).digest_size) + 1):
        # hmac takes bytes and bytearray only, and would keep no copy that could be wiped either.
        block = hmac.digest(bytes(key), block + info + bytes([counter]), hash_name)
        okm += block
    wanted = okm[:length]
    wipe(okm)
    return wanted


def check_arguments(key: Buffer, context: Buffer, kdf_hash: str) -> tuple[int, bytes]:
    """Check what the caller gave; the key's length in bytes and the context."""
    for name, value in (("key", key), ("context", context)):
        if isinstance(value, str):
            raise TypeError(f"{name} must be bytes-like, not str")
    with memoryview(key) as view:
        key_len = view.nbytes
    if key_len not in (16, 32):
        raise ValueError(f"key must be 16 or 32 bytes, got {key_len}")
    if kdf_hash not in HASHES:
        raise ValueError(f"kdf_hash must be 'sha512' or 'sha256', got {kdf_hash!r}")
    return key_len, bytes(memoryview(context))


def check_last(number: int, length: int) -> None:
    """Raise InvalidFile if the last chunk of that number and sealed length cannot be one."""
    if length < TAG:
        raise InvalidFile(f"cut off in chunk {number}: {length} bytes, the tag alone has {TAG}")


class MessageKey:
    """What one message is encrypted with, derived from the caller's key, a salt and a context."""

    def __init__(self, key: Buffer, salt: bytes, context: Buffer, kdf_hash: str) -> None:
        key_len, context = check_arguments(key, context, kdf_hash)
        info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_%d_GCM\0" % (8 * key_len) + salt + context
        okm = hkdf_expand(kdf_hash, key, info, key_len + 12 + 32)
        try:
            with memoryview(okm) as view, view[:key_len] as derived:
                self._aead = AESGCM(derived)
            self._base = int.from_bytes(okm[key_len : key_len + 12], "big")
            self.header = salt + okm[key_len + 12 :]
        finally:
            wipe(okm)
        low = self._base & 0xFF
        self._last_bytes = [
            bytes(low ^ number for number in range(start, start + BATCH))
            for start in range(0, 256, BATCH)
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Wipe the key."""
        self._aead.close()

    def matches(self, header: bytes) -> bool:
        """Compare the whole header of a message with what the key makes of its salt."""
        from hmac import compare_digest

        return compare_digest(self.header, header)

    def _nonces(self, first: int, count: int) -> bytearray:
        # The base nonce XOR the chunk's number. first is a multiple of BATCH: all nonces of the
        # batch have the same 11 bytes in front.
        if first + count > MAX_CHUNKS:
            raise OverflowError(f"a message has at most {MAX_CHUNKS} chunks of {CHUNK} bytes")
        nonces = bytearray((self._base ^ first).to_bytes(12, "big") * count)
        nonces[11::12] = self._last_bytes[first // BATCH % len(self._last_bytes)][:count]
        return nonces

    def seal(self, batch: int, data: memoryview, out: memoryview, *, final: bool) -> int:
        """Encrypt a batch of chunks, the last one short if final; the number of bytes in out."""
        if final:
            count = len(data) // CHUNK + 1
            offsets = _PLAIN_OFFSETS[:count]
            offsets.append(len(data))
        else:
            count = BATCH
            offsets = _PLAIN_OFFSETS
        written = len(data) + count * TAG
        nonces = self._nonces(batch * BATCH, count)
        self._aead.encrypt_packed(nonces, data, offsets, out=out[:written], threads=1)
        return written

    def open(self, batch: int, data: memoryview, out: memoryview, *, final: bool) -> int:
        """Decrypt a batch of chunks into out; the number of its bytes. Raises InvalidFile."""
        first = batch * BATCH
        if final:
            count = len(data) // SEALED + 1
            check_last(first + count - 1, len(data) % SEALED)
            offsets = _SEALED_OFFSETS[:count]
            offsets.append(len(data))
        else:
            count = BATCH
            offsets = _SEALED_OFFSETS
        written = len(data) - count * TAG
        nonces = self._nonces(first, count)
        try:
            self._aead.decrypt_packed(nonces, data, offsets, out=out[:written], threads=1)
        except InvalidTag as error:
            raise InvalidFile(
                f"chunk {first + error.indices[0]} is not what was encrypted"
            ) from None
        return written

    def open_chunk(self, number: int, sealed: Buffer) -> bytes:
        """Decrypt the chunk of that number. Raises InvalidFile."""
        try:
            return self._aead.decrypt((self._base ^ number).to_bytes(12, "big"), sealed)
        except InvalidTag:
            raise InvalidFile(f"chunk {number} is not what was encrypted") from None
