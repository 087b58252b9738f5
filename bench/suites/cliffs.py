"""Every size from 0 to 4,096 bytes, every mode: cliffs as a table, the curves as a picture.

    python bench/suites/cliffs.py --md cliffs.md --svg cliffs.svg

Not a pyperf script: 30,000 sizes and modes in shuffled rounds take two minutes together.
"""

from __future__ import annotations

import sys

from cngaes_bench.cliffs import main

if __name__ == "__main__":
    sys.exit(main())
