"""pyperf script: AES-GCM in both directions.

python bench/suites/aead.py --fast -o aead.json
python -m pyperf stats aead.json
"""

from __future__ import annotations

from cngaes_bench.script import main

if __name__ == "__main__":
    main(
        "aead",
        algorithms=("aes-256-gcm",),
        sizes=("16B", "1KiB", "1MiB"),
        paths=("cpu", "cryptography"),
    )
