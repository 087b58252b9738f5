"""Looks into what `bench` wrote as out.json, out.md, out.csv and out.html, and `explain` said."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

# The four algorithms of the article, and the paths that every machine has.
ALGORITHMS = ("aes-128-cbc", "aes-256-cbc", "aes-256-gcm", "sha256")
PATHS = ("cpu", "cryptography", "pycryptodomex", "hashlib")
# Anything that a browser would fetch when the page is opened.
FETCHED = re.compile(
    r"""(?:src|href)\s*=\s*["']?(?:https?:)?//|@import|url\(\s*["']?https?:""", re.IGNORECASE
)


def main() -> int:
    """Print every fault; 1 if there is one."""
    folder = Path(sys.argv[1])
    suite = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    names = [
        bench.get("metadata", {}).get("name") or suite.get("metadata", {}).get("name", "")
        for bench in suite["benchmarks"]
    ]
    text = " ".join(names)
    faults = [
        f"out.json has no result for {word}" for word in (*ALGORITHMS, *PATHS) if word not in text
    ]
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if len(rows) < 2 or len({len(row) for row in rows}) != 1:
        faults.append("out.csv is not a table")
    if "|" not in (folder / "out.md").read_text(encoding="utf-8"):
        faults.append("out.md has no table")
    html = (folder / "out.html").read_text(encoding="utf-8")
    if "<html" not in html.lower():
        faults.append("out.html is not HTML")
    if found := FETCHED.search(html):
        faults.append(f"out.html is not self-contained: {found.group()}")
    explained = (folder / "explain.md").read_text(encoding="utf-8")
    faults += [
        f"explain.md has no {word!r}"
        for word in ("## Where the time goes", "## Hypotheses", "## Probes", "/cpu-ctypes/typical")
        if word not in explained
    ]
    print(f"   {len(names)} results, {len(rows)} CSV rows, {len(html):,} characters of HTML")
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
