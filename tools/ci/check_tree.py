"""Checks on the files of the repository that no linter makes.

No file above 500 lines (one subject a file), C++, Python and scripts in ASCII, no paths that exist
on one machine only, no ISA flags that would make a build depend on the machine it ran on.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 500
CODE = {".cpp", ".hpp", ".h", ".py", ".pyi", ".sh", ".cmake", ".txt", ".toml", ".cs", ".go", ".rs"}
LOCKS = {".lock", ".sum"}  # versions that a tool pins, as many as there are
PINNED = re.compile(r"^    --hash=sha256:", re.MULTILINE)  # pip's form of the same
# Test data keep the length and the form of their source.
DATA_FOLDERS = ("tests/data/", "cpp/tests/data/", "cpp/fuzz/corpus.txt")
# A home, a work or a scratch folder of one machine; system folders such as /usr are everybody's.
MACHINE_PATH = re.compile(r"(?<![\w.$}\]*)/-])/(?:home|root|work|Users|tmp)/\w[\w./+-]*")
# What is written for a shell or a document as an example of such a path is allowed here.
PATH_ALLOWED = re.compile(r"machine-path: allowed")
NATIVE = re.compile(r"-m(?:arch|tune|cpu)=native")


def repository_files() -> list[str]:
    """List tracked files and new ones that .gitignore does not name."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return sorted(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())


def faults_in(name: str) -> list[str]:
    """List everything wrong with one file, as `file:line: text`."""
    path = ROOT / name
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return [f"{name}: not UTF-8 text (binary files do not belong here)"]
    faults = []
    lines = text.splitlines()
    is_lock = path.suffix in LOCKS or PINNED.search(text)
    if len(lines) > MAX_LINES and not is_lock:
        faults.append(f"{name}: {len(lines)} lines, at most {MAX_LINES}: split it by subject")
    if text and not text.endswith("\n"):
        faults.append(f"{name}:{len(lines)}: no newline at the end")
    is_code = path.suffix in CODE or text.startswith("#!")
    for number, line in enumerate(lines, 1):
        where = f"{name}:{number}"
        if line != line.rstrip():
            faults.append(f"{where}: blanks at the end of the line")
        if is_code and not line.isascii():
            faults.append(f"{where}: not ASCII")
        found = MACHINE_PATH.search(line)
        if found and not PATH_ALLOWED.search(line):
            faults.append(f"{where}: path of one machine: {found.group()}")
        if NATIVE.search(line) and "tools/ci/" not in name and path.suffix != ".md":
            faults.append(f"{where}: {NATIVE.pattern} ties the build to this machine's CPU")
    return faults


def main() -> int:
    """Print every fault; 1 if there is one."""
    names = [name for name in repository_files() if not name.startswith(DATA_FOLDERS)]
    faults = [fault for name in names for fault in faults_in(name)]
    print("\n".join(faults) if faults else f"{len(names)} files, nothing found")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
