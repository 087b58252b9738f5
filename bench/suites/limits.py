"""Kernels against the bounds of this CPU and against the C libraries found here, in one process.

    python bench/suites/limits.py --md limits.md -o limits.json

Peers: the system's libcrypto and libIPSec_MB, and those in the folder $CNGAES_PEER_LIBRARIES, which
tools/limits_peers.sh fills. Needs a C compiler for the timed loop. Not a pyperf script, for the
same reason as reach.py.
"""

from __future__ import annotations

import sys

from cngaes_bench.limits import main

if __name__ == "__main__":
    sys.exit(main())
