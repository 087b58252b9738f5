"""threads=: one message over several cores gives what one core gives, in every mode."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.ciphers import aead as peer

import cngaes
from cngaes import InvalidPadding, InvalidTag
from processes import run_python

if TYPE_CHECKING:
    from engines import Engine

KEY = bytes(range(16))
NONCE = bytes(range(12))
# On both sides of where pieces begin and end, and of what is worth a second core.
SIZES = (0, 1, 65536, 2 * 65536 - 1, 262144, 262145, 300_007, 9 * 65536 + 16)
THREADS = (2, 3, 8, None)


@pytest.mark.parametrize("size", SIZES)
def test_gcm(aes: Engine, size: int) -> None:
    aead = aes.gcm(KEY)
    data = os.urandom(size)
    for nonce, aad in ((NONCE, b""), (NONCE, b"header" * 9), (bytes(40), b"a")):
        sealed = peer.AESGCM(KEY).encrypt(nonce, data, aad)
        for threads in THREADS:
            assert aead.encrypt(nonce, data, aad, threads=threads) == sealed
            assert aead.decrypt(nonce, sealed, aad, threads=threads) == data
            buf = bytearray(data + bytes(16))
            view = memoryview(buf)
            aead.encrypt_into(nonce, view[:size], aad, buf, threads=threads)
            assert buf == sealed
            aead.decrypt_into(nonce, buf, aad, view[:size], threads=threads)
            assert buf[:size] == data


@pytest.mark.parametrize("size", [300_007, 9 * 65536])
def test_gcm_rejects(aes: Engine, size: int) -> None:
    aead = aes.gcm(KEY)
    sealed = bytearray(aead.encrypt(NONCE, bytes(size)))
    for place in (0, 65535, 65536, size // 2, size - 1, size, size + 15):
        sealed[place] ^= 0x10
        buf = bytearray(b"\xa5" * size)
        with pytest.raises(InvalidTag):
            aead.decrypt_into(NONCE, sealed, None, buf, threads=3)
        assert buf == bytes(size)
        sealed[place] ^= 0x10
    assert aead.decrypt(NONCE, sealed, threads=3) == bytes(size)


@pytest.mark.parametrize("size", SIZES)
def test_ctr(aes: Engine, size: int) -> None:
    cipher = aes.ctr(KEY)
    data = os.urandom(size)
    for counter in (bytes(16), b"\xff" * 15 + b"\xf0", b"\0" * 12 + b"\xff" * 4):
        for offset in (0, 5, 65536 * 16 + 3):
            expected = cipher.encrypt(counter, data, offset=offset)
            for threads in THREADS:
                out = cipher.encrypt(counter, data, offset=offset, threads=threads)
                assert out == expected
                buf = bytearray(data)
                cipher.decrypt_into(counter, buf, buf, offset=offset, threads=threads)
                assert buf == expected


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("padded", [True, False])
def test_ecb_and_cbc(aes: Engine, size: int, padded: bool) -> None:
    data = os.urandom(size if padded else size // 16 * 16)
    ecb, cbc = aes.ecb(KEY, "pkcs7" if padded else None), aes.cbc(KEY, "pkcs7" if padded else None)
    iv = os.urandom(16)
    ecb_text, cbc_text = ecb.encrypt(data), cbc.encrypt(iv, data)
    for threads in THREADS:
        assert ecb.encrypt(data, threads=threads) == ecb_text
        assert ecb.decrypt(ecb_text, threads=threads) == data
        assert cbc.decrypt(iv, cbc_text, threads=threads) == data
        buf = bytearray(cbc_text)
        assert cbc.decrypt_into(iv, buf, buf, threads=threads) == len(data)
        assert buf[: len(data)] == data
        if padded:
            # A bit of the block before the last, or of the IV, is a bit of the padding: no chance.
            # A changed last block would be padded rightly once in 256 times.
            bad = bytearray(iv + cbc_text)
            bad[-17] ^= 0x80
            with pytest.raises(InvalidPadding):
                cbc.decrypt(bad[:16], bad[16:], threads=threads)


def test_long_messages_in_a_batch(aes: Engine) -> None:
    """One that outweighs the others is split itself, and stands where it belongs."""
    aead = aes.gcm(KEY)
    messages = [b"short"] * 20 + [os.urandom((1 << 20) + 7)] + [b""] * 20
    nonces = b"".join(i.to_bytes(12, "big") for i in range(41))
    expected = [
        peer.AESGCM(KEY).encrypt(nonces[12 * i :][:12], m, b"x") for i, m in enumerate(messages)
    ]
    assert aead.encrypt_many(nonces, messages, b"x", threads=2) == expected
    assert aead.decrypt_many(nonces, expected, b"x", threads=2) == messages
    expected[20] = expected[20][:-1] + bytes([expected[20][-1] ^ 1])
    with pytest.raises(InvalidTag) as error:
        aead.decrypt_many(nonces, expected, b"x", threads=2)
    assert error.value.indices == (20,)


PROGRAM = """
    import os, threading, time
    import cngaes

    def count():
        return len(os.listdir("/proc/self/task"))

    started = count()
    key = cngaes.AESGCM(bytes(32))
    data, nonce = bytes(1 << 20), bytes(12)
    expected = key.encrypt(nonce, data)
    assert count() == started, "a thread without being asked"
    assert key.encrypt(nonce, data, threads=3) == expected
    assert count() == started + 2, count()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_threads_start_at_first_use_and_end_with_python() -> None:
    run_python(PROGRAM)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork() -> None:
    """A child starts threads of its own; one made in the middle of other threads' calls as well."""
    run_python(
        PROGRAM
        + """
    stop = threading.Event()
    def storm():
        while not stop.is_set():
            assert key.encrypt(nonce, data, threads=3) == expected
    threads = [threading.Thread(target=storm) for _ in range(3)]
    for thread in threads:
        thread.start()
    import warnings
    warnings.simplefilter("ignore", DeprecationWarning)
    for _ in range(5):
        child = os.fork()
        if child == 0:
            import signal
            signal.alarm(60)
            ok = key.encrypt(nonce, data, threads=3) == expected
            os._exit(0 if ok and count() == 3 else 1)
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    for thread in threads:
        thread.join()
    """
    )


def test_exit_in_the_middle() -> None:
    """Python ends while a daemon thread's call uses the pool: no crash, no hang."""
    run_python(
        """
        import threading, time
        import cngaes
        key = cngaes.AESGCM(bytes(32))
        data = bytes(1 << 24)
        def storm():
            while True:
                key.encrypt(bytes(12), data, threads=4)
        threading.Thread(target=storm, daemon=True).start()
        time.sleep(0.3)
        """
    )


def test_close_waits(aes: Engine) -> None:
    """close() during a call on several cores: the call ends well or says that the key is closed."""
    run = cngaes.AESGCM(KEY)
    sealed = run.encrypt(NONCE, bytes(1 << 20))
    for _ in range(5):
        key = aes.gcm(KEY)
        results: list[object] = []

        def call(key: cngaes.AESGCM = key, results: list[object] = results) -> None:
            try:
                results.append(key.encrypt(NONCE, bytes(1 << 20), threads=2) == sealed)
            except ValueError as error:
                results.append("closed" in str(error))

        threads = [threading.Thread(target=call) for _ in range(3)]
        for thread in threads:
            thread.start()
        key.close()
        for thread in threads:
            thread.join()
        assert results == [True] * 3
