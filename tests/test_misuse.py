"""Calls at the wrong time, objects made the wrong way, and what must stay as it was."""

from __future__ import annotations

import array
import copy
import functools
import pickle
import random
from typing import Any

import pytest

import cngaes
import operations
from buffers import NARROW
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, hazmat
from operations import AAD, IV, KEY, NONCE, OPERATIONS, Operation

KEY_CLASSES = [AESGCM, AESCBC, AESCTR, AESECB]
# Method -> arguments that would be good.
METHODS: dict[type, dict[str, tuple[Any, ...]]] = {
    AESGCM: {
        "encrypt": (NONCE, b"data", AAD),
        "decrypt": (NONCE, bytes(20), AAD),
        "encrypt_into": (NONCE, b"data", AAD, bytearray(20)),
        "decrypt_into": (NONCE, bytes(20), AAD, bytearray(4)),
        "encryptor": (NONCE, AAD),
        "encrypt_many": (NONCE, [b"data"], AAD),
        "decrypt_many": (NONCE, [bytes(20)], AAD),
        "encrypt_packed": (NONCE, b"data", array.array("i", [0, 4]), AAD),
        "decrypt_packed": (NONCE, bytes(20), array.array("i", [0, 20]), AAD),
    },
    AESCBC: {
        "encrypt": (IV, bytes(16)),
        "decrypt": (IV, bytes(16)),
        "encrypt_into": (IV, bytes(16), bytearray(32)),
        "decrypt_into": (IV, bytes(16), bytearray(16)),
        "encryptor": (IV,),
        "decryptor": (IV,),
        "encrypt_many": (IV, [b"data"]),
    },
    AESCTR: {
        "encrypt": (IV, b"data"),
        "decrypt": (IV, b"data"),
        "encrypt_into": (IV, b"data", bytearray(4)),
        "decrypt_into": (IV, b"data", bytearray(4)),
        "encryptor": (IV,),
        "decryptor": (IV,),
    },
    AESECB: {
        "encrypt": (bytes(16),),
        "decrypt": (bytes(16),),
        "encrypt_into": (bytes(16), bytearray(16)),
        "decrypt_into": (bytes(16), bytearray(16)),
    },
}
key_classes = pytest.mark.parametrize("kind", KEY_CLASSES)


def contexts(backend: str) -> list[Any]:
    """One of each kind of streaming object."""
    gcm, cbc, ctr = operations.gcm(backend), operations.cbc(backend), operations.ctr(backend)
    return [
        gcm.encryptor(NONCE),
        hazmat.gcm_decryptor(gcm, NONCE),
        cbc.encryptor(IV),
        cbc.decryptor(IV),
        ctr.encryptor(IV),
        ctr.decryptor(IV),
    ]


@key_classes
def test_methods_are_all_listed(kind: type) -> None:
    public = {name for name in dir(kind) if name.startswith(("encrypt", "decrypt"))}
    assert public == set(METHODS[kind])


@key_classes
def test_after_close(backend: str, kind: Any) -> None:
    made = kind(KEY, backend=backend)
    made.close()
    made.close()
    for method, arguments in METHODS[kind].items():
        with pytest.raises(ValueError, match="closed"):
            getattr(made, method)(*arguments)
    with pytest.raises(ValueError, match="closed"), made:
        pytest.fail("entered")
    if kind is AESGCM:
        with pytest.raises(ValueError, match="closed"):
            hazmat.gcm_decryptor(made, NONCE)
    assert "closed" in repr(made)


@key_classes
def test_context_manager_closes(backend: str, kind: Any) -> None:
    with kind(KEY, backend=backend) as made:
        assert isinstance(made, kind)
        method, arguments = next(iter(METHODS[kind].items()))
        getattr(made, method)(*arguments)
    with pytest.raises(ValueError, match="closed"):
        getattr(made, method)(*arguments)
    with pytest.raises(KeyError, match="mine"), kind(KEY, backend=backend) as made:
        raise KeyError("mine")
    with pytest.raises(ValueError, match="closed"):
        getattr(made, method)(*arguments)


@key_classes
def test_half_made(kind: Any) -> None:
    """Neither __new__ alone nor a subclass that forgets super().__init__() gives a usable key."""

    class Forgetful(kind):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

    for made in (kind.__new__(kind), Forgetful(), Forgetful.__new__(Forgetful)):
        for method, arguments in METHODS[kind].items():
            with pytest.raises(TypeError, match="__init__"):
                getattr(made, method)(*arguments)
        for attribute in ("backend", "kernel"):
            with pytest.raises(TypeError, match="__init__"):
                getattr(made, attribute)
        with pytest.raises(TypeError), made:
            pytest.fail("entered")
        if kind is AESGCM:
            with pytest.raises(TypeError):
                hazmat.gcm_decryptor(made, NONCE)
        with pytest.raises(TypeError, match="__init__"):
            made.close()
        assert type(made).__name__ in repr(made)


