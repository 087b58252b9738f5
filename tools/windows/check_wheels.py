"""Check every Windows wheel of a folder with check_pe.py: check_wheels.py FOLDER."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main(folder: str) -> int:
    """Run the check on each; 1 if one fails or there is no wheel at all."""
    wheels = sorted(Path(folder).glob("*.whl"))
    failed = not wheels
    for wheel in wheels:
        for machine in ("amd64", "arm64"):
            if wheel.stem.endswith(f"win_{machine}"):
                check = Path(__file__).with_name("check_pe.py")
                command = [sys.executable, str(check), str(wheel), "--machine", machine]
                failed |= subprocess.run(command).returncode != 0
    print(f"{len(wheels)} wheels")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
