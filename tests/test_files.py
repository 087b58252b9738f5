"""Encrypted files: the published vectors, other implementations, random access."""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import json
import random
import threading
import zlib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cryptography import cobblestone

import cngaes
from cngaes._chunked import MessageKey
from file_forms import BATCH, CHUNK, CONTEXT, HEADER, KEY, SEALED, encrypted, pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from engines import Engine

unhex = bytes.fromhex

PEERS: dict[int, tuple[Any, Any]] = {
    16: (cobblestone.Cobblestone128Encryptor, cobblestone.Cobblestone128Decryptor),
    32: (cobblestone.Cobblestone256Encryptor, cobblestone.Cobblestone256Decryptor),
}
SIZES = (0, 1, 15, 16, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, BATCH - 1, BATCH, BATCH + 1)
LARGE = 5 * BATCH + 12345


class Vector(NamedTuple):
    where: str
    kdf_hash: str
    key: bytes
    context: bytes
    sealed: bytes
    digest: str | None  # by kdf_hash; None: decryption must fail
    flags: tuple[str, ...]


@functools.cache
def wycheproof(bits: int) -> list[Vector]:
    """Cobblestone-128 or -256."""
    name = f"c2sp_chunked_encryption_aes_{bits}_gcm_test.json"
    source = Path(__file__).parent / "data" / "wycheproof" / name
    document = json.loads(source.read_text(encoding="utf-8"))
    vectors = [
        Vector(
            f"wycheproof {bits} {test['tcId']} {test['comment']}",
            "sha512",
            unhex(test["key"]),
            unhex(test["ctx"]),
            zlib.decompress(unhex(test["ct"])),
            test["msgSha512"] if test["result"] == "valid" else None,
            tuple(test["flags"]),
        )
        for group in document["testGroups"]
        for test in group["tests"]
    ]
    assert len(vectors) == document["numberOfTests"] == 35
    return vectors


@functools.cache
def first_draft(bits: int) -> list[Vector]:
    """What cryptography-vectors carries: the same with SHA-256."""
    source = files("cryptography_vectors").joinpath("chunked-encryption", "vectors.json")
    vectors = []
    for test in json.loads(source.read_text(encoding="utf-8"))["vectors"]:
        if test["aead"] != f"AEAD_AES_{bits}_GCM":
            continue
        sealed = base64.b64decode(test["ciphertext"] or "")
        vectors.append(
            Vector(
                test["name"],
                "sha256",
                unhex(test["key"]),
                test["context"].encode(),
                zlib.decompress(sealed) if test.get("compressed") else sealed,
                test["payload_sha256"] if test["expect"] == "success" else None,
                (),
            )
        )
    assert len(vectors) == 34
    return vectors


ALL_VECTORS = pytest.mark.parametrize(
    "vectors", [wycheproof, first_draft], ids=["wycheproof", "first draft"]
)
BOTH_KEYS = pytest.mark.parametrize("bits", [128, 256])


def raised_by(error: type[Exception] | tuple[type[Exception], ...], call: object) -> None:
    with pytest.raises(error):
        call()  # type: ignore[operator]


@BOTH_KEYS
@ALL_VECTORS
def test_vectors(vectors: Callable[[int], list[Vector]], bits: int, tmp_path: Path) -> None:
    for vector in vectors(bits):
        src, dst = tmp_path / "sealed", tmp_path / "plain"
        src.write_bytes(vector.sealed)
        options: dict[str, Any] = {"context": vector.context, "kdf_hash": vector.kdf_hash}
        if vector.digest is None:
            error = ValueError if len(vector.key) not in (16, 32) else cngaes.InvalidFile
            with pytest.raises((error, ValueError) if "InvalidKeySize" in vector.flags else error):
                cngaes.decrypt_file(src, dst, vector.key, fsync=False, **options)
            assert not dst.exists(), vector.where
        else:
            cngaes.decrypt_file(src, dst, vector.key, fsync=False, **options)
            plain = dst.read_bytes()
            assert hashlib.new(vector.kdf_hash, plain).hexdigest() == vector.digest, vector.where
            dst.unlink()


