"""Many threads on one object, the GIL given up on large data, buffers held during a call."""

from __future__ import annotations

import contextlib
import hashlib
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import operations
import references
from cngaes import AESCTR, AESGCM, AlreadyFinalized
from operations import AAD, IV, KEY, NONCE, OPERATIONS, Operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THREADS = 8
LARGE = 1 << 24


@pytest.fixture(autouse=True)
def quick_switching() -> Iterator[None]:
    """Lets threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def in_threads(work: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """Runs work(number) in threads that start together; its results, or the first error."""
    results: list[Any] = [None] * count
    errors: list[BaseException] = []
    barrier = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            barrier.wait()
            results[number] = work(number)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "deadlock"
    if errors:
        raise errors[0]
    return results


@pytest.mark.parametrize("size", [100, 5000, 300_000])
def test_one_key_object(backend: str, size: int) -> None:
    gcm, cbc, ctr = operations.gcm(backend), operations.cbc(backend), operations.ctr(backend)
    ecb = operations.padded_ecb(backend)

    def nonce(number: int) -> bytes:
        return number.to_bytes(12, "big")

    def work(number: int) -> list[bytes]:
        data = bytes([number]) * size
        out = []
        for _ in range(max(1, 200_000 // size)):
            sealed = gcm.encrypt(nonce(number), data, AAD)
            assert gcm.decrypt(nonce(number), sealed, AAD) == data
            out = [sealed, cbc.encrypt(IV, data), ctr.encrypt(IV, data), ecb.encrypt(data)]
            assert cbc.decrypt(IV, out[1]) == data
            assert ctr.decrypt(IV, out[2]) == data
            assert ecb.decrypt(out[3]) == data
        return out

    assert in_threads(work) == [work(number) for number in range(THREADS)]


def test_mixed_calls_on_one_object(backend: str) -> None:
    """4 threads, 1,000 operations each, on one object of each kind."""
    gcm, cbc, ctr = operations.gcm(backend), operations.cbc(backend), operations.ctr(backend)
    ecb, data = operations.ecb(backend), bytes(range(256)) * 40
    sealed, raw = references.gcm(KEY, NONCE, data, AAD), references.ecb(KEY, data)
    chained = references.cbc(KEY, IV, data + b"\x10" * 16)
    calls: list[tuple[Callable[[], bytes], bytes]] = [
        (lambda: gcm.encrypt(NONCE, data, AAD), sealed),
        (lambda: gcm.decrypt(NONCE, sealed, AAD), data),
        (lambda: cbc.encrypt(IV, data), chained),
        (lambda: cbc.decrypt(IV, chained), data),
        (lambda: ctr.encrypt(IV, data), references.ctr(KEY, IV, data)),
        (lambda: ecb.encrypt(data), raw),
        (lambda: ecb.decrypt(raw), data),
    ]

    def work(number: int) -> list[int]:
        chosen = [(number + i) % len(calls) for i in range(1000)]
        return [which for which in chosen if calls[which][0]() != calls[which][1]]

    assert in_threads(work, 4) == [[]] * 4


@pytest.mark.parametrize("size", [10, 4000, 70_000])
def test_one_context(backend: str, size: int) -> None:
    """Pieces of one stream from many threads: each is taken whole, in some order."""
    pieces = 40
    # Zeros, so that the keystream alone shows: all orders give the same stream.
    context = operations.gcm(backend).encryptor(NONCE)
    taken: list[list[bytes]] = in_threads(
        lambda _: [context.update(bytes(size)) for _ in range(pieces)]
    )
    context.finalize()
    whole = operations.gcm(backend).encrypt(NONCE, bytes(size * pieces * THREADS))
    expected = sorted(whole[i : i + size] for i in range(0, len(whole) - 16, size))
    assert sorted(piece for mine in taken for piece in mine) == expected
    assert context.tag == whole[-16:]


def test_one_hash(backend: str) -> None:
    import cngaes

    for size in (10, 4000, 70_000):
        made = cngaes.sha256(backend=backend)

        def work(_: int, made: Any = made, size: int = size) -> None:
            for _ in range(40):
                made.update(b"x" * size)
                made.copy().digest()

        in_threads(work)
        assert made.digest() == hashlib.sha256(b"x" * size * 40 * THREADS).digest()


def test_finalize_and_update_race(backend: str) -> None:
    """Whoever comes after the end is told so; nobody gets bytes that are not in the tag."""
    for _ in range(50):
        context = operations.gcm(backend).encryptor(NONCE)

        def work(number: int, context: Any = context) -> int:
            done = 0
            try:
                for _ in range(20):
                    context.update(bytes(500))
                    done += 1
                if number % 2:
                    context.finalize()
            except AlreadyFinalized:
                pass
            return done

        total = sum(in_threads(work, 4))
        assert context.tag == operations.gcm(backend).encrypt(NONCE, bytes(500 * total))[-16:]


def large_calls(backend: str) -> dict[str, Callable[[], Any]]:
    """One long call of each kind."""
    gcm, cbc = operations.gcm(backend), operations.raw_cbc(backend)
    ecb, ctr = operations.ecb(backend), operations.ctr(backend)
    data = bytes(LARGE)
    sealed, buf = gcm.encrypt(NONCE, data), bytearray(LARGE + 16)
    exact = bytearray(LARGE)
    import cngaes

    # What CNG has not got: other nonces, GCM in pieces.
    only_cpu: dict[str, Callable[[], Any]] = {
        "gcm-nonce": lambda: gcm.encrypt(data, b""),
        "gcm-stream": lambda: gcm.encryptor(NONCE).update(data),
        "gcm-stream-aad": lambda: gcm.encryptor(NONCE, data),
    }
    return (only_cpu if backend == "cpu" else {}) | {
        "gcm-encrypt": lambda: gcm.encrypt(NONCE, data),
        "gcm-decrypt": lambda: gcm.decrypt(NONCE, sealed),
        "gcm-encrypt-into": lambda: gcm.encrypt_into(NONCE, data, None, buf),
        "gcm-decrypt-into": lambda: gcm.decrypt_into(NONCE, sealed, None, exact),
        "gcm-aad": lambda: gcm.encrypt(NONCE, b"", data),
        "cbc-encrypt": lambda: cbc.encrypt(IV, data),
        "cbc-decrypt": lambda: cbc.decrypt(IV, data),
        "cbc-encrypt-into": lambda: cbc.encrypt_into(IV, data, exact),
        "cbc-stream": lambda: cbc.encryptor(IV).update(data),
        "cbc-decrypt-stream": lambda: cbc.decryptor(IV).update_into(data, exact),
        "ctr": lambda: ctr.encrypt(IV, data),
        "ctr-into": lambda: ctr.encrypt_into(IV, data, exact),
        "ctr-stream": lambda: ctr.encryptor(IV).update_into(data, exact),
        "ecb-encrypt": lambda: ecb.encrypt(data),
        "ecb-decrypt-into": lambda: ecb.decrypt_into(data, exact),
        "sha256": lambda: cngaes.sha256(data, backend=backend),
        "sha256-update": lambda: cngaes.sha256(backend=backend).update(data),
        "sha256-digest": lambda: cngaes.sha256_digest(data, backend=backend),
        "hmac": lambda: cngaes.hmac_sha256(KEY, data, backend=backend),
        "hmac-key": lambda: cngaes.hmac_sha256(data, b"", backend=backend),
    }


def others_run_during(call: Callable[[], Any], seconds: float) -> bool:
    """Whether another thread gets to run Python code before call returns.

    Tries again for some time: on a busy machine the other thread may wake too late.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        go, progressed = threading.Event(), threading.Event()

        def other(go: Any = go, progressed: Any = progressed) -> None:
            go.wait()
            progressed.set()

        thread = threading.Thread(target=other)
        thread.start()
        # Hands nothing over: the other thread is asked to run, but needs the GIL for it.
        go.set()
        call()
        seen = progressed.is_set()
        thread.join()
        if seen:
            return True
    return False


