"""Has a peer do every case it offers and compares whole outputs with the suite's fingerprints.

    tools/dotnet/check_peer.py [--paths dotnet,...] [--sizes 16B,...] -- PROGRAM --peer --warm-up no

Every algorithm and direction, every size, every placement, the key object reused and made per call,
one thread and two: prepare, a run of three calls, verify. And an unknown request is answered by an
error.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from cngaes_bench.cases import ALGORITHMS, Case, directions, parse_size
from cngaes_bench.cells import KEYS, PLACEMENTS, Cell
from cngaes_bench.paths.base import PathDiedError, UnsupportedError
from cngaes_bench.peers.path import Peer
from cngaes_bench.peers.process import PeerError, PeerProcess
from cngaes_bench.workload import Workload

# Around the groups of eight blocks of C#'s own GCM and CTR, and one of the article's sizes.
# A fingerprint wants 16 bytes of output.
_SIZES = "16B,17B,52B,127B,128B,129B,255B,256B,1000B,4095B,1MiB"


def cells(path: str, sizes: list[int]) -> list[Cell]:
    """List all ways to ask a path for all cases."""
    return [
        Cell(case, path, placement, key, threads)
        for algorithm in ALGORITHMS
        for direction in directions(algorithm)
        for size in sizes
        for case in _case(algorithm, direction, size)
        for placement in PLACEMENTS
        for key in KEYS
        for threads in (1, 2)
        if threads == 1 or size == sizes[-1]
    ]


def _case(algorithm: str, direction: str, size: int) -> list[Case]:
    try:
        return [Case(algorithm, direction, size)]
    except ValueError:
        return []  # a length that the mode does not have


def main() -> int:
    """Ask for everything; report what was right, and stop at the first wrong thing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paths", default="")
    parser.add_argument("--sizes", default=_SIZES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    sizes = [parse_size(text) for text in options.sizes.split(",")]
    workload, right, refused = Workload(), Counter[str](), Counter[str]()
    process = PeerProcess("peer", options.command)
    try:
        peer = Peer(process)
        peer.greet()
        hellos = peer.hello()
        print("paths:", *(f"{hello.name} {hello.version}" for hello in hellos.values()))
        wanted = options.paths.split(",") if options.paths else list(hellos)
        for path in wanted:
            for cell in cells(path, sizes):
                if cell.threads > options.threads:
                    continue
                try:
                    found = peer.select(cell).fingerprint
                except UnsupportedError:
                    refused[path] += 1
                    continue
                except (PeerError, PathDiedError) as error:
                    print(f"{cell.name}: {error}", file=sys.stderr)
                    return 1
                peer.run(cell, 3)
                expected = workload.expected(cell.case).fingerprint
                for fingerprint in (found, peer.verify(cell)):
                    if why := fingerprint.difference(expected):
                        print(f"{cell.name}: {why}", file=sys.stderr)
                        return 1
                right[path] += 1
        try:
            process.ask({"dance": 1}, 30)
        except PeerError:
            pass
        else:
            print("an unknown request was not answered by an error", file=sys.stderr)
            return 1
    finally:
        process.close()
    for path in wanted:
        print(f"{path}: {right[path]} cells right, {refused[path]} that it does not have")
    return 0 if all(right[path] for path in wanted) else 1


if __name__ == "__main__":
    sys.exit(main())
