"""Batches and threads= against loops and processes: the tables of docs/many.md, in one command.

    python bench/suites/many.py --md many.md

Not a pyperf script: see reach.py.
"""

from __future__ import annotations

import sys

from cngaes_bench.many import main

if __name__ == "__main__":
    sys.exit(main())