@key_classes
def test_failed_init_leaves_half_made(kind: Any) -> None:
    made = kind.__new__(kind)
    with pytest.raises(ValueError, match="key"):
        made.__init__(b"short")
    for method, arguments in METHODS[kind].items():
        with pytest.raises(TypeError, match="__init__"):
            getattr(made, method)(*arguments)


@key_classes
def test_subclass(backend: str, kind: Any) -> None:
    class Careful(kind):  # type: ignore[misc]
        def __init__(self, key: bytes) -> None:
            super().__init__(key, backend=backend)
            self.note = "mine"

    made = Careful(KEY)
    method, arguments = next(iter(METHODS[kind].items()))
    plain = kind(KEY, backend=backend)
    assert getattr(made, method)(*arguments) == getattr(plain, method)(*arguments)
    assert made.note == "mine"


@key_classes
def test_second_init(backend: str, kind: Any) -> None:
    made = kind(KEY, backend=backend)
    method, arguments = next(iter(METHODS[kind].items()))
    before = getattr(made, method)(*arguments)
    with pytest.raises(TypeError, match="already initialised"):
        made.__init__(bytes(32), backend=backend)
    with pytest.raises(TypeError):
        made.__init__()
    assert getattr(made, method)(*arguments) == before


def test_contexts_come_from_keys_only(backend: str) -> None:
    kinds: list[Any] = [type(made) for made in contexts(backend)]
    for kind in kinds:
        with pytest.raises(TypeError):
            kind()
        with pytest.raises(TypeError):
            kind(KEY)
        with pytest.raises(TypeError):
            kind.__new__(kind).update(b"")


def test_half_made_sha256() -> None:
    half = cngaes.sha256.__new__(cngaes.sha256)
    for call in (half.digest, half.hexdigest, half.copy, functools.partial(half.update, b"")):
        with pytest.raises(TypeError, match="__init__"):
            call()


def test_second_init_of_sha256(backend: str) -> None:
    made: Any = cngaes.sha256(b"abc", backend=backend)
    before = made.digest()
    with pytest.raises(TypeError, match="already initialised"):
        made.__init__(b"other")
    assert made.digest() == before


def test_copy_and_pickle(backend: str) -> None:
    keys: list[Any] = [kind(KEY, backend=backend) for kind in KEY_CLASSES]
    for made in (*keys, *contexts(backend)):
        for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                duplicate(made)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError):
                pickle.dumps(made, protocol)
    # As in hashlib: a hash has its own copy() and is not written to files.
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            duplicate(cngaes.sha256(b"state"))


def test_repr_shows_no_key(backend: str) -> None:
    key = b"verysecretkey\xf1\xf2\xf3"
    for kind in KEY_CLASSES:
        made: Any = kind(key, backend=backend)
        shown = (repr(made) + str(made) + f"{made}").lower()
        assert kind.__name__.lower() in shown
        for piece in ("secret", key.hex(), key.hex()[:8], "f1f2f3", "\\xf1", str(key[0])):
            assert piece not in shown.split(" at 0x")[0]
    for made in contexts(backend):
        assert "secret" not in repr(made)


def test_objects_take_no_new_attributes(backend: str) -> None:
    """A misspelled attribute is an error, and what is shown cannot be overwritten."""
    for kind in KEY_CLASSES:
        made: Any = kind(KEY, backend=backend)
        for attribute in ("backend", "kernel", "tag_length"):
            with pytest.raises(AttributeError):
                setattr(made, attribute, "mine")


# Arguments.

# As in hashlib, what has one obvious argument takes it by position alone.
BY_POSITION = [op for op in OPERATIONS if op.name.endswith((".update", ".finalize_with_tag"))]


@pytest.mark.parametrize("op", OPERATIONS, ids=str)
def test_number_of_arguments(backend: str, op: Operation) -> None:
    good = [*op.arguments.values(), *([] if op.buf is None else [bytearray(op.buf)])]
    optional = {"associated_data"} if op.buf is None else set()
    needed = [name for name in op.arguments if name not in optional]
    call = op.make(backend)
    if op.name != "sha256":
        with pytest.raises(TypeError):
            call(*good[: len(needed) - 1])
    with pytest.raises(TypeError):
        op.make(backend)(*good, b"one too many")
    with pytest.raises(TypeError):
        op.make(backend)(*good, None, None, None, None, None, None, None, None)
    with pytest.raises(TypeError, match="keyword" if op in BY_POSITION else "surprise"):
        op.make(backend)(*good, surprise=1)


