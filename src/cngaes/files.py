"""Whole files: encrypted as C2SP chunked encryption (c2sp.org/chunked-encryption), and hashed."""

from __future__ import annotations

import io
import os
import threading
from typing import TYPE_CHECKING

from cngaes import _chunked as chunked
from cngaes._atomic import AtomicFile, naming
from cngaes._chunked import BATCH, CHUNK, HEADER, SALT, SEALED, TAG, MessageKey
from cngaes._filehash import hash_file, hash_files
from cngaes._pump import Pump, Source, threads_from
from cngaes.exceptions import InvalidFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    from cngaes._pump import Progress

    StrPath = str | os.PathLike[str]

__all__ = ["EncryptedReader", "decrypt_file", "encrypt_file", "hash_file", "hash_files"]


def new_salt() -> bytes:
    """Make the salt of a message, which must never be used twice under one key."""
    return os.urandom(SALT)


def _open(src: StrPath) -> io.FileIO:
    return open(src, "rb", buffering=0)  # noqa: PTH123 - as FileIO


def _source_for(file: io.FileIO, src: StrPath, dst: StrPath) -> Source:
    source = Source(file, os.fspath(src))
    if source.is_same(dst):
        raise ValueError(f"dst must not be src, both are {os.fspath(dst)!r}")
    return source


def encrypt_file(
    src: StrPath,
    dst: StrPath,
    key: Buffer,
    *,
    context: Buffer = b"",
    threads: int | None = None,
    progress: Progress | None = None,
    fsync: bool = True,
    kdf_hash: str = "sha512",
) -> None:
    """Encrypt a file with AES-GCM in C2SP chunked encryption, of any size beyond memory.

    dst appears whole, under its name, or not at all, whatever happens meanwhile; an old dst stays
    until then. It is 56 bytes longer, and 16 for each 16 KiB begun.

    key: 16 bytes (Cobblestone-128) or 32 (Cobblestone-256), uniformly random. context: bytes that
    say what the file is, needed again to decrypt. threads: how many cores at most; None is all.
    progress(done, total): called from the calling thread with bytes of src; total is None for a
    pipe; what it raises ends the call. fsync: dst is on the disk when the call returns. kdf_hash:
    "sha512", or "sha256" as in the first draft of the format.

    Raises TypeError, ValueError (sizes; dst is src, or a device), OSError, and FileChanged if src
    was written to meanwhile.
    """
    chunked.check_arguments(key, context, kdf_hash)
    num_threads = threads_from(threads)
    salt = new_salt()
    with _open(src) as file:
        source = _source_for(file, src, dst)
        with (
            AtomicFile(dst, mode=source.mode, fsync=fsync) as target,
            MessageKey(key, salt, context, kdf_hash) as message,
        ):
            target.write_at(memoryview(message.header), 0)
            pump = Pump(
                source,
                message.seal,
                target.write_at,
                in_size=BATCH * CHUNK,
                out_size=BATCH * SEALED,
                out_start=HEADER,
                progress=progress,
                done=0,
            )
            pump.run(num_threads)
            source.check(pump.done)
            target.commit()


def decrypt_file(
    src: StrPath,
    dst: StrPath,
    key: Buffer,
    *,
    context: Buffer = b"",
    threads: int | None = None,
    progress: Progress | None = None,
    fsync: bool = True,
    kdf_hash: str = "sha512",
) -> None:
    """Decrypt what encrypt_file() or another C2SP chunked encryption with AES-GCM wrote.

    dst appears only when the whole of src, its end included, is found to be what was encrypted; no
    plaintext is left anywhere otherwise. Arguments are those of encrypt_file().

    Raises InvalidFile (an InvalidTag) if src was changed, cut off, extended, or made with another
    key or context; TypeError, ValueError and OSError as encrypt_file().
    """
    chunked.check_arguments(key, context, kdf_hash)
    num_threads = threads_from(threads)
    with _open(src) as file:
        source = _source_for(file, src, dst)
        with (
            _message_key(source.read, key, context, kdf_hash) as message,
            AtomicFile(dst, mode=source.mode, fsync=fsync) as target,
        ):
            pump = Pump(
                source,
                message.open,
                target.write_at,
                in_size=BATCH * SEALED,
                out_size=BATCH * CHUNK,
                out_start=0,
                progress=progress,
                done=HEADER,
            )
            pump.run(num_threads)
            target.commit()


