"""Memory: no call leaks, and `_into` needs no more than the buffers it is given."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
from typing import Any

import pytest

import cngaes
import operations
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, hazmat
from operations import IV, KEY, NONCE, OPERATIONS, Operation
from processes import run_python

KEY_CLASSES = [AESGCM, AESCBC, AESCTR, AESECB]


def resident() -> int:
    """Resident memory of this process in bytes."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def leaks(work: Any, loops: int) -> None:
    """Runs work often; neither Python's nor the C library's memory may grow with it."""
    for _ in range(loops // 4):
        work()
    gc.collect()
    start = resident()
    for _ in range(loops):
        work()
    gc.collect()
    grown = resident() - start
    # Leaking 64 bytes a loop would already show as this much.
    assert grown < 64 * loops, f"{grown} bytes in {loops} loops"
    tracemalloc.start()
    for _ in range(10):
        work()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(1000):
        work()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The smallest object has more than 16 bytes; tracing itself comes to some KiB once.
    assert after - before < 1000 * 16, f"{after - before} bytes in 1000 loops"


LOOPS = 8000


@pytest.mark.parametrize("op", OPERATIONS, ids=str)
def test_calls_leak_nothing(backend: str, op: Operation) -> None:
    values = [bytes(bytearray(value)) for value in op.arguments.values()]
    buf = [] if op.buf is None else [bytearray(op.buf)]
    before = [sys.getrefcount(item) for item in (*values, *buf)]
    call = op.make(backend)
    if op.name.endswith((".update", ".update_into", ".finalize_with_tag")):
        leaks(lambda: op.make(backend)(*values, *buf), LOOPS)
    else:
        leaks(lambda: call(*values, *buf), LOOPS)
    assert [sys.getrefcount(item) for item in (*values, *buf)] == before


def swallow(call: Any, *arguments: Any, **named: Any) -> None:
    try:
        call(*arguments, **named)
    except (TypeError, ValueError, BufferError, OverflowError, cngaes.InvalidTag):
        return
    except (cngaes.AlreadyFinalized, cngaes.UnsupportedBackend):
        return
    pytest.fail("no error")


@pytest.mark.parametrize("op", OPERATIONS, ids=str)
def test_errors_leak_nothing(backend: str, op: Operation) -> None:
    """Each argument in turn is refused, so that those before it must be let go."""
    values = [bytearray(value) for value in op.arguments.values()]
    buf = [] if op.buf is None else [bytearray(op.buf)]
    good: list[Any] = [*values, *buf]
    bad: list[list[Any]] = []
    for position in range(len(good)):
        bad += [
            [*good[:position], wrong, *good[position + 1 :]]
            for wrong in ("text", 5, memoryview(bytearray(99))[::2])
        ]
    if op.buf is not None:
        bad += [[*values, last] for last in (bytes(op.buf), bytearray(op.buf - 1))]
    call = op.make(backend)
    before = [sys.getrefcount(item) for item in good]

    def work() -> None:
        for arguments in bad:
            swallow(call, *arguments)
        swallow(call, *good, 1, 2, 3)
        swallow(call, *good[:-1], surprise=5)

    leaks(work, 600)
    assert [sys.getrefcount(item) for item in good] == before
    for item in good:
        item.append(0)  # nothing is exported any more


def test_failures_leak_nothing(backend: str) -> None:
    gcm, cbc = operations.gcm(backend), operations.cbc(backend)

    def work() -> None:
        swallow(AESGCM, b"short", backend=backend)
        swallow(AESGCM, KEY, tag_length=5, backend=backend)
        swallow(AESCBC, KEY, padding="other", backend=backend)
        swallow(AESECB, KEY, backend="other")
        swallow(gcm.decrypt, NONCE, bytes(100))
        swallow(gcm.decrypt_into, NONCE, bytes(100), None, bytearray(84))
        swallow(cbc.decrypt, IV, bytes(96))
        context = cbc.encryptor(IV)
        context.finalize()
        swallow(context.update, b"")
        if backend != "cpu":  # CNG has no GCM in pieces
            swallow(gcm.encryptor, NONCE)
            swallow(hazmat.gcm_decryptor, gcm, NONCE)
            return
        stream = gcm.encryptor(NONCE)
        stream.finalize()
        swallow(stream.update, b"")
        swallow(hazmat.gcm_decryptor(gcm, NONCE).finalize_with_tag, bytes(16))

    leaks(work, 2000)


def half_made(kind: Any) -> Any:
    return kind.__new__(kind)


def test_key_objects_leak_nothing(backend: str) -> None:
    def work() -> None:
        for kind in KEY_CLASSES:
            with kind(KEY, backend=backend) as made:
                repr(made)
                _ = made.kernel, made.backend
            kind(KEY, backend=backend)
            half_made(kind)
        made_hash = cngaes.sha256(b"abc", backend=backend).copy()
        made_hash.update(b"def")
        made_hash.hexdigest()
        cngaes.available_backends()
        cngaes.cpu_features()
        cngaes.build_info()
        cngaes.supported_kernels()

    leaks(work, 2000)


def test_objects_of_many_threads_leak_nothing(backend: str) -> None:
    # A million objects in all where that takes seconds.
    loops = 12500 if backend == "cpu" else 1000

    def work() -> None:
        for _ in range(loops):
            AESGCM(KEY, backend=backend).encrypt(NONCE, b"data")
            AESCTR(KEY, backend=backend).encryptor(IV).update(b"data")
            if backend == "cpu":  # CNG has no GCM in pieces
                AESGCM(KEY, backend=backend).encryptor(NONCE).update(b"data")
            cngaes.sha256(b"data", backend=backend).digest()

    def round_() -> None:
        threads = [threading.Thread(target=work) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    round_()
    gc.collect()
    start = resident()
    round_()
    gc.collect()
    assert resident() - start < 5 << 20


def test_into_needs_only_its_buffers() -> None:
    """A fresh process: 256 MiB in, 256 MiB out, and at most 1 MiB beside them."""
    program = """
        import sys
        from cngaes import AESCBC, AESCTR, AESECB, AESGCM
        size = 1 << 28
        data, buf = bytearray(size), bytearray(size + 16)
        data[::4096] = buf[:size:4096] = b"x" * (size // 4096)
        keys = [kind(bytes(32)) for kind in (AESGCM, AESCTR, AESECB)] + [
            AESCBC(bytes(32), padding=None)
        ]
        small = bytearray(16)
        keys[0].encrypt_into(bytes(12), b"", None, small)
        if sys.platform == "win32":
            import psutil
            peak = lambda: psutil.Process().memory_info().peak_wset >> 10
        else:
            import resource
            peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = peak()
        view = memoryview(buf)[:size]
        keys[0].encrypt_into(bytes(12), data, None, buf)
        keys[0].decrypt_into(bytes(12), buf, None, data)
        keys[1].encrypt_into(bytes(16), data, view)
        keys[2].encrypt_into(data, view)
        keys[3].encrypt_into(bytes(16), data, view)
        keys[3].decryptor(bytes(16)).update_into(view, view)
        print(peak() - before)
    """
    assert int(run_python(program)) <= 1024
