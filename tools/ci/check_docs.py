"""Checks on the documents: links lead somewhere, the README's commands are word for word.

With --run, every Python example of the README and docs/ is executed too (needs cngaes installed);
the blocks of one file share their names, in order.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from subprocess import run

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (
    'python -m pip install ".[bench]" && python -m cngaes bench',
    'python -m pip install ".[test]" && python -m pytest',
)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    """Find the Markdown files at the top, in docs/ and in the rooms."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    for room in ("bench", "cpp", "tests", "tools", "dotnet"):
        found += (ROOT / room).glob("**/*.md")
    return sorted(found)


def anchors(path: Path) -> set[str]:
    """Collect the names that the hosting service gives a document's headings."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    names = set()
    for heading in HEADING.findall(text):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        names.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return names


def link_faults(path: Path) -> list[str]:
    """Find relative links of one document that lead nowhere."""
    faults = []
    for target in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        other = (path.parent / name).resolve() if name else path
        if not other.exists():
            faults.append(f"{path.relative_to(ROOT)}: {target}: no such file")
        elif anchor and other.suffix == ".md" and anchor not in anchors(other):
            faults.append(f"{path.relative_to(ROOT)}: {target}: no such heading")
    return faults


def command_faults() -> list[str]:
    """Look for the two commands of the README, each on a line of its own."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    return [f"README.md: lacks the line: {text}" for text in COMMANDS if text not in lines]


def run_examples(path: Path) -> list[str]:
    """Execute the Python blocks of one document in a process and a folder of their own."""
    blocks = [
        body
        for language, body in FENCE.findall(path.read_text(encoding="utf-8"))
        if language == "python"
    ]
    if not blocks:
        return []
    with tempfile.TemporaryDirectory() as folder:
        done = run(
            [sys.executable, "-W", "error", "-"],
            input="\n".join(blocks),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    print(f"{path.relative_to(ROOT)}: {len(blocks)} Python blocks run")
    return [f"{path.relative_to(ROOT)}: {done.stderr.strip()}"] if done.returncode else []


def main() -> int:
    """Print every fault; 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", action="store_true", help="execute the Python examples as well")
    run_too = parser.parse_args().run
    faults = command_faults()
    for path in documents():
        faults += link_faults(path)
        if run_too:
            faults += run_examples(path)
    print("\n".join(faults) if faults else f"{len(documents())} documents, nothing found")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
