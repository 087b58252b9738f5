"""No memory at any point of a call: MemoryError, or the right result; never a crash or a leak."""

from __future__ import annotations

import os
import sys

import pytest

from processes import run_python

pytest.importorskip("_testcapi", reason="CPython's own test module fails allocations")

# A process of its own: what is tested could end it. Each allocation of Python's three domains fails
# in turn, once, until a call gets through without meeting the one that fails.
PROGRAM = """
    import faulthandler, gc, sys
    import _testcapi
    import cngaes
    from operations import OPERATIONS

    faulthandler.enable()
    MOST = 400

    def fails_at(number, call, arguments):
        error = result = None
        _testcapi.set_nomemory(number, number + 1)
        try:
            result = call(*arguments)
        except MemoryError as caught:
            error = caught
        finally:
            _testcapi.remove_mem_hooks()
        return error is not None, result

    for op in OPERATIONS:
        failures = quiet = 0
        arguments = [bytearray(value) for value in op.arguments.values()]
        for number in range(MOST):
            buf = [] if op.buf is None else [bytearray(op.buf)]
            call = op.make("cpu")
            failed, result = fails_at(number, call, [*arguments, *buf])
            if failed:
                failures, quiet = failures + 1, 0
                assert not any(map(any, buf)), (op.name, number)  # nothing was written
            else:
                out = bytes(memoryview(buf[0])[:result]) if buf else op.finish(result)
                assert out == op.result, (op.name, number)
                quiet += 1
            for item in (*arguments, *buf):
                item.append(0)  # nothing is held any more
                item.pop()
            if quiet == 5:
                break
        else:
            raise AssertionError(f"{op.name}: still failing after {MOST} allocations")
        print(op.name, failures)

    for make in (
        lambda: cngaes.AESGCM(bytes(32)),
        lambda: cngaes.AESGCM(bytes(32)).encryptor(bytes(12)),
        lambda: cngaes.AESCBC(bytes(32)).decryptor(bytes(16)),
        lambda: cngaes.sha256(b"data").copy(),
        lambda: cngaes.AESGCM(bytes(32)).encrypt_many([bytes(12)], [b"x"]),
        lambda: cngaes.sha256_many([b"x"] * 9),
    ):
        failures = sum(fails_at(number, make, ())[0] for number in range(60))
        assert failures > 0
        print("made", failures)
"""


def test_every_allocation_fails_once() -> None:
    lines = run_python(PROGRAM, PYTHONPATH=os.pathsep.join(sys.path)).splitlines()
    counts = {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines}
    # What returns bytes allocates them; a few calls into a buffer allocate nothing at all.
    assert sum(count > 0 for count in counts.values()) > len(counts) / 2
