"""pyperf script: what a call costs, with the key object reused and made per call.

python bench/suites/calls.py --fast -o calls.json
python -m pyperf stats calls.json
"""

from __future__ import annotations

from cngaes_bench.script import main

if __name__ == "__main__":
    main(
        "calls",
        algorithms=("aes-256-gcm", "sha256"),
        sizes=("16B",),
        paths=("kernel", "cpu", "cpu-ctypes", "cryptography", "hashlib"),
        keys=("reused", "per-call"),
    )
