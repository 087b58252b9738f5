"""The fuzzer's corpus as one text, one input in hexadecimal digits a line.

    fuzz_corpus.py unpack FOLDER    writes a file for each input
    fuzz_corpus.py pack FOLDER      replaces the corpus by the files of a folder

Of many files `fuzz_core -merge=1 -set_cover_merge=1 NEW OLD...` keeps those that count.
"""

from __future__ import annotations

import sys
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[1] / "cpp" / "fuzz" / "corpus.txt"
# Longer ones take the tests of slow machines too long, and add least.
MOST_BYTES = 400


def unpack(folder: Path) -> int:
    """Write the inputs; how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = CORPUS.read_text().split()
    for number, line in enumerate(lines):
        (folder / f"{number:05}").write_bytes(bytes.fromhex(line))
    return len(lines)


def pack(folder: Path) -> int:
    """Keep the inputs of a folder, each once; how many there are."""
    inputs = {path.read_bytes() for path in folder.iterdir()}
    kept = sorted((i for i in inputs if 0 < len(i) <= MOST_BYTES), key=lambda i: (len(i), i))
    CORPUS.write_text("".join(f"{i.hex()}\n" for i in kept))
    return len(kept)


def main() -> int:
    """Do what the command line asks for."""
    actions = {"pack": pack, "unpack": unpack}
    if len(sys.argv) != 3 or sys.argv[1] not in actions:
        print(__doc__)
        return 2
    print(f"{actions[sys.argv[1]](Path(sys.argv[2]))} inputs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
