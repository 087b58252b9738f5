"""Explanations that people give for a slow path, each as a function that data can turn down.

A new one is a function in a file here, and its line in `HYPOTHESES`.
"""

from __future__ import annotations

from .buffers import buffer_passes, minimum_hides_faults
from .calls import ctypes_large, ctypes_small, key_schedule
from .cpu import clock_drop, emulation, key_length
from .dotnet import DOTNET_HYPOTHESES
from .threads import gil, hidden_threads

HYPOTHESES = (
    buffer_passes,
    ctypes_large,
    ctypes_small,
    key_schedule,
    key_length,
    minimum_hides_faults,
    gil,
    hidden_threads,
    clock_drop,
    emulation,
    *DOTNET_HYPOTHESES,
)
