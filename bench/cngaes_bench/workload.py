"""The input every path works on, and what the right result looks like.

Kinds of data, told apart by the case alone so that another process can make them too:

* whole MiB: the article's workload, one pseudo-random 1 MiB block repeated, keys and IVs
  that count up from zero (the article's 128 MiB is one of these sizes);
* the case of the Perl text: its letters, and hex digits as the bytes of its key;
* any other size: a second block of the same generator, which gives key, IV and nonce too.
"""

from __future__ import annotations

import json
import string
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources

from .cases import DECRYPT, HASH, Case, format_size
from .outputs import Fingerprint, Samples
from .reference import reference_output

MIB = 1 << 20
ARTICLE_SIZE = 128 * MIB
ARTICLE_SEED = 20260807
RANDOM_SEED = 1123581321
_SHORT = 1 << 15
# The Perl text's message, 52 bytes by AES-256-ECB with padding; its key was random hex digits.
PERL_TEXT = (string.ascii_lowercase + string.ascii_uppercase).encode()
PERL_KEY = b"0123456789abcdef" * 2
PERL_ALGORITHM = "aes-256-ecb"
_DATA_AT = 64  # the random block begins with the key (32), the IV (16) and the nonce (12)


@lru_cache(maxsize=8)
def xorshift_block(seed: int = ARTICLE_SEED, size: int = MIB) -> bytes:
    """Give the low bytes of xorshift32's states: the generator of the article."""
    state, out = seed, bytearray()
    for _ in range(size):
        state ^= (state << 13) & 0xFFFFFFFF
        state ^= state >> 17
        state ^= (state << 5) & 0xFFFFFFFF
        out.append(state & 0xFF)
    return bytes(out)


def is_article_size(size: int) -> bool:
    """Tell which of the two kinds of data a size has."""
    return size % MIB == 0


def is_perl_case(case: Case) -> bool:
    """Tell whether a case is the one of the Perl text."""
    return case.algorithm == PERL_ALGORITHM and case.size == len(PERL_TEXT)


@dataclass(frozen=True)
class Material:
    """Everything one case needs. `data` of a GCM decryption is ciphertext and tag."""

    case: Case
    key: bytes
    iv: bytes
    nonce: bytes
    data: bytes


@lru_cache(maxsize=1)
def stored_fingerprints() -> dict[str, Fingerprint]:
    """Read what independent libraries found once (`bench/make_fingerprints.py`)."""
    text = resources.files(__package__).joinpath("fingerprints.json").read_text("ascii")
    return {name: Fingerprint(**fields) for name, fields in json.loads(text)["cases"].items()}


class Workload:
    """Makes and keeps inputs and expectations; one object serves all paths of a process."""

    def __init__(self) -> None:
        self._plain: dict[int, bytes] = {}
        self._materials: dict[Case, Material] = {}
        self._expectations: dict[Case, Expectation] = {}

    def material(self, case: Case) -> Material:
        """Key, IV, nonce and input of a case."""
        if case not in self._materials:
            self._materials[case] = self._make(case)
        return self._materials[case]

    def expected(self, case: Case) -> Expectation:
        """Look up or work out the right result of a case."""
        if case not in self._expectations:
            self._expectations[case] = Expectation(self.material(case))
        return self._expectations[case]

    def forget(self) -> None:
        """Give the memory back between groups of cases."""
        self._plain.clear()
        self._materials.clear()
        self._expectations.clear()

    def _make(self, case: Case) -> Material:
        plain = self._plaintext(case.size)
        if is_perl_case(case):
            plain, key, iv, nonce = PERL_TEXT, PERL_KEY, b"", b""
        elif is_article_size(case.size):
            key, iv, nonce = bytes(range(case.key_bytes)), bytes(range(16)), bytes(range(12))
        else:
            head = xorshift_block(RANDOM_SEED, _SHORT)
            key, iv, nonce = head[: case.key_bytes], head[32:48], head[48:60]
        if case.direction != DECRYPT:
            return Material(case, key, iv, nonce, plain)
        encryption = Case(case.algorithm, "encrypt", case.size)
        output = reference_output(encryption, key, iv, nonce, plain)
        data = b"".join((output.body, output.tag))
        return Material(case, key, iv, nonce, data)

    def _plaintext(self, size: int) -> bytes:
        if size not in self._plain:
            if is_article_size(size):
                self._plain[size] = xorshift_block() * (size // MIB)
            else:
                end = _DATA_AT + size
                # The beginning of the block will do for a short message: it takes 0.25 s to make.
                block = xorshift_block(RANDOM_SEED, MIB if end > _SHORT else _SHORT)
                self._plain[size] = (block * -(-end // len(block)))[_DATA_AT:end]
        return self._plain[size]


class Expectation:
    """The right result of a case, worked out by libraries that are not ours."""

    def __init__(self, material: Material) -> None:
        self._material = material

    @cached_property
    def _facts(self) -> tuple[Fingerprint, Samples]:
        material, case = self._material, self._material.case
        output = reference_output(case, material.key, material.iv, material.nonce, material.data)
        fingerprint = Fingerprint.of(output)
        stored = stored_fingerprints().get(case.name)
        if stored is not None and (why := fingerprint.difference(stored)):
            raise RuntimeError(f"the reference library disagrees with the stored result: {why}")
        return fingerprint, Samples.of(output)

    @property
    def fingerprint(self) -> Fingerprint:
        """First and last bytes, and SHA-256."""
        return self._facts[0]

    @property
    def samples(self) -> Samples:
        """Bytes to compare after every value."""
        return self._facts[1]


def describe_data(case: Case) -> str:
    """Give one phrase for a report."""
    if is_article_size(case.size):
        return f"the article's generator, {format_size(case.size)}"
    if is_perl_case(case):
        return f"the letters a..z A..Z of the Perl text, {format_size(case.size)}"
    kind = "message" if case.direction == HASH else "message and key"
    return f"seeded random {kind}, {format_size(case.size)}"
