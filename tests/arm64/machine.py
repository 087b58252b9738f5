"""An emulated ARM64 CPU that calls single kernel functions and watches what they do."""

from __future__ import annotations

import hashlib
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

import lief
import unicorn
from elftools.elf.elffile import ELFFile
from unicorn import arm64_const as arm

PAGE = 4096
CODE = 0x1000_0000
STACK = 0x3000_0000
STACK_BYTES = 1 << 20
STOP = 0x4000_0000
BUFFERS = 0x5000_0000
HEADER = Path(__file__).resolve().parents[2] / "cpp/include/cngaes/kernels.h"


def slots_of(struct_name: str) -> tuple[str, ...]:
    """List the members of a kernel's table, all of 8 bytes, as the header declares them."""
    declared = HEADER.read_text().split(f"struct {struct_name} {{", 1)[1].split("\n};", 1)[0]
    members = re.findall(r"^  (\S.*?)[;(]", re.sub("//.*", "", declared), re.MULTILINE)
    names = re.findall(r"^  (?:void \(\*|size_t )(\w+)", declared, re.MULTILINE)
    assert len(members) == len(names), f"a member of {struct_name} is of no known kind"
    return tuple(names)


AES_SLOTS = slots_of("AesFunctions")
SHA_SLOTS = slots_of("Sha256Functions")
# Table: its symbol in ELF, its export in the DLL.
TABLES = {
    "arm64-ce": ("_ZN6cngaes11kAesArm64CeE", "?kAesArm64Ce@cngaes@@3UAesFunctions@1@B", AES_SLOTS),
    "arm64-eor3": (
        *("_ZN6cngaes13kAesArm64Eor3E", "?kAesArm64Eor3@cngaes@@3UAesFunctions@1@B", AES_SLOTS),
    ),
    "sha256": (
        *(
            "_ZN6cngaes14kSha256Arm64CeE",
            "?kSha256Arm64Ce@cngaes@@3USha256Functions@1@B",
            SHA_SLOTS,
        ),
    ),
}
X = [getattr(arm, f"UC_ARM64_REG_X{i}") for i in range(29)]
X.append(arm.UC_ARM64_REG_X29)
D = [getattr(arm, f"UC_ARM64_REG_D{i}") for i in range(32)]
# AAPCS64: x19-x29 and the low halves of v8-v15 belong to the caller, x18 to the platform.
KEPT = {**{f"x{i}": X[i] for i in range(18, 30)}, **{f"d{i}": D[i] for i in range(8, 16)}}


@dataclass
class Call:
    """What one call did."""

    instructions: int = 0
    trace: str = ""
    outside: list[tuple[int, int]] = field(default_factory=list)
    clobbered: list[str] = field(default_factory=list)


