"""Say which crypto instructions the ARM64 objects or libraries really hold.

    python tools/arm64/instructions.py BUILD_FOLDER   # checks the objects of the kernel files
    python tools/arm64/instructions.py FILE...        # counts only

EOR3 outside the file that is compiled for it would be SIGILL on a CPU without SHA3; clang makes
EOR3 of ordinary exclusive-ors when it may. Instructions are recognised by their encoding, word by
word, in the executable sections of ELF and PE files.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Name: (mask, value), ARM DDI 0487, C4 "A64 instruction set encoding".
ENCODINGS = {
    "AESE": (0xFFFFFC00, 0x4E284800),
    "AESD": (0xFFFFFC00, 0x4E285800),
    "AESMC": (0xFFFFFC00, 0x4E286800),
    "AESIMC": (0xFFFFFC00, 0x4E287800),
    "PMULL": (0xFFE0FC00, 0x0EE0E000),
    "PMULL2": (0xFFE0FC00, 0x4EE0E000),
    "SHA256H": (0xFFE0FC00, 0x5E004000),
    "SHA256H2": (0xFFE0FC00, 0x5E005000),
    "EOR3": (0xFFE08000, 0xCE000000),
}
EXPECTED = {
    "aes_ce": {"AESE", "AESD", "AESMC", "AESIMC", "PMULL", "PMULL2"},
    "aes_eor3": {"AESE", "AESD", "AESMC", "AESIMC", "PMULL", "PMULL2", "EOR3"},
    "sha256_ce": {"SHA256H", "SHA256H2"},
}


def code_of(data: bytes) -> Iterator[bytes]:
    """Yield the executable sections."""
    if data[:4] == b"\x7fELF":
        (table,) = struct.unpack_from("<Q", data, 0x28)
        size, number = struct.unpack_from("<HH", data, 0x3A)
        for i in range(number):
            kind, flags, _, offset, length = struct.unpack_from(
                "<IQQQQ", data, table + size * i + 4
            )
            if kind != 8 and flags & 4:  # SHT_NOBITS; SHF_EXECINSTR
                yield data[offset : offset + length]
    elif data[:2] == b"MZ":
        (header,) = struct.unpack_from("<I", data, 0x3C)
        (number,) = struct.unpack_from("<H", data, header + 6)
        (optional,) = struct.unpack_from("<H", data, header + 20)
        for i in range(number):
            at = header + 24 + optional + 40 * i
            length, offset = struct.unpack_from("<II", data, at + 16)
            (flags,) = struct.unpack_from("<I", data, at + 36)
            if flags & 0x20000000:  # IMAGE_SCN_MEM_EXECUTE
                yield data[offset : offset + length]
    else:
        sys.exit("neither ELF nor PE")


def counts(data: bytes) -> dict[str, int]:
    """Count each instruction."""
    found = dict.fromkeys(ENCODINGS, 0)
    for code in code_of(data):
        for (word,) in struct.iter_unpack("<I", code[: len(code) // 4 * 4]):
            for name, (mask, value) in ENCODINGS.items():
                if word & mask == value:
                    found[name] += 1
    return {name: n for name, n in found.items() if n}


def check_objects(folder: Path) -> int:
    """Compare every object of the build with what its file may use."""
    seen = set()
    faults = 0
    for path in sorted(folder.rglob("*.o*")):
        if path.suffix not in {".o", ".obj"}:
            continue
        name = path.name.split(".")[0]
        expected = EXPECTED.get(name, set()) if "arm64" in path.parts else set()
        found = counts(path.read_bytes())
        if set(found) != expected:
            print(f"{path}: {found}, expected {sorted(expected)}")
            faults += 1
        seen.add(name)
    if missing := EXPECTED.keys() - seen:
        print(f"no object of {sorted(missing)} in {folder}")
        faults += 1
    print(f"{len(seen)} objects, {faults} faults")
    return 1 if faults else 0


def main() -> int:
    """Check a build folder or print the counts of files."""
    first = Path(sys.argv[1])
    if first.is_dir():
        return check_objects(first)
    for name in sys.argv[1:]:
        print(name, counts(Path(name).read_bytes()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
