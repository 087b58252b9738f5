"""A kernel that computes nonsense: the known answers at its first use catch it, the next one runs.

The fault is planted in the machine code of a copy of the package, so that nothing is pretended: an
instruction that only the best kernel has becomes another one that this CPU can execute, too.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import cngaes
from cngaes import _core
from cngaes.instructions import PATTERNS, _x86

if TYPE_CHECKING:
    from collections.abc import Iterator


class Plant(NamedTuple):
    """What spoils one kernel: a bit of an instruction, and the features of the better ones."""

    family: str
    kernel: str
    patterns: tuple[bytes, ...]
    byte: int
    bits: int
    mask: str


# AESENCLAST is AESENC but for a bit of the opcode; SHA256RNDS2 becomes SHA256MSG1, EOR3 becomes
# BCAX, AESE AESD, and SHA256H SHA256H2.
LAST = _x86(2, 0xDD)
PLANTS = [
    Plant("aes", "x86-vaes512", LAST["zmm"], -1, 0x01, ""),
    Plant("aes", "x86-vaes256", LAST["ymm"], -1, 0x01, "avx512"),
    Plant("aes", "x86-aesni", LAST["xmm"][:2], -1, 0x01, "vaes"),
    Plant("sha256", "x86-shani", (rb"\x0f\x38\xcb",), -1, 0x07, "avx512"),
    Plant("aes", "arm64-eor3", PATTERNS["arm64"]["EOR3"], 2, 0x20, ""),
    Plant("aes", "arm64-ce", PATTERNS["arm64"]["AESE"], 1, 0x10, "arm-sha3"),
    Plant("sha256", "arm64-ce", PATTERNS["arm64"]["SHA256H"], 1, 0x10, ""),
]
KEY, NONCE = bytes(range(32)), bytes(12)
# In a process of its own, which imports the copy.
PROGRAM = """
import json, sys
import cngaes
from cngaes import backends
key = cngaes.AESGCM(bytes(range(32)))
print(json.dumps({
    "file": cngaes.__file__,
    "aes": key.kernel,
    "sha256": cngaes.sha256().kernel,
    "sealed": key.encrypt(bytes(12), bytes(1000), None).hex(),
    "digest": cngaes.sha256_digest(bytes(1000)).hex(),
    "state": backends.self_test_state(),
}))
"""


def spoil(library: Path, plant: Plant) -> int:
    """Plant the fault; returns in how many places."""
    data = bytearray(library.read_bytes())
    words = 4 if "arm64" in plant.kernel else 1
    number = 0
    for pattern in plant.patterns:
        for match in re.finditer(pattern, bytes(data), re.DOTALL):
            if match.start() % words == 0:
                data[(match.end() if plant.byte < 0 else match.start()) + plant.byte] ^= plant.bits
                number += 1
    library.write_bytes(data)
    return number


COMPILED = [plant for plant in PLANTS if plant.kernel in cngaes.compiled_kernels()[plant.family]]


@pytest.fixture(params=COMPILED, ids=lambda plant: f"{plant.family}-{plant.kernel}")
def planted(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Plant, Path]]:
    """A copy of the package with a wrong kernel that would be the first choice."""
    plant: Plant = request.param
    if plant.kernel not in cngaes.supported_kernels()[plant.family]:
        pytest.skip(f"this CPU has no {plant.kernel}")
    folder = tmp_path / "cngaes"
    shutil.copytree(Path(cngaes.__file__).parent, folder, ignore=shutil.ignore_patterns("*.pyc"))
    assert spoil(folder / Path(_core.__file__).name, plant) >= 4
    yield plant, tmp_path
    shutil.rmtree(folder)


def run(folder: Path, mask: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    hidden = ",".join(filter(None, (os.environ.get("CNGAES_CPU_MASK", ""), mask)))
    if hidden:
        environment["CNGAES_CPU_MASK"] = hidden
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, timeout=120
    )


def test_wrong_kernel_is_caught(planted: tuple[Plant, Path]) -> None:
    plant, folder = planted
    best = json.loads(run(folder, plant.mask, "-m", "cngaes", "info", "--json").stdout)
    order = best["supported_kernels"][plant.family]
    assert order[0] == plant.kernel, "the plant's mask hides the wrong kernels"

    done = run(folder, plant.mask, "-c", PROGRAM)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert Path(said["file"]).is_relative_to(folder)
    # The next kernel, its right bytes, and a trace of the failure for whoever asks.
    assert said[plant.family] == order[1]
    assert said["sealed"] == cngaes.AESGCM(KEY).encrypt(NONCE, bytes(1000), None).hex()
    assert said["digest"] == hashlib.sha256(bytes(1000)).hexdigest()
    failed = [name for name, state in said["state"].items() if state == "failed"]
    assert failed == [f"{plant.family}/{plant.kernel}"]

    tested = run(folder, plant.mask, "-m", "cngaes", "selftest")
    assert tested.returncode == 1
    assert f"{failed[0]}: failed" in tested.stdout


def test_wrong_kernel_cannot_be_forced(planted: tuple[Plant, Path]) -> None:
    plant, folder = planted
    program = f"""
import os
os.environ["CNGAES_KERNEL"] = "{plant.family}={plant.kernel}"
import cngaes
try:
    cngaes.AESGCM(bytes(32)) if "{plant.family}" == "aes" else cngaes.sha256()
except RuntimeError as error:
    print(error)
"""
    done = run(folder, plant.mask, "-c", program)
    assert (done.returncode, done.stderr) == (0, "")
    assert "known-answer test" in done.stdout
