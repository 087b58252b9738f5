"""What no code can beat on this CPU, from instruction rates that are measured here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cases import DECRYPT, ENCRYPT, HASH
from .paths.cpu import load

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Mapping, Sequence

_CLOCK_ADDS = 200_000
_PROBE_INSTRUCTIONS = 32


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of work."""

    mode: str
    direction: str
    bits: int = 0
    streams: int = 1

    @property
    def title(self) -> str:
        """Name of the line in the table."""
        if self.mode == "sha256":
            name = "SHA-256"
        else:
            name = f"AES-{self.bits}-{self.mode.upper()} {self.direction}"
        return f"{name}, {self.streams} streams" if self.streams > 1 else name


ROWS = (
    *(
        Row(mode, direction, bits)
        for mode in ("gcm", "ctr", "ecb", "cbc")
        for bits in (128, 256)
        for direction in (ENCRYPT, DECRYPT)
    ),
    *(Row("cbc", ENCRYPT, bits, streams) for streams in (8, 16) for bits in (128, 256)),
    *(Row("sha256", HASH, 0, streams) for streams in (1, 2, 3, 8, 16)),
)
_PROBES = {
    "aesenc": {"aes"},
    "aesenc-latency": {"aes"},
    "vaesenc-ymm": {"vaes", "avx2"},
    "vaesenc-zmm": {"vaes", "avx512"},
    "pclmulqdq": {"pclmulqdq"},
    "vpclmulqdq-ymm": {"vpclmulqdq", "avx2"},
    "vpclmulqdq-zmm": {"vpclmulqdq", "avx512"},
    "sha256rnds2": {"sha_ni"},
    "sha256rnds2-latency": {"sha_ni"},
    "sha256msg1": {"sha_ni"},
    "sha256msg2": {"sha_ni"},
    "sha-block": {"sha_ni"},
    "vprord-zmm": {"avx512"},
    "vpaddd-zmm": {"avx512"},
}


def measure_clock() -> float:
    """Nanoseconds of one clock, by a loop of dependent adds."""
    clock = load()._core._clock_loop
    return float(min(clock(_CLOCK_ADDS) for _ in range(5))) / _CLOCK_ADDS


def probe(loop: ctypes.CDLL, features: Sequence[str]) -> dict[str, float]:
    """Clocks of one instruction (of a whole block for sha-block), the least of many runs."""
    rates = {}
    turns = 4000
    for name, needs in _PROBES.items():
        if not needs <= set(features):
            continue
        runs = [loop.probe_run(name.encode(), turns) for _ in range(25)]
        if min(runs) < 0:
            continue
        clocks = min(runs) / measure_clock() / turns
        rates[name] = clocks if name == "sha-block" else clocks / _PROBE_INSTRUCTIONS
    return rates


def bound(row: Row, rates: Mapping[str, float]) -> float | None:
    """Clocks a byte that no code can beat on this CPU, or None when no probe ran.

    AES: its rounds, the last one included, at the best rate of any width, or in a chain.
    GCM: the same, or three carry-less multiplications a block, whichever is more; both units are
    not proven to be apart, so the true bound may lie higher. SHA-256: 32 instructions of two
    rounds each in a chain; side by side, the rounds and the schedule by the SHA extensions, or
    1,616 operations on sixteen messages in 512-bit registers, 672 of them rotations and shifts.
    """
    if row.mode == "sha256":
        if row.streams == 1:
            latency = rates.get("sha256rnds2-latency")
            return latency and 32 * latency / 64
        ways = [rates["sha-block"] / 64] if "sha-block" in rates else []
        if row.streams >= 16 and "vprord-zmm" in rates:
            clocks = max(672 * rates["vprord-zmm"], 1616 * rates["vpaddd-zmm"])
            ways.append(clocks / (16 * 64))
        return min(ways, default=None)
    rounds = row.bits // 32 + 6
    if row.mode == "cbc" and row.direction == ENCRYPT and row.streams == 1:
        latency = rates.get("aesenc-latency")
        return latency and rounds * latency / 16
    aes = _best(rates, ("aesenc", "vaesenc-ymm", "vaesenc-zmm"))
    if aes is None:
        return None
    if row.mode != "gcm":
        return rounds * aes
    multiply = _best(rates, ("pclmulqdq", "vpclmulqdq-ymm", "vpclmulqdq-zmm"))
    return None if multiply is None else max(rounds * aes, 3 * multiply)


def _best(rates: Mapping[str, float], names: Sequence[str]) -> float | None:
    """Clocks a byte at the best width."""
    widths = zip(names, (16, 32, 64), strict=True)
    return min((rates[name] / width for name, width in widths if name in rates), default=None)
