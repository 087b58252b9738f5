"""How much of the long series is tested: CNGAES_TEST_SCALE, in percent, as in the C++ tests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
SCALE = min(100, int(os.environ.get("CNGAES_TEST_SCALE", "100")))
# Odd, so that lengths keep going through every position in a block.
STRIDE = max(1, 100 // SCALE | 1) if SCALE < 100 else 1


def scaled(series: Sequence[T]) -> tuple[T, ...]:
    """Thin out a series evenly; under emulation the whole one takes an hour."""
    return tuple(series[::STRIDE])
