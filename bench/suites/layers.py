"""pyperf script: one call through every layer, from its loop in C++ to ctypes as people write it.

python bench/suites/layers.py --fast -o layers.json
python -m pyperf stats layers.json
"""

from __future__ import annotations

from cngaes_bench.script import main

if __name__ == "__main__":
    main(
        "layers",
        algorithms=("aes-256-gcm",),
        sizes=("1KiB", "1MiB"),
        paths=("kernel", "cpu", "cpu-ctypes", "cryptography", "openssl"),
        placements=("into", "new", "inplace", "typical"),
    )
