"""Nothing is touched outside the buffers: they end, or begin, at memory that is not there."""

from __future__ import annotations

import sys

import pytest

import cngaes
from processes import run_python

# In a process of its own: a fault ends the process, and the last line printed says where it was.
PROGRAM = """
    import ctypes, mmap, sys
    from cngaes import AESCBC, AESCTR, AESECB, AESGCM, _core, hazmat
    import cngaes

    family, kernel = sys.argv[1:] if len(sys.argv) > 1 else KERNEL
    _core._force_kernels(f"{family}={kernel}")
    page = mmap.PAGESIZE
    libc = ctypes.CDLL(None, use_errno=True)

    class Guarded:
        '''Two pages with no access before and behind.'''

        def __init__(self):
            self.map = mmap.mmap(-1, 4 * page)
            self.view = memoryview(self.map)
            start = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
            for offset in (0, 3 * page):
                code = libc.mprotect(ctypes.c_void_p(start + offset), ctypes.c_size_t(page), 0)
                assert code == 0, ctypes.get_errno()

        def place(self, content, size, at_end):
            at = 3 * page - size if at_end else page
            self.view[at : at + len(content)] = content
            return self.view[at : at + size]

    source, target, head, extra, last = (Guarded() for _ in range(5))
    key, iv = bytes(range(32)), bytes(range(16))
    free = bytes(range(256)) * 8
    lengths = [*range(290), *range(290, 1100, 7), 1024, 2047, 2048]
    for at_end in (True, False):
        for n in lengths:
            print(f"{family}={kernel} at_end={at_end} n={n}", flush=True) if n % 97 == 0 else None
            data = source.place(free[:n], n, at_end)
            if family == "sha256":
                assert cngaes.sha256_digest(data) == __import__("hashlib").sha256(free[:n]).digest()
                made = cngaes.sha256(head.place(b"abc", 3, at_end))
                made.update(data)
                cngaes.hmac_sha256(head.place(key, 32, at_end), data)
                continue
            nonce = head.place(iv[:12] if n % 2 else iv, 12 if n % 2 else 16, at_end)
            aad = extra.place(free[: n % 70], n % 70, at_end)
            held = last.place(key[: (16, 24, 32)[n % 3]], (16, 24, 32)[n % 3], at_end)
            gcm, ctr = AESGCM(held), AESCTR(held)
            cbc, ecb = AESCBC(held, padding=None), AESECB(held)
            padded = AESCBC(held)
            out = target.place(b"", n + 16, at_end)
            gcm.encrypt_into(nonce, data, aad, out)
            sealed = bytes(out)
            assert sealed == gcm.encrypt(bytes(nonce), free[:n], bytes(aad))
            closed = source.place(sealed, n + 16, at_end)
            gcm.decrypt_into(nonce, closed, aad, target.place(b"", n, at_end))
            context = hazmat.gcm_decryptor(gcm, nonce, aad)
            context.update_into(closed[:n], target.place(b"", n, at_end))
            context.finalize_with_tag(last.place(sealed[n:], 16, at_end))
            context = gcm.encryptor(nonce, aad)
            third = n // 3
            data = source.place(free[:third], third, at_end)
            context.update_into(data, target.place(b"", third, at_end))
            data = source.place(free[third:n], n - third, at_end)
            context.update_into(data, target.place(b"", n - third, at_end))
            context.finalize()
            assert context.tag == sealed[n:]
            counter = head.place(b"\\xff" * 16, 16, at_end)
            data = source.place(free[:n], n, at_end)
            out = target.place(b"", n, at_end)
            ctr.encrypt_into(counter, data, out, offset=n % 5)
            stream = ctr.encryptor(counter)
            assert stream.update_into(data, out) == n
            whole = n // 16 * 16
            blocks = source.place(free[:whole], whole, at_end)
            out = target.place(b"", whole, at_end)
            cbc.encrypt_into(counter, blocks, out)
            cbc.decrypt_into(counter, blocks, out)
            ecb.encrypt_into(blocks, out)
            ecb.decrypt_into(blocks, out)
            data = source.place(free[:n], n, at_end)
            out = target.place(b"", whole + 16, at_end)
            padded.encrypt_into(counter, data, out)
            made = source.place(bytes(out), whole + 16, at_end)
            assert padded.decrypt_into(counter, made, target.place(b"", whole + 16, at_end)) == n
    print("fine")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs mprotect")
@pytest.mark.parametrize(
    ("family", "kernel"),
    [(family, name) for family, names in cngaes.supported_kernels().items() for name in names],
)
def test_guard_pages(family: str, kernel: str) -> None:
    program = PROGRAM.replace("KERNEL", repr((family, kernel)))
    assert run_python(program).splitlines()[-1] == "fine"
