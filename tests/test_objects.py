"""Objects as citizens of the interpreter: attributes, lifetimes, leaks, subinterpreters, fork."""

from __future__ import annotations

import gc
import hashlib
import inspect
import os
import subprocess
import sys
import textwrap
import weakref
from pathlib import Path
from typing import Any

import pytest

import cngaes
import operations
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, exceptions
from operations import AAD, KEY, NONCE, OPERATIONS
from processes import run_python

KEY_CLASSES = [AESGCM, AESCBC, AESCTR, AESECB]


@pytest.mark.parametrize("kind", KEY_CLASSES)
def test_key_attributes(backend: str, kind: Any) -> None:
    made = kind(KEY, backend=backend)
    assert made.backend == backend
    assert type(made.kernel) is str
    if backend == "cpu":
        assert made.kernel == cngaes.supported_kernels()["aes"][0]
    assert kind.__module__.startswith("cngaes")
    assert kind.__doc__
    assert kind(KEY).backend == cngaes.default_backend()


def test_tag_length_attribute(backend: str) -> None:
    assert AESGCM(KEY, backend=backend).tag_length == 16
    assert AESGCM(KEY, tag_length=12, backend=backend).tag_length == 12


# Calls for many messages; those for one are in OPERATIONS.
BATCHES = {
    "AESGCM.encrypt_many": ["nonces", "messages", "associated_data"],
    "AESGCM.decrypt_many": ["nonces", "messages", "associated_data"],
    "AESGCM.encrypt_packed": ["nonces", "data", "offsets", "associated_data", "out"],
    "AESGCM.decrypt_packed": ["nonces", "data", "offsets", "associated_data", "out"],
    "AESCBC.encrypt_many": ["ivs", "messages", "threads"],
}


def test_signatures() -> None:
    """help() and editors show the names that calls take."""
    shown = {
        f"{kind.__name__}.{name}": list(inspect.signature(getattr(kind, name)).parameters)[1:]
        for kind in KEY_CLASSES
        for name in dir(kind)
        if name.startswith(("encrypt", "decrypt"))
    }
    others: list[Any] = [cngaes.sha256_digest, cngaes.hmac_sha256, cngaes.sha256, *KEY_CLASSES]
    for function in others:
        shown[function.__name__] = list(inspect.signature(function).parameters)
    checked = 0
    for op in OPERATIONS:
        if op.name in shown:
            expected = [*op.arguments, *([] if op.buf is None else ["buf"])]
            assert shown[op.name][: len(expected)] == expected, op.name
            checked += 1
    for batch, arguments in BATCHES.items():
        assert shown[batch][: len(arguments)] == arguments, batch
    assert checked == len(shown) - len(BATCHES) == 28


def test_sha256_is_shaped_like_hashlib(backend: str) -> None:
    ours, theirs = cngaes.sha256(b"abc", backend=backend), hashlib.sha256(b"abc")
    for name in ("name", "digest_size", "block_size"):
        assert getattr(ours, name) == getattr(theirs, name)
        assert type(getattr(ours, name)) is type(getattr(theirs, name))
    for method in ("digest", "hexdigest"):
        assert getattr(ours, method)() == getattr(theirs, method)()
    assert ours.backend == backend
    assert isinstance(ours, cngaes.sha256)
    assert isinstance(ours.copy(), cngaes.sha256)
    assert cngaes.sha256(data=b"abc").digest() == theirs.digest()
    assert cngaes.sha256(b"abc", usedforsecurity=False).digest() == theirs.digest()
    assert cngaes.sha256().digest() == hashlib.sha256().digest()
    assert "sha256" in repr(ours)
    with pytest.raises(AttributeError):
        ours.name = "mine"  # type: ignore[misc]


def test_sha256_works_with_the_standard_library() -> None:
    import hmac

    made = hmac.new(KEY, b"abc", cngaes.sha256)
    assert made.digest() == hmac.digest(KEY, b"abc", "sha256")
    with Path(__file__).open("rb") as file:
        expected = hashlib.sha256(file.read()).hexdigest()
    with Path(__file__).open("rb") as file:
        assert hashlib.file_digest(file, cngaes.sha256).hexdigest() == expected


