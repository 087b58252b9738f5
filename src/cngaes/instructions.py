"""Which cryptographic instructions a library holds: its file is read, nothing is run.

    python -m cngaes.instructions FILE...

Instructions are recognised by their encodings in the executable sections of ELF, PE and Mach-O
files for x86 and ARM64. That an instruction is in a library does not say that this CPU runs it.
"""

from __future__ import annotations

import functools
import re
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

# Fewer finds may be chance: x86 code is searched byte by byte, the shortest patterns have 24 fixed
# bits, and constants may stand between functions. Every kernel has more (unrolled rounds).
LEAST = 4


class Code(NamedTuple):
    """One executable section: the architecture it is for ("" if not one of ours) and its bytes."""

    architecture: str
    data: bytes


def _bytes(mask: int, value: int) -> bytes:
    """Make the class of all bytes b with b & mask == value."""
    members = (b"\\x%02x" % b for b in range(256) if b & mask == value)
    return b"[" + b"".join(members) + b"]"


def _a64(mask: int, value: int) -> tuple[bytes, ...]:
    """Make the pattern of a word, ARM DDI 0487, C4 "A64 instruction set encoding"."""
    return (b"".join(_bytes(mask >> at & 255, value >> at & 255) for at in (0, 8, 16, 24)),)


def _x86(opcode_map: int, opcode: int) -> dict[str, tuple[bytes, ...]]:
    """Make the patterns of each width of an instruction with the prefix 66.

    Intel SDM volume 2, sections 2.1 to 2.7: the second byte of VEX and EVEX has the opcode map;
    then come L (VEX) or L'L (EVEX, where no mask and no broadcast is set) and the prefix.
    """
    escape = {2: b"\x0f\x38", 3: b"\x0f\x3a"}[opcode_map]
    last = b"\\x%02x" % opcode
    vex = b"\xc4" + _bytes(0x1F, opcode_map)
    evex = b"\x62" + _bytes(0x0F, opcode_map) + _bytes(0x07, 0x05)
    return {
        "xmm": (
            *(b"\x66" + escape + last, b"\x66[\x40-\x4f]" + escape + last),
            *(vex + _bytes(0x07, 0x01) + last, evex + _bytes(0xF7, 0x00) + last),
        ),
        "ymm": (vex + _bytes(0x07, 0x05) + last, evex + _bytes(0xF7, 0x20) + last),
        "zmm": (evex + _bytes(0xF7, 0x40) + last,),
    }


# The patterns of each instruction: one for each form, since an alternation is searched slowly.
PATTERNS: dict[str, dict[str, tuple[bytes, ...]]] = {
    "arm64": {
        "AESE": _a64(0xFFFFFC00, 0x4E284800),
        "AESD": _a64(0xFFFFFC00, 0x4E285800),
        "AESMC": _a64(0xFFFFFC00, 0x4E286800),
        "AESIMC": _a64(0xFFFFFC00, 0x4E287800),
        "PMULL": _a64(0xFFE0FC00, 0x0EE0E000),
        "PMULL2": _a64(0xFFE0FC00, 0x4EE0E000),
        "SHA256H": _a64(0xFFE0FC00, 0x5E004000),
        "SHA256H2": _a64(0xFFE0FC00, 0x5E005000),
        "EOR3": _a64(0xFFE08000, 0xCE000000),
    },
    "x86": {
        "AESENC": _x86(2, 0xDC)["xmm"],
        "AESDEC": _x86(2, 0xDE)["xmm"],
        "PCLMULQDQ": _x86(3, 0x44)["xmm"],
        "SHA256RNDS2": (b"\x0f\x38\xcb",),
        "VAESENC ymm": _x86(2, 0xDC)["ymm"],
        "VAESDEC ymm": _x86(2, 0xDE)["ymm"],
        "VPCLMULQDQ ymm": _x86(3, 0x44)["ymm"],
        "VAESENC zmm": _x86(2, 0xDC)["zmm"],
        "VAESDEC zmm": _x86(2, 0xDE)["zmm"],
        "VPCLMULQDQ zmm": _x86(3, 0x44)["zmm"],
    },
}


@functools.cache
def _compiled(architecture: str) -> list[tuple[str, re.Pattern[bytes]]]:
    forms = PATTERNS.get(architecture, {}).items()
    return [(name, re.compile(form, re.DOTALL)) for name, patterns in forms for form in patterns]


