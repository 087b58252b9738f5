"""Names of what is measured: an algorithm, a direction and a size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MODES = ("gcm", "ctr", "cbc", "ecb")
KEY_BITS = (128, 192, 256)
AES = tuple(f"aes-{bits}-{mode}" for mode in MODES for bits in KEY_BITS)
SHA256 = "sha256"
ALGORITHMS = (*AES, SHA256)

ENCRYPT, DECRYPT, HASH = "encrypt", "decrypt", "hash"
BLOCK = 16
TAG = 16
DIGEST = 32
LARGEST = 1 << 32

_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE = re.compile(r"([1-9][0-9]*)(B|KiB|MiB|GiB)")


class UnknownNameError(ValueError):
    """A name nobody defined; the text lists the names that exist."""

    def __init__(self, kind: str, given: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown {kind} {given!r}; known: {', '.join(known)}")


def parse_size(text: str) -> int:
    """Bytes of `16B`, `1KiB`, `128MiB`, `1GiB`."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"bad size {text!r}: write a whole number and B, KiB, MiB or GiB (1KiB)")
    size = int(match[1]) * _UNITS[match[2]]
    if size > LARGEST:
        raise ValueError(f"size {text} is above the largest one, {format_size(LARGEST)}")
    return size


def format_size(size: int) -> str:
    """Write the shortest exact name: 1048576 -> `1MiB`, 1000 -> `1000B`."""
    for unit in ("GiB", "MiB", "KiB"):
        if size % _UNITS[unit] == 0:
            return f"{size // _UNITS[unit]}{unit}"
    return f"{size}B"


def directions(algorithm: str) -> tuple[str, ...]:
    """List what an algorithm can do."""
    return (HASH,) if algorithm == SHA256 else (ENCRYPT, DECRYPT)


@dataclass(frozen=True, slots=True)
class Case:
    """One task, whoever does it. `size` counts the plaintext, so both directions compare.

    CBC and ECB of anything but whole blocks have PKCS#7 padding.
    """

    algorithm: str
    direction: str
    size: int

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise UnknownNameError("algorithm", self.algorithm, ALGORITHMS)
        if self.direction not in directions(self.algorithm):
            raise UnknownNameError("direction", self.direction, directions(self.algorithm))
        if not 0 < self.size <= LARGEST:
            raise ValueError(f"a size is 1 byte to {format_size(LARGEST)}, not {self.size}")

    @classmethod
    def parse(cls, name: str) -> Case:
        """Read `algorithm/direction/size`."""
        parts = name.split("/")
        if len(parts) != 3:
            raise ValueError(
                f"bad case {name!r}: write algorithm/direction/size (aes-256-gcm/encrypt/1MiB)"
            )
        return cls(parts[0], parts[1], parse_size(parts[2]))

    @property
    def name(self) -> str:
        """`aes-256-gcm/encrypt/1MiB`."""
        return f"{self.algorithm}/{self.direction}/{format_size(self.size)}"

    @property
    def mode(self) -> str:
        """`gcm`, `ctr`, `cbc`, `ecb` or `sha256`: also the word `_core` uses."""
        return self.algorithm.rpartition("-")[2]

    @property
    def key_bytes(self) -> int:
        """Length of the key, 0 for a hash."""
        return 0 if self.algorithm == SHA256 else int(self.algorithm.split("-")[1]) // 8

    @property
    def padded(self) -> bool:
        """Whether the ciphertext has padding."""
        return self.mode in ("cbc", "ecb") and self.size % BLOCK != 0

    @property
    def body_size(self) -> int:
        """Bytes of the result, without a tag."""
        if self.direction == HASH:
            return DIGEST
        if self.padded and self.direction == ENCRYPT:
            return self.size + BLOCK - self.size % BLOCK
        return self.size

    @property
    def tag_size(self) -> int:
        """Bytes of the tag behind the body of the result."""
        return TAG if self.mode == "gcm" and self.direction == ENCRYPT else 0


def cases(algorithms: Iterable[str], sizes: Iterable[int]) -> tuple[Case, ...]:
    """Make every direction of every algorithm at every size, in that order."""
    sizes = tuple(sizes)
    return tuple(
        Case(algorithm, direction, size)
        for algorithm in algorithms
        for direction in directions(algorithm)
        for size in sizes
    )
