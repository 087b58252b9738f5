"""Named sets of cases, shared by the command line and the pyperf scripts."""

from __future__ import annotations

from .cases import AES, SHA256, Case, UnknownNameError, cases
from .workload import PERL_ALGORITHM, PERL_TEXT

KIB, MIB = 1 << 10, 1 << 20
SIZES = (16, 256, KIB, 16 * KIB, MIB)
CALL_SIZES = (16, 64, 256, KIB)

SUITES: dict[str, tuple[Case, ...]] = {
    "aead": cases(("aes-128-gcm", "aes-256-gcm"), SIZES),
    "ciphers": cases([n for n in AES if "gcm" not in n and "192" not in n], SIZES),
    "hashes": cases((SHA256,), SIZES),
    # The Perl text's benchmark: a padded message of 52 bytes, object reused or made per call.
    "perl": (Case(PERL_ALGORITHM, "decrypt", len(PERL_TEXT)),),
    "calls": cases(("aes-256-gcm", "aes-256-cbc", "aes-256-ctr", SHA256), CALL_SIZES),
}


def find_suite(name: str) -> tuple[Case, ...]:
    """Give the cases of a suite."""
    if name not in SUITES:
        raise UnknownNameError("suite", name, SUITES)
    return SUITES[name]


def known_cases() -> tuple[str, ...]:
    """List algorithm/direction pairs: a size makes a case of each."""
    names = (case.name.rpartition("/")[0] for case in cases((*AES, SHA256), (KIB,)))
    return tuple(names)
