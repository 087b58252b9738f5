"""pyperf script: AES in CTR, CBC and ECB, both directions.

python bench/suites/ciphers.py --fast -o ciphers.json
python -m pyperf stats ciphers.json
"""

from __future__ import annotations

from cngaes_bench.script import main

if __name__ == "__main__":
    main("ciphers", sizes=("1KiB", "1MiB"), paths=("cpu", "cryptography"))