def _elf(data: bytes) -> Iterator[Code]:
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    (machine,) = struct.unpack_from(order + "H", data, 18)
    architecture = {3: "x86", 62: "x86", 183: "arm64"}.get(machine, "")
    (table,) = struct.unpack_from(order + ("Q" if wide else "I"), data, 0x28 if wide else 0x20)
    size, number = struct.unpack_from(order + "HH", data, 0x3A if wide else 0x2E)
    for at in range(table, table + size * number, size):
        _, kind, flags, _, offset, length = struct.unpack_from(
            order + ("IIQQQQ" if wide else "6I"), data, at
        )
        if kind != 8 and flags & 4:  # SHT_NOBITS; SHF_EXECINSTR
            yield Code(architecture, data[offset : offset + length])


def _sections(data: bytes, header: int) -> Iterator[Code]:
    """COFF: an object file, or what follows the signature of a PE image."""
    machine, number = struct.unpack_from("<HH", data, header)
    architecture = {0x14C: "x86", 0x8664: "x86", 0xAA64: "arm64"}.get(machine, "")
    (optional,) = struct.unpack_from("<H", data, header + 16)
    for i in range(number):
        at = header + 20 + optional + 40 * i
        length, offset = struct.unpack_from("<II", data, at + 16)
        (flags,) = struct.unpack_from("<I", data, at + 36)
        if flags & 0x20000000:  # IMAGE_SCN_MEM_EXECUTE
            yield Code(architecture, data[offset : offset + length])


def _macho(data: bytes, base: int) -> Iterator[Code]:
    cpu, _, _, commands = struct.unpack_from("<4I", data, base + 4)
    architecture = {0x01000007: "x86", 0x0100000C: "arm64"}.get(cpu, "")
    at = base + 32
    for _ in range(commands):
        command, size = struct.unpack_from("<II", data, at)
        if command == 0x19:  # LC_SEGMENT_64
            (number,) = struct.unpack_from("<I", data, at + 64)
            for section in range(at + 72, at + 72 + 80 * number, 80):
                (length,) = struct.unpack_from("<Q", data, section + 40)
                (offset,) = struct.unpack_from("<I", data, section + 48)
                (flags,) = struct.unpack_from("<I", data, section + 64)
                if flags & 0x80000400:  # S_ATTR_PURE_INSTRUCTIONS, S_ATTR_SOME_INSTRUCTIONS
                    yield Code(architecture, data[base + offset : base + offset + length])
        at += size


def code_of(data: bytes) -> Iterator[Code]:
    """Yield the executable sections of a file.

    Raises:
        ValueError: neither ELF, PE, COFF nor 64-bit Mach-O, or cut off.
    """
    try:
        if data[:4] == b"\x7fELF":
            yield from _elf(data)
        elif data[:2] == b"MZ":
            yield from _sections(data, struct.unpack_from("<I", data, 0x3C)[0] + 4)
        elif data[:2] in {b"\x64\x86", b"\x64\xaa", b"\x4c\x01"}:
            yield from _sections(data, 0)
        elif data[:4] == b"\xcf\xfa\xed\xfe":
            yield from _macho(data, 0)
        elif data[:4] == b"\xca\xfe\xba\xbe":  # several architectures in one file
            (number,) = struct.unpack_from(">I", data, 4)
            for i in range(number):
                yield from _macho(data, struct.unpack_from(">I", data, 8 + 20 * i + 8)[0])
        else:
            raise ValueError("not an ELF, PE, COFF or 64-bit Mach-O file")
    except (struct.error, IndexError) as error:
        raise ValueError(f"truncated executable file: {error}") from None


def count_instructions(data: bytes, *, least: int = LEAST) -> dict[str, int]:
    """Count the instructions in the bytes of a library, object or program.

    Args:
        data: the whole file.
        least: instructions found less often are left out.

    Raises:
        ValueError: see code_of.
    """
    found: dict[str, int] = {}
    for architecture, code in code_of(data):
        for name, pattern in _compiled(architecture):
            matches = pattern.finditer(code)
            if architecture == "arm64":  # words
                number = sum(match.start() % 4 == 0 for match in matches)
            else:
                number = sum(1 for _ in matches)
            found[name] = found.get(name, 0) + number
    return {name: number for name, number in found.items() if number >= least}


def instructions_in(file: str | os.PathLike[str]) -> dict[str, int]:
    """Count the cryptographic instructions in a library, by name.

    Args:
        file: an extension module or shared library: ELF, PE or Mach-O, of any architecture; for
            other architectures than x86 and ARM64 nothing is counted.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such file.
    """
    return count_instructions(Path(file).read_bytes())


@functools.cache
def known(file: str) -> tuple[tuple[str, int], ...]:
    """Count as `instructions_in` does, once; nothing for a file that cannot be read."""
    try:
        return tuple(instructions_in(file).items())
    except (OSError, ValueError):
        return ()


def main(arguments: list[str]) -> int:
    """Print what each file holds."""
    for name in arguments:
        counts = instructions_in(name)
        print(f"{name}: {', '.join(f'{n} {i}' for i, n in counts.items()) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
