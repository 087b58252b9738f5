"""Large fresh outputs come in huge pages where the system gives them to those who ask."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import cngaes

THP = Path("/sys/kernel/mm/transparent_hugepage/enabled")
SIZE = 64 << 20
GIVEN = THP.exists() and ("[madvise]" in THP.read_text() or "[always]" in THP.read_text())


def faults() -> int:
    """Minor page faults of this process so far."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


@pytest.mark.skipif(sys.platform != "linux" or not GIVEN, reason="no transparent huge pages here")
@pytest.mark.parametrize("size", [SIZE, SIZE + 4099])
def test_a_large_result_takes_few_page_faults(size: int) -> None:
    data = bytearray(size)
    ctr = cngaes.AESCTR(bytes(16))
    before = faults()
    out = ctr.encrypt(bytes(16), data)
    taken = faults() - before
    assert len(out) == size
    assert ctr.decrypt(bytes(16), out) == data
    # 32 huge pages instead of 16,384 small ones; some may be small when memory is fragmented.
    assert taken < size // 4096 // 4


def test_results_around_the_threshold_are_right() -> None:
    ctr = cngaes.AESCTR(bytes(range(16)))
    for size in ((4 << 20) - 1, 4 << 20, (4 << 20) + 1, (6 << 20) - 33):
        data = bytes(size)
        out = ctr.encrypt(bytes(16), data)
        assert len(out) == size
        assert ctr.decrypt(bytes(16), out) == data