def test_gil_is_released(backend: str) -> None:
    """While a long call runs, another thread does Python work.

    With an endless switch interval the interpreter never takes the GIL away from the calling
    thread: only the call itself can hand it over.
    """
    sys.setswitchinterval(1000)
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        assert not others_run_during(lambda: bytes(LARGE), 0.2), "this check sees nothing"
    for name, call in large_calls(backend).items():
        assert others_run_during(call, 20), f"{name} held the GIL"


def longest_stall(call: Callable[[], Any]) -> float:
    """The longest pause of another thread's Python code during a call, as a part of the call."""
    stop, ready = threading.Event(), threading.Event()
    pauses: list[tuple[float, float]] = []  # ends of the pauses that were the longest so far

    def other() -> None:
        longest, last = 0.0, time.perf_counter()
        ready.set()
        while not stop.is_set():
            now = time.perf_counter()
            if now - last > longest:
                longest = now - last
                pauses.append((last, now))
            last = now

    thread = threading.Thread(target=other)
    thread.start()
    ready.wait()
    start = time.perf_counter()
    call()
    end = time.perf_counter()
    stop.set()
    thread.join()
    inside = [min(now, end) - max(last, start) for last, now in pauses]
    return max(inside) / (end - start)


def test_nobody_is_stalled_by_a_long_call(backend: str) -> None:
    """During 256 MiB another thread never waits for more than a tenth of it.

    Another program's turn on the CPU looks the same, so the best of some tries counts.
    """
    data, buf = bytes(1 << 28), bytearray((1 << 28) + 16)
    aead = operations.gcm(backend)
    deadline, best = time.monotonic() + 60, 1.0
    while best >= 0.1 and time.monotonic() < deadline:
        best = min(best, longest_stall(lambda: aead.encrypt_into(NONCE, data, None, buf)))
    assert best < 0.1
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        assert longest_stall(lambda: bytes(1 << 28).count(1)) > 0.5, "this check sees nothing"


