"""Check what the workflows would do: the wheels of cibuildwheel, and the commands of the steps.

Runs in an environment with cibuildwheel: check_workflows.py, in the folder of the checkout.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PYTHONS = ("cp311", "cp312", "cp313", "cp314", "cp314t")
# Runner of GitHub: (platform, architecture, what its wheels are called).
RUNNERS = {
    "ubuntu-24.04": ("linux", "x86_64", ("manylinux_x86_64", "musllinux_x86_64")),
    "ubuntu-24.04-arm": ("linux", "aarch64", ("manylinux_aarch64", "musllinux_aarch64")),
    "windows-2022": ("windows", "AMD64", ("win_amd64",)),
    "windows-11-arm": ("windows", "ARM64", ("win_arm64",)),
    "macos-14": ("macos", "arm64", ("macosx_arm64",)),
    "macos-15-intel": ("macos", "x86_64", ("macosx_x86_64",)),
}
WORKFLOWS = Path(".github/workflows")


def identifiers(platform: str, architecture: str) -> set[str]:
    """Ask cibuildwheel what it would build."""
    command = [sys.executable, "-m", "cibuildwheel", "--platform", platform]
    command += ["--archs", architecture, "--print-build-identifiers"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return set(done.stdout.split())


def wheel_faults() -> list[str]:
    """Compare the matrix and its wheels with the promise."""
    text = (WORKFLOWS / "wheels.yml").read_text(encoding="utf-8")
    matrix = re.search(r"^ +os: \[(.*)\]$", text, re.MULTILINE)
    runners = set(re.split(", *", matrix[1])) if matrix else set()
    faults = [f"no wheels from {name}" for name in RUNNERS.keys() - runners]
    faults += [f"unknown runner {name}" for name in runners - RUNNERS.keys()]
    for name, (platform, architecture, tags) in RUNNERS.items():
        expected = {f"{python}-{tag}" for python in PYTHONS for tag in tags}
        found = identifiers(platform, architecture)
        faults += [f"{name}: {each} is not built" for each in sorted(expected - found)]
        faults += [f"{name}: {each} is built" for each in sorted(found - expected)]
        print(f"{name}: {' '.join(sorted(found))}")
    return faults


def step_faults() -> list[str]:
    """Say which commands name a file that is not there, or are more than one command."""
    faults = []
    for path in sorted(WORKFLOWS.glob("*.yml")):
        steps = re.findall(r"^ +- run: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        for step in steps:
            print(f"{path.name}: {step}")
            if step.strip() in ("|", ">", ""):
                faults.append(f"{path.name}: a step of several lines cannot be run by hand")
            files = re.findall(r"(?:\./)?tools/[\w./]+", step)
            faults += [f"{path.name}: there is no {f}" for f in files if not Path(f).is_file()]
        if not steps:
            faults.append(f"{path.name}: no steps")
    return faults


def main() -> int:
    """Print what was found; 1 if something is wrong."""
    faults = wheel_faults() + step_faults()
    print("".join(f"FAULT: {fault}\n" for fault in faults), end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