def test_exceptions() -> None:
    assert issubclass(cngaes.InvalidPadding, ValueError)
    assert issubclass(cngaes.CngError, OSError)
    for name in ("InvalidTag", "InvalidPadding", "AlreadyFinalized", "CngError"):
        assert getattr(cngaes, name) is getattr(exceptions, name)
    assert cngaes.UnsupportedBackend is exceptions.UnsupportedBackend
    assert not issubclass(cngaes.InvalidTag, ValueError)
    with pytest.raises(cngaes.InvalidTag) as caught:
        AESGCM(KEY).decrypt(NONCE, bytes(20))
    assert type(caught.value) is cngaes.InvalidTag


def test_context_keeps_its_key(backend: str) -> None:
    """The key object may go, or be closed, while a stream of it is being used."""
    expected = operations.gcm(backend).encrypt(NONCE, b"data", AAD)
    context = operations.gcm(backend).encryptor(NONCE, AAD)
    gc.collect()
    noise = [AESGCM(bytes(32)) for _ in range(50)]
    assert context.update(b"data") + context.finalize() + context.tag == expected
    assert len(noise) == 50


def test_context_of_a_closed_key(backend: str) -> None:
    """A stream that outlives close() works on or says "closed"; it never gives wrong bytes."""
    aead = operations.gcm(backend)
    expected = aead.encrypt(NONCE, b"data", AAD)
    context = aead.encryptor(NONCE, AAD)
    aead.close()
    noise = [AESGCM(bytes(32)) for _ in range(50)]
    try:
        out = context.update(b"data") + context.finalize() + context.tag
    except ValueError as error:
        assert "closed" in str(error)  # noqa: PT017
    else:
        assert out == expected
    assert len(noise) == 50


def test_subclass_with_cycle_is_collected(backend: str) -> None:
    class Node(AESGCM):
        def __init__(self) -> None:
            super().__init__(KEY, backend=backend)
            self.me = self

    seen = weakref.ref(Node())
    gc.collect()
    assert seen() is None


SUBINTERPRETER = """
    import sys, textwrap
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    import cngaes

    program = textwrap.dedent('''
    import cngaes
    out = cngaes.AESGCM(bytes(16)).encrypt(bytes(12), bytes(16))
    assert out.hex() == "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf", out
    try:
        cngaes.AESGCM(bytes(16)).decrypt(bytes(12), bytes(16))
    except cngaes.InvalidTag:
        pass
    else:
        raise AssertionError
    assert cngaes.sha256(b"abc").hexdigest()[:8] == "ba7816bf"
    ''')
    for isolated in (True, False):
        for _ in range(3):
            if sys.version_info >= (3, 13):
                made = interpreters.create("isolated" if isolated else "legacy")
                error = interpreters.exec(made, program)
                assert error is None, error
            else:
                made = interpreters.create(isolated=isolated)
                interpreters.run_string(made, program)
            interpreters.destroy(made)
    assert cngaes.AESGCM(bytes(16)).encrypt(bytes(12), b"").hex()[:8] == "58e2fcce"
    try:
        cngaes.AESGCM(bytes(16)).decrypt(bytes(12), bytes(16))
    except cngaes.InvalidTag:
        print("fine")
"""


def test_subinterpreters() -> None:
    """Import and encryption in several, one after another, with the main one still working.

    Before 3.12 the import may be refused there; it must not hang.
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SUBINTERPRETER)],
        capture_output=True,
        text=True,
        timeout=20,
    )
    if sys.version_info < (3, 12) and done.returncode != 0:
        assert "ImportError" in done.stderr
        assert "interpreter" in done.stderr
    else:
        assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_fork_among_threads() -> None:
    """The child of a process with busy threads encrypts, within seconds."""
    program = """
        import os, signal, threading, time, warnings
        import cngaes
        warnings.simplefilter("ignore", DeprecationWarning)
        aead = cngaes.AESGCM(bytes(32))
        stop = False
        def work():
            while not stop:
                aead.encrypt(bytes(12), bytes(100_000))
                cngaes.AESCTR(bytes(32)).encrypt(bytes(16), bytes(10_000))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads: thread.start()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(5)
                out = cngaes.AESGCM(bytes(16)).encrypt(bytes(12), b"")
                out2 = aead.encrypt(bytes(12), b"")
                good = out.hex()[:8] == "58e2fcce" and out2.hex()[:8] == "530f8afb"
                os._exit(0 if good else 3)
            _, status = os.waitpid(child, 0)
            assert status == 0, status
        stop = True
        for thread in threads: thread.join()
        print("fine")
    """
    assert run_python(program) == "fine\n"
