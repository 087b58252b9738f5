"""pyperf script: SHA-256.

python bench/suites/hashes.py --fast -o hashes.json
python -m pyperf stats hashes.json
"""

from __future__ import annotations

from cngaes_bench.script import main

if __name__ == "__main__":
    main(
        "hashes",
        algorithms=("sha256",),
        sizes=("16B", "1KiB", "1MiB"),
        paths=("cpu", "hashlib"),
    )
