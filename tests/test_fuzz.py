"""Calls that nobody thought of, compared with cryptography: hypothesis chooses them.

CNGAES_FUZZ_EXAMPLES sets how many of each kind (120 if nothing); more for a night.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import hmac
import os
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import cngaes
import references
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, _core, hazmat

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = int(os.environ.get("CNGAES_FUZZ_EXAMPLES", "120"))
FUZZ = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
KERNELS = cngaes.supported_kernels()

keys = st.sampled_from([16, 24, 32]).flatmap(lambda n: st.binary(min_size=n, max_size=n))
blocks = st.binary(min_size=16, max_size=16)
nonces = st.one_of(st.binary(min_size=12, max_size=12), st.binary(min_size=8, max_size=64))
# Every short length, those around whole blocks, and a few that are long.
lengths = st.one_of(
    st.integers(0, 130),
    st.integers(1, 80).flatmap(lambda n: st.integers(16 * n - 1, 16 * n + 1)),
    st.sampled_from([4095, 4096, 5000, 70_000, 300_001]),
)
datas = st.tuples(lengths, st.binary(min_size=1, max_size=40)).map(
    lambda drawn: (drawn[1] * (drawn[0] // len(drawn[1]) + 1))[: drawn[0]]
)
aads = st.one_of(st.none(), datas)
tag_lengths = st.sampled_from([4, 8, 12, 13, 14, 15, 16])
thread_counts = st.sampled_from([1, 2, 3, None])
kernels = st.tuples(st.sampled_from(KERNELS["aes"]), st.sampled_from(KERNELS["sha256"]))


@contextlib.contextmanager
def forced(names: tuple[str, str]) -> Any:
    _core._force_kernels(f"aes={names[0]},sha256={names[1]}")
    try:
        yield
    finally:
        _core._force_kernels(None)


class Ground:
    """One stretch of memory in which input and output lie as drawn, with bytes around them."""

    def __init__(self, data: bytes, out_len: int, in_at: int, out_at: int) -> None:
        self.memory = bytearray(b"\xa5" * (max(in_at + len(data), out_at + out_len) + 40))
        self.data = memoryview(self.memory)[in_at : in_at + len(data)]
        self.data[:] = data
        self.out = memoryview(self.memory)[out_at : out_at + out_len]
        self.out_at = out_at
        self.before = bytes(self.memory)

    def call(self, into: Callable[[Any, Any], int], expected: bytes) -> None:
        """The result of memory apart, and no other byte touched; or refused, and none at all."""
        try:
            count = into(self.data, self.out)
        except ValueError as error:
            assert "overlap" in str(error)  # noqa: PT017
            assert bytes(self.memory) == self.before
            return
        assert bytes(self.out[:count]) == expected
        end = self.out_at + len(self.out)
        assert self.memory[: self.out_at] == self.before[: self.out_at]
        assert self.memory[end:] == self.before[end:]


places = st.tuples(
    st.integers(0, 100), st.one_of(st.integers(-100, 100), st.just(0), st.integers(400, 900))
)


def ground(data: bytes, out_len: int, place: tuple[int, int]) -> Ground:
    start, distance = place
    return Ground(data, out_len, 100 + start, max(0, 100 + start + distance))


def openssl(key: bytes, mode: Any, data: bytes) -> bytes:
    made = Cipher(algorithms.AES(key), mode).encryptor()
    return made.update(data) + made.finalize()


def padded(data: bytes) -> bytes:
    made = padding.PKCS7(128).padder()
    return made.update(data) + made.finalize()


@FUZZ
@given(kernels, keys, nonces, datas, aads, tag_lengths, places, thread_counts)
def test_gcm(
    names: Any, key: Any, nonce: Any, data: Any, aad: Any, tag: Any, place: Any, threads: Any
) -> None:
    sealed = references.gcm_quick(key, nonce, data, aad or b"")
    sealed = sealed[: len(data) + tag]
    with forced(names):
        aead = AESGCM(key, tag_length=tag)
        assert aead.encrypt(nonce, data, aad, threads=threads) == sealed
        assert aead.decrypt(nonce, sealed, aad, threads=threads) == data
        ground(data, len(sealed), place).call(
            lambda i, o: aead.encrypt_into(nonce, i, aad, o, threads=threads), sealed
        )
        ground(sealed, len(data), place).call(
            lambda i, o: aead.decrypt_into(nonce, i, aad, o, threads=threads), data
        )


@FUZZ
@given(kernels, keys, nonces, datas, aads, st.integers(0), places)
def test_forged_gcm(
    names: Any, key: Any, nonce: Any, data: Any, aad: Any, bit: int, place: Any
) -> None:
    """Whatever bit is wrong: refused, and the output is zeros."""
    sealed = bytearray(references.gcm_quick(key, nonce, data, aad or b""))
    sealed[bit // 8 % len(sealed)] ^= 1 << bit % 8
    with forced(names):
        aead = AESGCM(key)
        with pytest.raises(cngaes.InvalidTag):
            aead.decrypt(nonce, sealed, aad)
        made = ground(bytes(sealed), len(data), place)
        try:
            aead.decrypt_into(nonce, made.data, aad, made.out)
        except cngaes.InvalidTag:
            assert bytes(made.out) == bytes(len(data))
        except ValueError as error:
            assert "overlap" in str(error)  # noqa: PT017
            assert bytes(made.memory) == made.before


@FUZZ
@given(kernels, keys, blocks, datas, places, thread_counts)
def test_cbc_and_ecb(names: Any, key: Any, iv: Any, data: Any, place: Any, threads: Any) -> None:
    whole = data[: len(data) // 16 * 16]
    with forced(names):
        for is_padded in (True, False):
            plain = data if is_padded else whole
            cbc: Any = AESCBC(key) if is_padded else AESCBC(key, padding=None)
            ecb: Any = AESECB(key, padding="pkcs7") if is_padded else AESECB(key)
            text = padded(plain) if is_padded else plain
            head = (iv,)
            for mode, made, start, one_chain in (
                (modes.CBC(iv), cbc, head, True),
                (modes.ECB(), ecb, (), False),
            ):
                # Encrypting CBC is one chain, and so has no threads.
                named: dict[str, Any] = {} if one_chain else {"threads": threads}
                sealed = openssl(key, mode, text)
                assert made.encrypt(*start, plain, **named) == sealed
                assert made.decrypt(*start, sealed, threads=threads) == plain
                ground(plain, len(sealed), place).call(
                    functools.partial(made.encrypt_into, *start, **named), sealed
                )
                ground(sealed, len(sealed), place).call(
                    functools.partial(made.decrypt_into, *start, threads=threads), plain
                )


@FUZZ
@given(kernels, keys, blocks, datas, places, st.integers(0, 1000), thread_counts)
def test_ctr(
    names: Any, key: Any, counter: Any, data: Any, place: Any, offset: int, threads: Any
) -> None:
    expected = openssl(key, modes.CTR(counter), bytes(offset) + data)[offset:]
    with forced(names):
        cipher = AESCTR(key)
        assert cipher.encrypt(counter, data, offset=offset, threads=threads) == expected
        ground(data, len(data), place).call(
            lambda i, o: cipher.encrypt_into(counter, i, o, offset=offset, threads=threads),
            expected,
        )


@FUZZ
@given(kernels, st.binary(max_size=150), st.lists(datas, max_size=8), thread_counts)
def test_hashes(names: Any, key: Any, pieces: Any, threads: Any) -> None:
    with forced(names):
        made, theirs = cngaes.sha256(), hashlib.sha256()
        for piece in pieces:
            made.update(piece)
            theirs.update(piece)
            assert made.copy().digest() == theirs.digest()
            assert cngaes.hmac_sha256(key, piece) == hmac.digest(key, piece, "sha256")
        assert cngaes.sha256_many(pieces, threads=threads) == [
            hashlib.sha256(piece).digest() for piece in pieces
        ]


class Contexts(RuleBasedStateMachine):
    """Contexts of several kinds alive at once, each beside one of cryptography."""

    def __init__(self) -> None:
        super().__init__()
        self.alive: list[list[Any]] = []  # [ours, theirs, key, kind, bytes taken]

    @rule(
        names=kernels, key=keys, start=blocks, kind=st.sampled_from(["gcm", "open", "cbc", "ctr"])
    )
    def begin(self, names: Any, key: bytes, start: bytes, kind: str) -> None:
        with forced(names):
            made: Any
            if kind == "ctr":
                made = AESCTR(key)
                mode: Any = modes.CTR(start)
            elif kind == "cbc":
                made = AESCBC(key, padding=None)
                mode = modes.CBC(start)
            else:
                made = AESGCM(key)
                mode = modes.GCM(start)
            ours = hazmat.gcm_decryptor(made, start) if kind == "open" else made.encryptor(start)
        cipher = Cipher(algorithms.AES(key), mode)
        theirs = cipher.decryptor() if kind == "open" else cipher.encryptor()
        self.alive.append([ours, theirs, made, kind, 0])

    @precondition(lambda self: self.alive)
    @rule(number=st.integers(0), data=datas, into=st.booleans(), place=places)
    def update(self, number: int, data: bytes, into: bool, place: Any) -> None:
        entry = self.alive[number % len(self.alive)]
        ours, theirs, _, kind, done = entry
        if not into:
            assert ours.update(data) == theirs.update(data)
            entry[4] = done + len(data)
            return
        out_len = (done % 16 + len(data)) // 16 * 16 if kind == "cbc" else len(data)
        made = ground(data, out_len, place)
        try:
            assert ours.update_into(made.data, made.out) == out_len
        except ValueError as error:
            assert "overlap" in str(error)  # noqa: PT017
            assert bytes(made.memory) == made.before
            return
        assert bytes(made.out) == theirs.update(data)
        entry[4] = done + len(data)

    @precondition(lambda self: self.alive)
    @rule(number=st.integers(0))
    def close_key(self, number: int) -> None:
        """A context whose key is closed is refused, and gives nothing out."""
        ours, _, key, _, _ = self.alive.pop(number % len(self.alive))
        key.close()
        with pytest.raises(ValueError, match="is closed"):
            ours.update(b"data")

    @precondition(lambda self: self.alive)
    @rule(number=st.integers(0))
    def finish(self, number: int) -> None:
        ours, theirs, _, kind, done = self.alive.pop(number % len(self.alive))
        if kind == "cbc" and done % 16:
            with pytest.raises(ValueError, match="multiple of 16"):
                ours.finalize()
        elif kind == "open":
            with pytest.raises(cngaes.InvalidTag):
                ours.finalize_with_tag(bytes(16))
        else:
            assert ours.finalize() == theirs.finalize()
            if kind == "gcm":
                assert ours.tag == theirs.tag
        with pytest.raises(cngaes.AlreadyFinalized):
            ours.update(b"")

    @invariant()
    def few(self) -> None:
        while len(self.alive) > 6:
            self.finish(0)


Contexts.TestCase.settings = settings(
    FUZZ, max_examples=max(1, EXAMPLES // 4), stateful_step_count=40
)
TestContexts = Contexts.TestCase