@BOTH_KEYS
@ALL_VECTORS
def test_vectors_by_random_access(
    vectors: Callable[[int], list[Vector]], bits: int, tmp_path: Path
) -> None:
    for vector in vectors(bits):
        src = tmp_path / "sealed"
        src.write_bytes(vector.sealed)

        def read(vector: Vector = vector, src: Path = src) -> bytes:
            options: dict[str, Any] = {"context": vector.context, "kdf_hash": vector.kdf_hash}
            with cngaes.EncryptedReader(src, vector.key, **options) as reader:
                return reader.read()

        if vector.digest is None:
            raised_by((cngaes.InvalidFile, ValueError), read)
        else:
            assert hashlib.new(vector.kdf_hash, read()).hexdigest() == vector.digest, vector.where


@BOTH_KEYS
@ALL_VECTORS
def test_vectors_by_encryption(
    vectors: Callable[[int], list[Vector]],
    bits: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the salt of the vector, its ciphertext must come out."""
    tried = 0
    for vector in vectors(bits):
        if vector.digest is None:
            continue
        options: dict[str, Any] = {
            "context": vector.context,
            "kdf_hash": vector.kdf_hash,
        }
        src, plain, again = tmp_path / "sealed", tmp_path / "plain", tmp_path / "again"
        src.write_bytes(vector.sealed)
        cngaes.decrypt_file(src, plain, vector.key, fsync=False, **options)
        salt = vector.sealed[:24]
        monkeypatch.setattr("cngaes.files.new_salt", lambda salt=salt: salt)
        cngaes.encrypt_file(plain, again, vector.key, fsync=False, **options)
        assert again.read_bytes() == vector.sealed, vector.where
        tried += 1
    assert tried >= 9


@pytest.mark.parametrize("key_len", [16, 32])
@pytest.mark.parametrize("size", [*SIZES, LARGE])
def test_against_cryptography(key_len: int, size: int, tmp_path: Path) -> None:
    encryptor, decryptor = PEERS[key_len]
    key, plain = bytes(range(key_len)), pattern(size)
    (tmp_path / "p").write_bytes(plain)
    cngaes.encrypt_file(tmp_path / "p", tmp_path / "c", key, context=CONTEXT, fsync=False)
    theirs = decryptor(key, CONTEXT)
    sealed = (tmp_path / "c").read_bytes()
    assert len(sealed) == HEADER + size + 16 * (size // CHUNK + 1)
    assert theirs.update(sealed) + theirs.finalize() == plain
    other = encryptor(key, CONTEXT)
    (tmp_path / "c").write_bytes(other.update(plain) + other.finalize())
    cngaes.decrypt_file(tmp_path / "c", tmp_path / "q", key, context=CONTEXT, fsync=False)
    assert (tmp_path / "q").read_bytes() == plain


@pytest.mark.parametrize("threads", [1, 2, 7, None])
def test_any_number_of_threads(threads: int | None, tmp_path: Path) -> None:
    plain = pattern(LARGE)
    (tmp_path / "p").write_bytes(plain)
    cngaes.encrypt_file(tmp_path / "p", tmp_path / "c", KEY, threads=threads)
    cngaes.decrypt_file(tmp_path / "c", tmp_path / "q", KEY, threads=threads)
    assert (tmp_path / "q").read_bytes() == plain


def test_on_every_kernel(aes: Engine, tmp_path: Path) -> None:
    plain, sealed = encrypted(tmp_path, 3 * CHUNK + 5)
    theirs = cobblestone.Cobblestone128Decryptor(KEY, CONTEXT)
    assert theirs.update(sealed.read_bytes()) + theirs.finalize() == plain
    cngaes.decrypt_file(sealed, tmp_path / "q", KEY, context=CONTEXT)
    assert (tmp_path / "q").read_bytes() == plain


def test_two_files_have_two_salts(tmp_path: Path) -> None:
    assert (
        encrypted(tmp_path, 5)[1].read_bytes()[:24] != encrypted(tmp_path, 5)[1].read_bytes()[:24]
    )


def test_nonces_of_far_chunks() -> None:
    with MessageKey(KEY, bytes(24), b"", "sha512") as message:
        base = message._base
        for first in (0, 64, 192, 256, 2**38 - 64):
            nonces = message._nonces(first, 64)
            for i in range(64):
                expected = (base ^ (first + i)).to_bytes(12, "big")
                assert nonces[12 * i : 12 * i + 12] == expected
        with pytest.raises(OverflowError, match=r"274877906944 chunks of 16384 bytes"):
            message._nonces(2**38 - 64, 65)


def test_random_access(tmp_path: Path) -> None:
    size = 9 * CHUNK + 77
    plain, sealed = encrypted(tmp_path, size)
    with cngaes.EncryptedReader(sealed, KEY, context=CONTEXT) as reader:
        assert reader.size == size
        spots = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK - 3, size - 1, size, size + 5]
        for offset in spots:
            for length in (0, 1, 2, CHUNK, CHUNK + 1, 3 * CHUNK, size):
                assert reader.read_at(offset, length) == plain[offset : offset + length]
        dice = random.Random(1)
        for _ in range(200):
            offset, length = dice.randrange(size), dice.randrange(3 * CHUNK)
            assert reader.read_at(offset, length) == plain[offset : offset + length]


def test_reader_is_a_binary_file(tmp_path: Path) -> None:
    plain, sealed = encrypted(tmp_path, 4 * CHUNK + 9)
    reader = cngaes.EncryptedReader(sealed, KEY, context=CONTEXT)
    assert reader.readable()
    assert reader.seekable()
    assert not reader.writable()
    assert reader.read(10) == plain[:10]
    assert reader.tell() == 10
    assert reader.seek(-5, io.SEEK_END) == len(plain) - 5
    assert reader.read() == plain[-5:]
    assert reader.read() == reader.read(3) == b""
    assert reader.seek(CHUNK - 2) == CHUNK - 2
    assert reader.seek(1, io.SEEK_CUR) == CHUNK - 1
    whole = bytearray(3)
    assert reader.readinto(whole) == 3
    assert whole == plain[CHUNK - 1 : CHUNK + 2]
    for call in (lambda: reader.seek(-1), lambda: reader.seek(0, 9), lambda: reader.read_at(-1, 1)):
        raised_by(ValueError, call)
    with io.BufferedReader(reader) as buffered:
        buffered.seek(0)
        assert b"".join(iter(lambda: buffered.read(7), b"")) == plain
    raised_by(ValueError, reader.tell)
    raised_by(ValueError, lambda: reader.read_at(0, 1))


def test_reader_reads_only_what_is_asked_for(tmp_path: Path) -> None:
    plain, sealed = encrypted(tmp_path, 5 * CHUNK + 9)
    spoiled = bytearray(sealed.read_bytes())
    spoiled[HEADER + 2 * SEALED] ^= 1
    sealed.write_bytes(spoiled)
    with cngaes.EncryptedReader(sealed, KEY, context=CONTEXT) as reader:
        assert reader.read_at(0, 2 * CHUNK) == plain[: 2 * CHUNK]
        assert reader.read_at(3 * CHUNK, CHUNK) == plain[3 * CHUNK : 4 * CHUNK]
        with pytest.raises(cngaes.InvalidFile, match="chunk 2 "):
            reader.read_at(2 * CHUNK - 1, 2)
        raised_by(cngaes.InvalidFile, reader.read)


def test_reader_in_many_threads(tmp_path: Path) -> None:
    plain, sealed = encrypted(tmp_path, 6 * CHUNK)
    wrong = []
    with cngaes.EncryptedReader(sealed, KEY, context=CONTEXT) as reader:

        def read(seed: int) -> None:
            dice = random.Random(seed)
            for _ in range(100):
                offset = dice.randrange(len(plain))
                if reader.read_at(offset, 999) != plain[offset : offset + 999]:
                    wrong.append(offset)

        threads = [threading.Thread(target=read, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_progress(tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    main = threading.current_thread()

    def progress(done: int, total: int | None) -> None:
        assert threading.current_thread() is main
        seen.append((done, total))

    (tmp_path / "p").write_bytes(pattern(LARGE))
    cngaes.encrypt_file(tmp_path / "p", tmp_path / "c", KEY, progress=progress)
    assert seen[-1] == (LARGE, LARGE)
    assert len(seen) > 1
    assert seen == sorted(seen)
    size = (tmp_path / "c").stat().st_size
    seen.clear()
    cngaes.decrypt_file(tmp_path / "c", tmp_path / "q", KEY, progress=progress)
    assert seen[-1] == (size, size)
