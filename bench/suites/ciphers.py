"""pyperf script: AES in CTR, CBC and ECB, both directions, into a reused buffer.

python bench/suites/ciphers.py --fast -o ciphers.json
python -m pyperf stats ciphers.json
"""

from __future__ import annotations

from cngaes_bench.script import main

if __name__ == "__main__":
    main(
        "ciphers",
        algorithms=("aes-256-ctr", "aes-256-cbc", "aes-256-ecb"),
        sizes=("1KiB", "1MiB"),
        paths=("cpu", "cryptography"),
        placements=("into",),
    )
