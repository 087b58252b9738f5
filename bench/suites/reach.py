"""How many times as fast as cryptography and hashlib: the table of the README, in one command.

    python bench/suites/reach.py --md reach.md

Not a pyperf script: pyperf gives every benchmark processes of its own, while these ratios come
from rounds in which both sides run in one process. The results (-o FILE.json) are for pyperf.
"""

from __future__ import annotations

import sys

from cngaes_bench.reach import main

if __name__ == "__main__":
    sys.exit(main())
