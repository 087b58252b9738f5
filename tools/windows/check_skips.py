"""Count why tests were skipped under Wine: check_skips.py LOG. An unknown reason is a fault.

The log is that of `pytest -ra`. What a test may say: a limit of CNG, which every machine has; a
fault of Wine; something that Windows does not have.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

REASONS = {
    "limit of CNG": (
        "nonce must be 12 bytes for CNG",
        "tag_length must be 12 to 16 bytes for CNG",
        "CNG has no reliable GCM in pieces",
    ),
    "Wine lacks it": (
        "this bcrypt.dll has no AES-192-GCM",
        "numpy ends the process under Wine 8",
        "Wine counts no page faults",
        "Wine's pipes cost more",
        "Wine's files cost more",
        "symlinks cannot be made here",
        "AES-192-ECB ends the process under Wine on ARM64",
    ),
    "not on Windows": (
        "for other systems",
        "needs mprotect",
        "no transparent huge pages here",
        "signals of POSIX",
        "counts threads in /proc",
        "needs /proc",
        "needs os.fork",
        "needs fork",
        "needs POSIX signals, limits or links",
        "needs coreutils",
        "as Linux describes it",
        "no C compiler",
        "cannot be reserved by mmap there",
        "is available here",
    ),
}


def kind_of(reason: str) -> str:
    """Say which kind a reason is; empty if it is none."""
    for kind, words in REASONS.items():
        if any(word in reason for word in words):
            return kind
    return ""


def main(path: str) -> int:
    """Print each reason with its number; 1 if one is unknown, a test failed or none ran."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    summary = re.findall(r"^=* ?\d.* in [\d.:]+s.*$", text, re.MULTILINE)
    skips: Counter[str] = Counter()
    for number, reason in re.findall(r"^SKIPPED \[(\d+)\] \S+ (.*)$", text, re.MULTILINE):
        skips[re.sub(r"\s+", " ", reason)] += int(number)
    unknown = 0
    for reason, number in sorted(skips.items()):
        kind = kind_of(reason)
        unknown += not kind
        print(f"   skipped {number:4}, {kind or 'UNKNOWN REASON'}: {reason}")
    print(f"   {summary[-1].strip('= ') if summary else 'no summary of pytest'}")
    good = bool(summary) and "passed" in summary[-1] and not re.search("fail|error", summary[-1])
    return 1 if unknown or not good else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
