"""Random lives of keys and contexts against a model: whatever the order, the answer is the right
one or the promised error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    rule,
    run_state_machine_as_test,
)

import cngaes
import references
from cngaes import AESCBC, AESCTR, AESGCM, AlreadyFinalized
from forms import frame, unframe

if TYPE_CHECKING:
    from engines import Engine

KEY, IV = bytes(range(16)), b"\xff" * 15 + b"\xfe"


@dataclass
class Owner:
    """A key object and what is known of it."""

    made: Any
    mode: str
    closed: bool = False


@dataclass
class Stream:
    """A context, what went in and out so far, and whether it has ended."""

    made: Any
    owner: Owner
    ended: bool = False
    fed: bytearray = field(default_factory=bytearray)
    given: bytearray = field(default_factory=bytearray)

    def expected(self) -> bytes:
        """All output for the input so far; CBC gives out whole blocks only."""
        data = bytes(self.fed)
        if self.owner.mode == "gcm":
            return references.gcm_quick(KEY, IV, data, b"")[:-16]
        if self.owner.mode == "ctr":
            return references.ctr(KEY, IV, data)
        return references.cbc(KEY, IV, data[: len(data) // 16 * 16])


def new_owner(mode: str) -> Owner:
    if mode == "gcm":
        return Owner(AESGCM(KEY), mode)
    return Owner(AESCBC(KEY, padding=None) if mode == "cbc" else AESCTR(KEY), mode)


pieces = st.binary(max_size=70) | st.sampled_from([b"", bytes(16), bytes(4096), bytes(5000)])


class Lives(RuleBasedStateMachine):
    """What users may do, in any order."""

    owners = Bundle("owners")
    streams = Bundle("streams")

    @rule(target=owners, mode=st.sampled_from(["gcm", "cbc", "ctr"]))
    def make(self, mode: str) -> Owner:
        return new_owner(mode)

    @rule(owner=owners)
    def close(self, owner: Owner) -> None:
        owner.made.close()
        owner.closed = True

    @rule(owner=owners, data=pieces)
    def one_shot(self, owner: Owner, data: bytes) -> None:
        data += bytes(-len(data) % 16)
        if owner.closed:
            with pytest.raises(ValueError, match="closed"):
                owner.made.encrypt(IV, data)
        else:
            assert owner.made.decrypt(IV, owner.made.encrypt(IV, data)) == data

    @rule(target=streams, owner=owners)
    def start(self, owner: Owner) -> Stream:
        if owner.closed:
            with pytest.raises(ValueError, match="closed"):
                owner.made.encryptor(IV)
            owner = new_owner("ctr")
        return Stream(owner.made.encryptor(IV), owner)

    @rule(stream=streams, data=pieces, into=st.booleans(), in_place=st.booleans())
    def update(self, stream: Stream, data: bytes, into: bool, in_place: bool) -> None:
        whole, view = frame(len(data) + 15, data if in_place else b"")
        source = view[: len(data)] if in_place else data
        if stream.ended or stream.owner.closed:
            error = AlreadyFinalized if stream.ended else ValueError
            before = bytes(whole)
            with pytest.raises(error):
                stream.made.update_into(source, view) if into else stream.made.update(source)
            assert whole == before
            return
        stream.fed += data
        if into:
            count = stream.made.update_into(source, view)
            stream.given += unframe(whole)[:count]
        else:
            stream.given += stream.made.update(source)
        assert stream.given == stream.expected()

    @rule(stream=streams)
    def finalize(self, stream: Stream) -> None:
        if stream.ended:
            with pytest.raises(AlreadyFinalized):
                stream.made.finalize()
        elif stream.owner.closed:
            with pytest.raises(ValueError, match="closed"):
                stream.made.finalize()
        else:
            stream.ended = True
            if stream.owner.mode == "cbc" and len(stream.fed) % 16:
                with pytest.raises(ValueError, match="multiple of 16"):
                    stream.made.finalize()
            else:
                assert stream.made.finalize() == b""
            if stream.owner.mode == "gcm":
                sealed = references.gcm_quick(KEY, IV, bytes(stream.fed), b"")
                assert stream.made.tag == sealed[-16:]

    @rule(owner=consumes(owners))
    def drop_key(self, owner: Owner) -> None:
        """The object goes; streams of it may live on."""

    @rule(stream=consumes(streams))
    def drop_stream(self, stream: Stream) -> None:
        """Finished or not."""


def test_lives(aes: Engine) -> None:
    """The kernel is forced for the whole search."""
    assert aes.kernel is None or AESGCM(KEY).kernel == aes.kernel
    run_state_machine_as_test(
        Lives,
        settings=settings(
            max_examples=60,
            stateful_step_count=40,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_lives_of_hashes() -> None:
    """Copies of copies, each fed for itself."""
    import hashlib
    import random

    rng = random.Random("hashes")
    pairs = [(cngaes.sha256(), hashlib.sha256())]
    for _ in range(3000):
        ours, theirs = rng.choice(pairs)
        if rng.random() < 0.2:
            pairs.append((ours.copy(), theirs.copy()))
            pairs = pairs[-20:]
        data = rng.randbytes(rng.choice((0, 1, 3, 55, 63, 64, 65, 200)))
        ours.update(data)
        theirs.update(data)
        assert ours.digest() == theirs.digest()
