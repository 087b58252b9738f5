"""Check the extension in a Windows wheel: check_pe.py WHEEL --machine amd64|arm64.

Machine type, what it imports, what it exports, and that the AES and SHA instructions are in it.
"""

from __future__ import annotations

import argparse
import struct
import sys
import zipfile
from pathlib import Path

MACHINES = {"amd64": 0x8664, "arm64": 0xAA64}
ALLOWED = (
    "python3",
    "kernel32",
    "api-ms-win-",
    "msvcrt",
    "ucrtbase",
    "vcruntime",
    "msvcp",
    "ntdll",
)


def u32(image: bytes, at: int) -> int:
    """Read a little-endian word."""
    return int.from_bytes(image[at : at + 4], "little")


class Image:
    """A 64-bit PE image."""

    def __init__(self, image: bytes) -> None:
        self.bytes = image
        self.pe = u32(image, 0x3C)
        self.machine, self.sections = struct.unpack_from("<HH", image, self.pe + 4)
        (optional,) = struct.unpack_from("<H", image, self.pe + 20)
        self.table = self.pe + 24 + optional

    def offset(self, address: int) -> int:
        """Find where an address of the loaded image stands in the file."""
        for i in range(self.sections):
            size, start, raw_size, raw = struct.unpack_from(
                "<4I", self.bytes, self.table + 40 * i + 8
            )
            if start <= address < start + max(size, raw_size):
                return int(address - start + raw)
        raise ValueError(f"address {address:#x} is in no section")

    def text(self, address: int) -> str:
        """Read a name."""
        start = self.offset(address)
        return self.bytes[start : self.bytes.index(b"\0", start)].decode("ascii")

    def imports(self) -> list[str]:
        """List the imported DLLs."""
        at = self.offset(u32(self.bytes, self.pe + 24 + 112 + 8))
        names = []
        while u32(self.bytes, at + 12):
            names.append(self.text(u32(self.bytes, at + 12)))
            at += 20
        return names

    def exports(self) -> list[str]:
        """List the exported names."""
        at = self.offset(u32(self.bytes, self.pe + 24 + 112))
        names = self.offset(u32(self.bytes, at + 32))
        return [self.text(u32(self.bytes, names + 4 * i)) for i in range(u32(self.bytes, at + 24))]

    def code(self) -> bytes:
        """Read the section .text."""
        for i in range(self.sections):
            at = self.table + 40 * i
            if self.bytes[at : at + 5] == b".text":
                size, raw = u32(self.bytes, at + 16), u32(self.bytes, at + 20)
                return self.bytes[raw : raw + size]
        raise ValueError("no .text")


def main() -> int:
    """Print what was found; 1 if something is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--machine", choices=MACHINES, required=True)
    given = parser.parse_args()
    with zipfile.ZipFile(given.wheel) as wheel:
        (name,) = [entry for entry in wheel.namelist() if entry.endswith(".pyd")]
        image = Image(wheel.read(name))
    faults = []
    if image.machine != MACHINES[given.machine]:
        faults.append(f"machine {image.machine:#x}, not {MACHINES[given.machine]:#x}")
    strange = [dll for dll in image.imports() if not dll.lower().startswith(ALLOWED)]
    if strange:
        faults.append(f"imports {', '.join(strange)}")
    # pybind11's exception classes must be the same in all modules, so clang exports them.
    exports = [
        name
        for name in image.exports()
        if not name.startswith("cngaes_") and not (name.startswith("_Z") and "pybind11" in name)
    ]
    # pybind11 marks its own entry point for export, too.
    if not {"PyInit__core"} <= set(exports) <= {"PyInit__core", "PyInit__core_module"}:
        faults.append(f"exports {', '.join(exports)}")
    print(f"   {name}: machine {image.machine:#x}, imports {', '.join(image.imports())}")
    if given.machine == "arm64":
        words = memoryview(image.code()[: len(image.code()) // 4 * 4]).cast("I")
        aese = sum(word & 0xFFFFFC00 == 0x4E284800 for word in words)
        sha256h = sum(word & 0xFFE0FC00 == 0x5E004000 for word in words)
        print(f"   AESE {aese}, SHA256H {sha256h}")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
