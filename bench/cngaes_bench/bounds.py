"""How few cycles a byte can take on a CPU whose instructions have been timed.

An AES round or a step of SHA-256 cannot be had faster than the unit that makes it allows, whoever
writes the program. One message of CBC encryption or SHA-256 is a chain, bound by latency; all else
is bound by how many bytes go through the AES units in a clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cases import BLOCK, ENCRYPT, SHA256

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .cases import Case

_ROUNDS = {16: 10, 24: 12, 32: 14}
_SHA_STEPS, _SHA_BLOCK = 32, 64  # SHA256RNDS2 does two of FIPS 180-4's 64 rounds

# How the figures below were taken. A clock is one of a chain of dependent additions.
_TIMED = "instructions timed in chains and side by side against dependent additions on that CPU"


@dataclass(frozen=True, slots=True)
class Design:
    """A CPU design: clocks and bytes a clock of the instructions that decide."""

    name: str
    aes_latency: int  # of AESENC in its VEX form
    aes_bytes: int  # state that all AES units together take in a clock, at the best width
    sha_latency: int  # of SHA256RNDS2
    source: str


DESIGNS = {
    design.name: design
    for design in (
        Design("Zen 3", 4, 64, 4, f"{_TIMED}: VAESENC ymm two a clock, latency 4"),
        Design("Zen 4", 4, 64, 4, "as Zen 3; 512-bit code measured there is no faster a byte"),
        Design("Golden Cove", 3, 64, 4, f"{_TIMED}: VAESENC zmm one a clock, latency 3"),
    )
}


@dataclass(frozen=True, slots=True)
class Bound:
    """Cycles a byte that cannot be undercut, and why."""

    cycles: float
    why: str


def design_of(vendor: str, family: int, flags: Collection[str]) -> str:
    """Name the design of a CPU by what CPUID says; empty if it is none that was timed."""
    if vendor == "GenuineIntel" and "amx_tile" in flags and "vaes" in flags:
        return "Golden Cove"
    if vendor == "AuthenticAMD" and family == 25 and "vaes" in flags:
        return "Zen 4" if "avx512f" in flags else "Zen 3"
    return ""


def find_bound(machine: Mapping[str, str], case: Case) -> Bound | None:
    """Work out the bound of a case by one thread; None on a CPU that was not timed."""
    design = DESIGNS.get(machine.get("cpu_design", ""))
    if design is None:
        return None
    if case.mode == SHA256:
        cycles = _SHA_STEPS * design.sha_latency / _SHA_BLOCK
        return Bound(
            cycles, f"{_SHA_STEPS} SHA256RNDS2 of {design.sha_latency} clocks, {_SHA_BLOCK} bytes"
        )
    rounds = _ROUNDS[case.key_bytes]
    if case.mode == "cbc" and case.direction == ENCRYPT:
        why = f"a chain of {rounds} rounds of {design.aes_latency} clocks, {BLOCK} bytes"
        return Bound(rounds * design.aes_latency / BLOCK, why)
    why = f"{rounds} rounds, {design.aes_bytes} bytes of one a clock"
    if case.mode == "gcm":
        why += "; AES alone, without GHASH"
    return Bound(rounds / design.aes_bytes, why)


def bound_source(machine: Mapping[str, str]) -> str:
    """Say where the figures of this machine's design come from."""
    design = DESIGNS.get(machine.get("cpu_design", ""))
    if design is None:
        names = ", ".join(DESIGNS)
        return f"No bound: the instructions of this CPU have not been timed (known: {names})."
    return f"{design.name}: {design.source}."