def test_buffers_cannot_be_resized_during_a_call(backend: str) -> None:
    aead = operations.gcm(backend)
    data, aad = bytearray(LARGE), bytearray(LARGE)
    nonce, buf = bytearray(12), bytearray(LARGE + 16)
    refused: set[str] = set()
    for _ in range(50):
        before = [len(data), len(aad), len(nonce), len(buf)]
        thread = threading.Thread(target=aead.encrypt_into, args=(nonce, data, aad, buf))
        thread.start()
        refused = set()
        deadline = time.monotonic() + 30
        while thread.is_alive() and time.monotonic() < deadline:
            for name, item in (("data", data), ("aad", aad), ("nonce", nonce), ("buf", buf)):
                try:
                    item.append(0)
                    item.pop()
                except BufferError:
                    refused.add(name)
        thread.join(60)
        assert [len(data), len(aad), len(nonce), len(buf)] == before
        if refused == {"data", "aad", "nonce", "buf"}:
            break
    assert refused == {"data", "aad", "nonce", "buf"}
    for item in (data, aad, nonce, buf):
        item.append(1)  # and all are free again


class Resizer(int):
    """An integer that, when it is looked at, changes a buffer that the same call was given."""

    target: bytearray

    def __index__(self) -> int:
        self.target.clear()
        self.target.extend(bytes(1 << 20))
        return 0

    def __repr__(self) -> str:
        return str(self.__index__())

    __int__ = __index__
    __str__ = __repr__


class LateInteger:
    """The same with no value of its own."""

    def __init__(self, target: bytearray) -> None:
        self.target = target
        self.was_asked = False

    def __index__(self) -> int:
        self.was_asked = True
        self.target.extend(bytes(1 << 20))
        return 0


def test_resizing_from_inside_an_argument(backend: str) -> None:
    """Either the buffer was already held, or its new size is what counts."""
    for size in (16, 5000):
        for which in ("data", "buf", "counter"):
            arguments: dict[str, Any] = {
                "counter": bytearray(16),
                "data": bytearray(size),
                "buf": bytearray(size),
            }
            offset = Resizer(-1)  # refused, and shown in the error
            offset.target = arguments[which]
            with pytest.raises((BufferError, ValueError)):
                AESCTR(KEY, backend=backend).encrypt_into(**arguments, offset=offset)
            late = LateInteger(arguments[which])
            with pytest.raises((BufferError, ValueError)):
                AESCTR(KEY, backend=backend).encrypt_into(**arguments, offset=late)
            assert late.was_asked


@pytest.mark.parametrize("op", OPERATIONS, ids=str)
def test_no_export_is_left(backend: str, op: Operation) -> None:
    """After a call, right or wrong, every buffer can be resized again."""
    copies: dict[str, Any] = {name: bytearray(value) for name, value in op.arguments.items()}
    buf = None if op.buf is None else bytearray(op.buf)
    result = op.call(backend, buf, **copies)
    for item in (*copies.values(), *([] if buf is None else [buf])):
        item.append(0)
    del result
    # Now that all sizes are wrong, most of these calls fail.
    with contextlib.suppress(Exception):
        op.call(backend, buf, **copies)
    for item in (*copies.values(), *([] if buf is None else [buf])):
        item.append(0)
        assert len(item) >= 2


def test_close_waits_for_running_calls(backend: str) -> None:
    """A key closed under running calls: they finish right, later ones are refused."""
    data = bytes(LARGE)
    expected = hashlib.sha256(operations.gcm(backend).encrypt(NONCE, data)).digest()
    overlapped = False
    for _ in range(10):
        aead = AESGCM(KEY, backend=backend)
        results: list[bytes] = []
        started = threading.Barrier(3)

        def work(aead: Any = aead, results: Any = results, started: Any = started) -> None:
            started.wait()
            try:
                while True:
                    results.append(aead.encrypt(NONCE, data))
            except ValueError as error:
                assert "closed" in str(error)  # noqa: PT017
                results.append(b"")

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        started.wait()
        time.sleep(0.005)
        aead.close()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        assert results.count(b"") == 2
        done = [out for out in results if out]
        assert all(hashlib.sha256(out).digest() == expected for out in done)
        overlapped = overlapped or bool(done)
        if overlapped:
            break
    assert overlapped


def test_close_in_many_threads(backend: str) -> None:
    for _ in range(50):
        aead = AESGCM(KEY, backend=backend)

        def work(number: int, aead: Any = aead) -> int:
            refused = 0
            for _ in range(20):
                try:
                    aead.encrypt(NONCE, bytes(5000))
                except ValueError:
                    refused += 1
                if number == 0:
                    aead.close()
            return refused

        assert in_threads(work, 4)[0] == 19
