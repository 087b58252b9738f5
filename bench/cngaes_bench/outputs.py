"""What a path put out, and the proofs that it is the right thing and all of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

# Positions compared after every timed value: one byte a page at 128 MiB, every byte of a
# small output. Few enough to cost nothing beside the value, too many to skip work unseen.
_SAMPLES = 32768

_INVERT = bytes(255 - value for value in range(256))


class Output(NamedTuple):
    """A result as it lies in memory: nobody is made to join ciphertext and tag."""

    body: memoryview
    tag: memoryview

    @classmethod
    def of(cls, data: object, tag_size: int = 0) -> Output:
        """See any buffer as body and, behind it, a tag."""
        view = memoryview(data).cast("B")  # type: ignore[arg-type]
        split = len(view) - tag_size
        return cls(view[:split], view[split:])


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """First 8 bytes, last 16 and SHA-256 of a whole output, in hex."""

    first8: str
    last16: str
    sha256: str

    @classmethod
    def of(cls, output: Output) -> Fingerprint:
        """Take the fingerprint of body and tag together."""
        digest = hashlib.sha256(output.body)
        digest.update(output.tag)
        tail = bytes(output.body[-16:]) + bytes(output.tag)
        head = bytes(output.body[:8]) + bytes(output.tag[:8])
        return cls(head[:8].hex(), tail[-16:].hex(), digest.hexdigest())

    def difference(self, expected: Fingerprint) -> str:
        """Say why this is not `expected`; empty when it is."""
        for what in ("first8", "last16", "sha256"):
            ours, right = getattr(self, what), getattr(expected, what)
            if ours != right:
                return f"{what} of the output is {ours}, expected {right}"
        return ""


class WrongOutputError(Exception):
    """A path did not do the work, or did it wrong."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Bytes of the right output at even distances, and its tag."""

    size: int
    stride: int
    body: bytes
    tag: bytes

    @classmethod
    def of(cls, output: Output) -> Samples:
        """Take samples of a right output."""
        stride = max(1, len(output.body) // _SAMPLES)
        body = output.body[::stride].tobytes()
        return cls(len(output.body), stride, body, bytes(output.tag))

    def poison(self, target: Output) -> None:
        """Make every compared byte of a reused buffer wrong, so that old results cannot pass."""
        target.body[:: self.stride] = self.body.translate(_INVERT)
        if target.tag:
            target.tag[:] = self.tag.translate(_INVERT)

    def check(self, output: Output) -> None:
        """Raise WrongOutputError if `output` differs in length, a sampled byte or the tag."""
        if len(output.body) != self.size:
            raise WrongOutputError(f"output of {len(output.body)} bytes, expected {self.size}")
        found = output.body[:: self.stride].tobytes()
        if found != self.body:
            at = next(i for i, (a, b) in enumerate(zip(found, self.body, strict=True)) if a != b)
            raise WrongOutputError(f"wrong byte in the output at offset {at * self.stride}")
        if bytes(output.tag) != self.tag:
            raise WrongOutputError(f"tag {bytes(output.tag).hex()}, expected {self.tag.hex()}")