@pytest.mark.parametrize("op", [op for op in OPERATIONS if op not in BY_POSITION], ids=str)
def test_keywords(backend: str, op: Operation) -> None:
    """Every argument by name, in any order; giving one twice is refused."""
    names = list(op.arguments)
    rng = random.Random(op.name)
    for _ in range(3):
        rng.shuffle(names)
        named: dict[str, Any] = {name: op.arguments[name] for name in names}
        if op.buf is None:
            assert op.finish(op.make(backend)(**named)) == op.result
        else:
            buf = bytearray(op.buf)
            assert op.make(backend)(buf=buf, **named) == len(op.result)
            assert buf[: len(op.result)] == op.result
    first = next(iter(op.arguments))
    with pytest.raises(TypeError):
        op.make(backend)(*op.arguments.values(), **{first: op.arguments[first]})
    # Names are compared by value: one that is not interned will do, one with a tail will not.
    late = "".join(list(first))
    assert late == first
    with pytest.raises(TypeError):
        op.make(backend)(**{first + "\0": op.arguments[first]})


def test_keyword_only_arguments() -> None:
    for kind in KEY_CLASSES:
        with pytest.raises(TypeError):
            kind(KEY, 16)
    with pytest.raises(TypeError):
        AESCTR(KEY).encrypt(IV, b"data", 5)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        cngaes.sha256_digest(b"", "cpu")  # type: ignore[call-arg]


# Interned bytes.


def one_byte_results(backend: str, value: int) -> list[bytes]:
    """Every call that can give a result of one byte, with that byte as its result."""
    text = bytes([value])
    gcm, cbc, ctr = operations.gcm(backend), operations.cbc(backend), operations.ctr(backend)
    ecb = operations.padded_ecb(backend)
    sealed = gcm.encrypt(NONCE, text)
    opener = hazmat.gcm_decryptor(gcm, NONCE)
    closing = cbc.decryptor(IV)
    closing.update(cbc.encrypt(IV, text))
    stream = ctr.encrypt(IV, text)
    return [
        gcm.decrypt(NONCE, sealed),
        opener.update(sealed[:1]),
        gcm.encryptor(NONCE).update(sealed[:1]),
        cbc.decrypt(IV, cbc.encrypt(IV, text)),
        closing.finalize(),
        ecb.decrypt(ecb.encrypt(text)),
        ctr.encrypt(IV, stream),
        ctr.decrypt(IV, stream),
        ctr.encryptor(IV).update(stream),
        ctr.decryptor(IV).update(stream),
    ]


def test_interned_bytes_stay_intact(backend: str) -> None:
    """CPython shares its 256 one-byte objects and the empty one: none may be written into."""
    shared = [bytes([value]) for value in range(256)]
    for value in range(256):
        results = one_byte_results(backend, value)
        assert results == [bytes([value])] * len(results)
        del results
    assert [one[0] for one in shared] == list(range(256))
    assert [bytes([value])[0] for value in range(256)] == list(range(256))
    assert bytes() == b"" and len(b"") == 0  # noqa: PT018, UP018


def test_interned_bytes_stay_intact_after_failures(backend: str) -> None:
    gcm, cbc = operations.gcm(backend), operations.cbc(backend)
    for value in range(256):
        sealed = bytearray(gcm.encrypt(NONCE, bytes([value])))
        sealed[-1] ^= 1
        with pytest.raises(cngaes.InvalidTag):
            gcm.decrypt(NONCE, sealed)
        with pytest.raises(cngaes.InvalidPadding):
            cbc.decrypt(IV, bytes([value]) * 16)
    assert [bytes([value])[0] for value in range(256)] == list(range(256))


def test_keys_are_copied(backend: str) -> None:
    """What happens to the key's buffer later does not matter, and it is not held either."""
    for wrap in NARROW.values():
        for kind in KEY_CLASSES:
            source = wrap(KEY)
            made: Any = kind(source, backend=backend)
            method, arguments = next(iter(METHODS[kind].items()))
            before = getattr(made, method)(*arguments)
            memoryview(source).cast("B")[:] = bytes(32)
            assert getattr(made, method)(*arguments) == before
    growing = bytearray(KEY)
    AESGCM(growing, backend=backend)
    growing.append(1)  # no export is left
    assert len(growing) == 33
