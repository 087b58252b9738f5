"""Check the extension in a Windows wheel: check_pe.py WHEEL --machine amd64|arm64.

Machine type, what it imports, what it exports, and that the instructions of every kernel are in
it: a compiler that ignores a file's flags, or a file left out, gives a wheel that works slowly.
"""

from __future__ import annotations

import argparse
import re
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

# ARM64 instructions are words: (value, mask).
WORDS = {
    "AESE": (0x4E284800, 0xFFFFFC00),
    "AESD": (0x4E285800, 0xFFFFFC00),
    "AESMC": (0x4E286800, 0xFFFFFC00),
    "AESIMC": (0x4E287800, 0xFFFFFC00),
    "PMULL": (0x0EE0E000, 0xFFE0FC00),
    "PMULL2": (0x4EE0E000, 0xFFE0FC00),
    "SHA256H": (0x5E004000, 0xFFE0FC00),
    "SHA256H2": (0x5E005000, 0xFFE0FC00),
    "SHA256SU0": (0x5E282800, 0xFFFFFC00),
    "SHA256SU1": (0x5E006000, 0xFFE0FC00),
    "EOR3": (0xCE000000, 0xFFE08000),
}


def _bytes(mask: int, value: int) -> bytes:
    """Pattern of one byte of which only the bits of `mask` are given."""
    fitting = bytes(byte for byte in range(256) if byte & mask == value)
    return b"[" + re.escape(fitting) + b"]"


def _vector(opcode: int, table: int) -> bytes:
    """Pattern of an instruction with prefix 66 in opcode map 0F38 (2) or 0F3A (3), VEX.256."""
    return rb"\xc4" + _bytes(0x1F, table) + _bytes(0x07, 0x05) + re.escape(bytes([opcode]))


def _vector512(opcode: int, table: int) -> bytes:
    """Pattern of the same with EVEX.512."""
    prefix = rb"\x62" + _bytes(0x0F, table) + _bytes(0x07, 0x05) + _bytes(0x60, 0x40)
    return prefix + re.escape(bytes([opcode]))


# x64 instructions are bytes without borders: a pattern can be there by chance, but not this often.
PATTERNS = {
    "AESENC": rb"\x66[\x40-\x4f]?\x0f\x38\xdc",
    "AESDEC": rb"\x66[\x40-\x4f]?\x0f\x38\xde",
    "PCLMULQDQ": rb"\x66[\x40-\x4f]?\x0f\x3a\x44",
    "SHA256RNDS2": rb"\x0f\x38\xcb",
    "SHA256MSG1": rb"\x0f\x38\xcc",
    "SHA256MSG2": rb"\x0f\x38\xcd",
    "VAESENC ymm": _vector(0xDC, 2),
    "VAESDEC ymm": _vector(0xDE, 2),
    "VPCLMULQDQ ymm": _vector(0x44, 3),
    "VAESENC zmm": _vector512(0xDC, 2),
    "VAESDEC zmm": _vector512(0xDE, 2),
    "VPCLMULQDQ zmm": _vector512(0x44, 3),
}
FEWEST = 4


def count_instructions(code: bytes, machine: str) -> dict[str, int]:
    """Count the instructions that the kernels for a machine are made of."""
    if machine == "amd64":
        return {name: len(re.findall(p, code, re.DOTALL)) for name, p in PATTERNS.items()}
    words = memoryview(code[: len(code) // 4 * 4]).cast("I")
    counts = dict.fromkeys(WORDS, 0)
    for word in words:
        for name, (value, mask) in WORDS.items():
            counts[name] += word & mask == value
    return counts


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
    counts = count_instructions(image.code(), given.machine)
    print("   " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    faults += [f"{name}: {count} times" for name, count in counts.items() if count < FEWEST]
    print("".join(f"FAULT: {fault}\n" for fault in faults), end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
