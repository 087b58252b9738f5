"""`cng-noop`: the `cng` backend over functions that compute nothing, on any system.

What it takes is what our side of a CNG call costs. Its output is no ciphertext, so it cannot stand
beside the other paths, which are checked against each other: `price` gives the figure alone.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

from .cpu import load


def price(loops: int = 200_000, rounds: int = 5, size: int = 16) -> dict[str, float]:
    """Nanoseconds of one GCM call over `size` bytes: in C++ alone, and from Python."""
    core: Any = load()._core
    key, nonce, data, buf = bytes(32), bytes(12), bytes(size), bytearray(size + 16)
    native = min(
        core._time_loop("gcm", "encrypt", key, nonce, data, buf, loops, False, "cng-noop")
        for _ in range(rounds)
    )
    encrypt_into = core._noop_aesgcm(key).encrypt_into
    python = []
    for _ in range(rounds):
        start = perf_counter_ns()
        for _ in range(loops):
            encrypt_into(nonce, data, None, buf)
        python.append(perf_counter_ns() - start)
    return {"native": native / loops, "python": min(python) / loops}


if __name__ == "__main__":
    print(", ".join(f"{name} {ns:.1f} ns" for name, ns in price().items()))
