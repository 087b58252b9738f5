"""Encrypted files for tests: made, read back, and spoiled in every region."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cngaes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = bytes(range(16))
CONTEXT = b"tests"
CHUNK, SEALED, HEADER = 16384, 16400, 56
BATCH = 64 * CHUNK  # bytes of plaintext in one call


def pattern(size: int) -> bytes:
    """Bytes in which no two chunks are alike."""
    return (b"".join(i.to_bytes(4, "big") for i in range(size // 4 + 1)))[:size]


def encrypted(folder: Path, size: int) -> tuple[bytes, Path]:
    """A plaintext and the file that it is encrypted in."""
    plain = pattern(size)
    (folder / "plain").write_bytes(plain)
    cngaes.encrypt_file(folder / "plain", folder / "sealed", KEY, context=CONTEXT, fsync=False)
    return plain, folder / "sealed"


def spoiled(sealed: bytes) -> Iterator[tuple[str, bytes]]:
    """What must not be taken for the file: its name and its bytes. Needs 3 chunks or more."""
    last = HEADER + (len(sealed) - HEADER) // SEALED * SEALED
    places = {
        "first of salt": 0,
        "last of salt": 23,
        "first of commitment": 24,
        "last of commitment": 55,
        "first of chunk 0": HEADER,
        "last of chunk 0": HEADER + CHUNK - 1,
        "first of tag 0": HEADER + CHUNK,
        "last of tag 0": HEADER + SEALED - 1,
        "middle of chunk 1": HEADER + SEALED + 5000,
        "first of last chunk": last,
        "last byte": len(sealed) - 1,
    }
    for name, place in places.items():
        for bit in (1, 128):
            changed = bytearray(sealed)
            changed[place] ^= bit
            yield f"{name}, bit {bit}", bytes(changed)
    for length in (0, 1, 24, 55, HEADER, HEADER + 15, HEADER + 16, HEADER + SEALED - 1):
        yield f"cut to {length}", sealed[:length]
    for length in (HEADER + SEALED, HEADER + SEALED + 1, HEADER + SEALED + 16, last, last + 15):
        yield f"cut to {length}", sealed[:length]
    yield "without its last byte", sealed[:-1]
    yield "with one byte more", sealed + b"\0"
    yield "with its last chunk again", sealed + sealed[last:]
    yield "twice", sealed + sealed
    chunks = [sealed[i : i + SEALED] for i in range(HEADER, len(sealed), SEALED)]
    yield (
        "two chunks changed places",
        sealed[:HEADER] + b"".join([chunks[1], chunks[0], *chunks[2:]]),
    )
    yield "a chunk twice", sealed[:HEADER] + b"".join([chunks[0], *chunks])
    yield "a chunk less", sealed[:HEADER] + b"".join(chunks[1:])
    yield "the last chunk alone", sealed[:HEADER] + chunks[-1]


def names_in(folder: Path) -> set[str]:
    """Everything in a folder, hidden files as well."""
    return {path.name for path in folder.iterdir()}