def _message_key(
    read: Callable[[memoryview], int], key: Buffer, context: Buffer, kdf_hash: str
) -> MessageKey:
    header = bytearray(HEADER)
    count = read(memoryview(header))
    if count < HEADER:
        raise InvalidFile(f"cut off: {count} bytes, the header alone has {HEADER}")
    message = MessageKey(key, bytes(header[:SALT]), context, kdf_hash)
    if not message.matches(bytes(header)):
        message.close()
        raise InvalidFile("not encrypted with this key and context, or its header was changed")
    return message


class EncryptedReader(io.RawIOBase):
    """The plaintext of an encrypted file as a binary file that can be read from anywhere.

    Only the chunks asked for are read, and each is verified before anything of it is given out; the
    length is verified when the file is opened. Wrap it in io.BufferedReader for many small reads.
    read_at() can be used from several threads at once, the position of read() and seek() cannot.

    Raises InvalidFile where a chunk is not what was encrypted, and on opening if the file's header,
    key, context or length are wrong. key, context and kdf_hash are those of encrypt_file().
    """

    def __init__(
        self, src: StrPath, key: Buffer, *, context: Buffer = b"", kdf_hash: str = "sha512"
    ) -> None:
        super().__init__()
        chunked.check_arguments(key, context, kdf_hash)
        self._position = 0
        self._lock = threading.Lock()
        self._message: MessageKey | None = None
        self._chunk: tuple[int, bytes] = (-1, b"")  # the last one that was read
        self._file = _open(src)
        try:
            self.name = os.fspath(src)
            source = Source(self._file, self.name)
            self._message = _message_key(source.read, key, context, kdf_hash)
            sealed = self._file.seek(0, os.SEEK_END) - HEADER
            last, rest = divmod(sealed, SEALED)
            chunked.check_last(last, rest)
            self._last = last
            self._size = sealed - (last + 1) * TAG
            self._read_chunk(last)
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> int:
        """Length of the plaintext in bytes."""
        return self._size

    def read_at(self, offset: int, size: int) -> bytes:
        """Read and verify the bytes from offset on, fewer than size only where the file ends."""
        self._check_open()
        if offset < 0 or size < 0:
            raise ValueError(f"offset and size must not be negative, got {offset} and {size}")
        end = min(offset + size, self._size)
        if offset >= end:
            return b""
        first, start = divmod(offset, CHUNK)
        parts = [self._read_chunk(number) for number in range(first, (end - 1) // CHUNK + 1)]
        parts[-1] = parts[-1][: end - ((end - 1) // CHUNK) * CHUNK]
        parts[0] = parts[0][start:]
        return b"".join(parts)

    def _read_chunk(self, number: int) -> bytes:
        known, chunk = self._chunk
        if known != number:
            assert self._message is not None  # noqa: S101 - open
            length = SEALED if number < self._last else self._size - number * CHUNK + TAG
            chunk = self._message.open_chunk(number, self._pread(HEADER + number * SEALED, length))
            self._chunk = (number, chunk)
        return chunk

    def _pread(self, offset: int, length: int) -> bytes:
        with naming(self.name):
            if hasattr(os, "pread"):
                return os.pread(self._file.fileno(), length, offset)
            with self._lock:
                self._file.seek(offset)
                return self._file.read(length) or b""

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def seekable(self) -> bool:
        """Say that it can be read from anywhere."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Change the position; the new one."""
        self._check_open()
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}.get(whence)
        if start is None:
            raise ValueError(f"whence must be 0, 1 or 2, got {whence}")
        if start + offset < 0:
            raise ValueError(f"position must not be negative, got {start + offset}")
        self._position = start + offset
        return self._position

    def tell(self) -> int:
        """Say the position."""
        self._check_open()
        return self._position

    def readinto(self, buffer: Buffer, /) -> int:
        """Fill buffer from the position on; the number of bytes, less than its size at the end."""
        with memoryview(buffer) as view, view.cast("B") as octets:
            data = self.read_at(self._position, len(octets))
            octets[: len(data)] = data
        self._position += len(data)
        return len(data)

    def readall(self) -> bytes:
        """Read from the position to the end."""
        data = self.read_at(self._position, max(0, self._size - self._position))
        self._position += len(data)
        return data

    def close(self) -> None:
        """Close the file and wipe the key."""
        if not self.closed:
            super().close()
            self._chunk = (-1, b"")
            self._file.close()
            if self._message is not None:
                self._message.close()
