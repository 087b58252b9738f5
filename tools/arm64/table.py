"""Make the tables of docs/arm64.md from model.json and peers.json; predicted, never measured.

    python tools/arm64/table.py write   # put them into the document
    python tools/arm64/table.py check   # the document has them as the figures say

The figures come from model.py and peers.py.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs/arm64.md"
MODELS = ("oryon-1", "neoverse-v2")
COMPILER = "clang"
OURS = (
    "GCM-256 encrypt",
    "GCM-256 decrypt",
    "CTR-256",
    "CBC-256 decrypt",
    "CBC-256 encrypt",
    "ECB-256 encrypt",
    "SHA-256",
    "SHA-256, two streams",
)
# With both sides' best kernel for a CPU that has EOR3, and for one that does not.
CPUS = {"with EOR3": "arm64-eor3", "without": "arm64-ce"}
# Nearer than this the models do not tell kernels apart: their own rounding.
TIE = 0.01
Row = dict[str, float]


def figures(row: Row) -> str:
    """Print the cycles per byte of both models, pairs joined."""
    return " / ".join(f"{row[f'{model} fused']:.3f}" for model in MODELS)


def verdict(ours: Row, theirs: Row) -> str:
    """Say in each model whether ours beats, ties or trails theirs, and by how much."""
    said = []
    for model in MODELS:
        gain = 1 - ours[f"{model} fused"] / theirs[f"{model} fused"]
        word = "ties" if abs(gain) < TIE else "beats" if gain > 0 else "trails"
        said.append(word if word == "ties" else f"{word} {abs(gain):.0%}".replace("%", " %"))
    return said[0] if said[0] == said[1] else " / ".join(said)


def own_table(table: dict[str, Row]) -> list[str]:
    """List every loop of each kernel."""
    lines = [
        "| loop | kernel | instructions per byte | cycles per byte, Oryon / Neoverse V2 |",
        "|---|---|---|---|",
    ]
    for loop in OURS:
        for kernel in CPUS.values():
            if row := table.get(f"{kernel}: {loop}"):
                cells = (loop, f"`{kernel}`", f"{row['instructions']:.3f}", figures(row))
                lines.append("| " + " | ".join(cells) + " |")
    return lines


def beside_others(table: dict[str, Row], peers: dict[str, dict[str, Row]]) -> list[str]:
    """Compare each loop with the kernel that every library has for the same CPU."""
    lines = [
        "| loop | CPU | ours | " + " | ".join(f"{name} | ours against it" for name in peers) + " |",
        "|---|---|---|" + "---|---|" * len(peers),
    ]
    for loop in OURS:
        rows: dict[tuple[str, ...], str] = {}  # the same on both CPUs: one line
        for cpu, kernel in CPUS.items():
            ours = table.get(f"{kernel}: {loop}") or table[f"arm64-ce: {loop}"]
            cells = []
            for loops in peers.values():
                theirs = loops.get(f"{loop}, EOR3") if cpu == "with EOR3" else None
                theirs = theirs or loops.get(loop)
                cells += [figures(theirs), verdict(ours, theirs)] if theirs else ["", ""]
            row = (figures(ours), *cells)
            if any(cells):
                rows[row] = "any" if row in rows else cpu
        lines += ["| " + " | ".join((loop, cpu, *row)) + " |" for row, cpu in rows.items()]
    return lines


def main() -> int:
    """Write the tables into the document, or compare."""
    model = json.loads((HERE / "model.json").read_text())
    committed = model["compilers"]
    name = next(key for key in committed if key.startswith(COMPILER))
    others = json.loads((HERE / "peers.json").read_text())
    sources = [f"{k} {v['commit'][:8]}, {v['compiler']}" for k, v in others.items()]
    tables = {
        "own": [f"{name} -O3, {model['model']}:", "", *own_table(committed[name])],
        "others": [
            f"Ours by {name} -O3; {'; '.join(sources)}. Cycles per byte, Oryon / Neoverse V2:",
            "",
            *beside_others(committed[name], {k: v["loops"] for k, v in others.items()}),
        ],
    }
    text = old = DOCUMENT.read_text()
    for mark, lines in tables.items():
        pattern = re.compile(rf"(<!-- table.py: {mark} -->\n).*?(<!-- end -->)", re.DOTALL)
        # A backslash would be a group's number.
        body = "\n".join(lines).replace("\\", "\\\\")
        text, count = pattern.subn(rf"\g<1>{body}\n\n\g<2>", text)
        assert count == 1, f"{DOCUMENT.name} has no place for the table {mark!r}"
    if sys.argv[1:] == ["write"]:
        DOCUMENT.write_text(text)
    elif text != old:
        print("docs/arm64.md is not what model.json and peers.json say: table.py write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