class Machine:
    """One emulated CPU with a library loaded."""

    def __init__(self, library: Path, *, watched: bool = False) -> None:
        self.watched = watched
        self.uc = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        self.uc.ctl_set_cpu_model(arm.UC_CPU_ARM64_MAX)
        symbols = self._load_elf(library) if library.suffix == ".so" else self._load_pe(library)
        # CPACR_EL1.FPEN: vector instructions do not trap.
        cpacr = self.uc.reg_read(arm.UC_ARM64_REG_CPACR_EL1)
        self.uc.reg_write(arm.UC_ARM64_REG_CPACR_EL1, cpacr | 0x300000)
        self.uc.mem_map(STACK, STACK_BYTES)
        self.uc.mem_map(STOP, PAGE)
        self.functions: dict[str, int] = {
            name: at for name, at in symbols.items() if name.startswith("planted")
        }
        for kernel, (elf_name, pe_name, slots) in TABLES.items():
            at = symbols[elf_name if library.suffix == ".so" else pe_name]
            pointers = struct.unpack(f"<{len(slots)}Q", self.read(at, 8 * len(slots)))
            for slot, pointer in zip(slots, pointers, strict=True):
                if pointer:
                    self.functions[f"{kernel}.{slot}"] = pointer
        self.next = BUFFERS
        self.allowed: list[tuple[int, int]] = []
        self._image = (CODE, self.image_end)
        self._current = Call()
        self._hash = hashlib.sha256()
        # Before anything runs: code that was translated without hooks would never call them.
        if watched:
            self.uc.hook_add(unicorn.UC_HOOK_BLOCK, self._block)
            kinds = unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE
            self.uc.hook_add(kinds, self._access)

    def _block(self, _uc: object, at: int, size: int, _data: object) -> None:
        self._current.instructions += size // 4
        self._hash.update(b"B%x" % at)

    def _access(self, _u: object, kind: int, at: int, size: int, _v: int, _d: object) -> None:
        self._hash.update(b"M%x.%x.%x" % (kind, at, size))
        allowed = (*self.allowed, self._image, (STACK, STACK + STACK_BYTES))
        if not any(begin <= at and at + size <= end for begin, end in allowed):
            self._current.outside.append((at, size))

    def _map_image(self, base: int, size: int) -> None:
        self.image_end = base + (size + PAGE - 1) // PAGE * PAGE
        self.uc.mem_map(base, self.image_end - base)

    def _load_elf(self, library: Path) -> dict[str, int]:
        with library.open("rb") as file:
            elf = ELFFile(file)
            segments = [s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
            self._map_image(CODE, max(s["p_vaddr"] + s["p_memsz"] for s in segments))
            for segment in segments:
                self.uc.mem_write(CODE + segment["p_vaddr"], segment.data())
            dynamic = elf.get_section_by_name(".dynsym")
            for section in elf.iter_sections():
                if section["sh_type"] != "SHT_RELA":
                    continue
                for entry in section.iter_relocations():
                    value = entry["r_addend"]
                    if entry["r_info_type"] != 1027:  # R_AARCH64_RELATIVE names no symbol
                        value += dynamic.get_symbol(entry["r_info_sym"])["st_value"]
                    self.uc.mem_write(CODE + entry["r_offset"], struct.pack("<Q", CODE + value))
            return {s.name: CODE + s["st_value"] for s in dynamic.iter_symbols() if s["st_value"]}

    def _load_pe(self, library: Path) -> dict[str, int]:
        pe = lief.PE.parse(str(library))
        assert pe is not None
        assert pe.header.machine == lief.PE.Header.MACHINE_TYPES.ARM64
        base = pe.optional_header.imagebase
        self._map_image(CODE, pe.optional_header.sizeof_image)
        for section in pe.sections:
            self.uc.mem_write(CODE + section.virtual_address, bytes(section.content))
        for block in pe.relocations:
            for entry in block.entries:
                if entry.type == lief.PE.RelocationEntry.BASE_TYPES.DIR64:
                    at = CODE + entry.address
                    (value,) = struct.unpack("<Q", self.read(at, 8))
                    self.uc.mem_write(at, struct.pack("<Q", value - base + CODE))
        exports = pe.get_export()
        assert exports is not None
        return {str(entry.name): CODE + entry.address for entry in exports.entries}

    def read(self, at: int, size: int) -> bytes:
        """Read memory."""
        return bytes(self.uc.mem_read(at, size))

    def forget(self) -> None:
        """Unmap all buffers: the next ones get the same addresses."""
        for begin, end, _ in list(self.uc.mem_regions()):
            if begin >= BUFFERS:
                self.uc.mem_unmap(begin, end - begin + 1)
        self.next = BUFFERS
        self.allowed = []

    def buffer(self, data: bytes, *, at_begin: bool = False) -> int:
        """Place data so that it ends (or begins) at an unmapped page."""
        size = max(PAGE, (len(data) + PAGE - 1) // PAGE * PAGE)
        self.uc.mem_map(self.next, size)
        at = self.next if at_begin else self.next + size - len(data)
        self.next += size + PAGE
        if data:
            self.uc.mem_write(at, data)
        self.allowed.append((at, at + len(data)))
        return at

    def call(self, function: str, *arguments: int) -> Call:
        """Call a function; if watched, hash every block and memory address and check bounds."""
        uc, result = self.uc, Call()
        self._current, self._hash = result, hashlib.sha256()
        before = {name: 0x1_0000_0000 + i for i, name in enumerate(KEPT)}
        for name, value in before.items():
            uc.reg_write(KEPT[name], value)
        for register, value in zip(X, arguments, strict=False):
            uc.reg_write(register, value)
        uc.reg_write(arm.UC_ARM64_REG_SP, STACK + STACK_BYTES - PAGE)
        uc.reg_write(arm.UC_ARM64_REG_LR, STOP)
        uc.emu_start(self.functions[function], STOP)
        assert result.instructions > 0 or not self.watched
        result.clobbered = [n for n, v in before.items() if uc.reg_read(KEPT[n]) != v]
        result.trace = self._hash.hexdigest()
        return result
