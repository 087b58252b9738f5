"""Check which crypto instructions the objects of an ARM64 build hold.

    python tools/arm64/instructions.py BUILD_FOLDER

EOR3 outside the file that is compiled for it would be SIGILL on a CPU without SHA3; clang makes
EOR3 of ordinary exclusive-ors when it may.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

EXPECTED = {
    "aes_ce": {"AESE", "AESD", "AESMC", "AESIMC", "PMULL", "PMULL2"},
    "aes_eor3": {"AESE", "AESD", "AESMC", "AESIMC", "PMULL", "PMULL2", "EOR3"},
    "sha256_ce": {"SHA256H", "SHA256H2"},
}


def scanner() -> ModuleType:
    """Load the package's scanner as a file: the package need not be built for this machine."""
    file = Path(__file__).resolve().parents[2] / "src/cngaes/instructions.py"
    spec = importlib.util.spec_from_file_location("instructions", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_objects(folder: Path) -> int:
    """Compare every object of the build with what its file may use."""
    count_instructions = scanner().count_instructions
    seen = set()
    faults = 0
    for path in sorted(folder.rglob("*.o*")):
        if path.suffix not in {".o", ".obj"}:
            continue
        name = path.name.split(".")[0]
        expected = EXPECTED.get(name, set()) if "arm64" in path.parts else set()
        found = count_instructions(path.read_bytes(), least=1)
        if set(found) != expected:
            print(f"{path}: {found}, expected {sorted(expected)}")
            faults += 1
        seen.add(name)
    if missing := EXPECTED.keys() - seen:
        print(f"no object of {sorted(missing)} in {folder}")
        faults += 1
    print(f"{len(seen)} objects, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(check_objects(Path(sys.argv[1])))
