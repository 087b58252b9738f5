"""Named sets of cases, shared by the command line and the pyperf scripts."""

from __future__ import annotations

from .cases import AES, SHA256, Case, UnknownNameError, cases
from .workload import PERL_ALGORITHM, PERL_TEXT

KIB, MIB = 1 << 10, 1 << 20
SIZES = (16, 256, KIB, 16 * KIB, MIB)
LAYER_SIZES = (
    16,
    256,
    KIB,
    4 * KIB,
    16 * KIB,
    64 * KIB,
    256 * KIB,
    MIB,
    4 * MIB,
    16 * MIB,
    64 * MIB,
)
CALL_SIZES = (16, 64, 256, KIB)

SUITES: dict[str, tuple[Case, ...]] = {
    "aead": cases(("aes-128-gcm", "aes-256-gcm"), SIZES),
    "ciphers": cases([n for n in AES if "gcm" not in n and "192" not in n], SIZES),
    "hashes": cases((SHA256,), SIZES),
    # The Perl text's benchmark: a padded message of 52 bytes, object reused or made per call.
    "perl": (Case(PERL_ALGORITHM, "decrypt", len(PERL_TEXT)),),
    # One call from 16 bytes to what no cache holds: for fits, with their breaks and crossovers.
    "layers": cases(("aes-256-gcm", SHA256), LAYER_SIZES),
    # The key-length ratio is stated only when several runs repeat it: use --runs 3.
    "keys": cases([n for n in AES if n.endswith(("cbc", "gcm"))], (MIB,)),
    # 1 KiB a hundred thousand times: what a hundred thousand calls take stands in the report.
    "small": cases(("aes-256-gcm", "aes-256-cbc", "aes-256-ctr", SHA256), (KIB,)),
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
