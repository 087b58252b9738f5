"""Judge other libraries' ARM64 kernels as model.py judges ours; none of their code is kept here.

    python tools/arm64/peers.py AWS_LC SYMCRYPT          # two checkouts; shows the figures
    python tools/arm64/peers.py AWS_LC SYMCRYPT write    # and makes tools/arm64/peers.json anew

AWS-LC's kernels are assembly (the same as in BoringSSL and OpenSSL, but for the 8-block GCM);
SymCrypt's, which Windows CNG is made of, are C intrinsics and compiled by clang here. Their loops
have inner loops and rare parts, so that the model is given what is executed: each function runs in
an emulator (unicorn) on two sizes, the second larger by one period, and the instructions of one
period are taken from the middle. Needs aarch64-linux-gnu binutils, clang-22, llvm-22 and unicorn.
"""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import unicorn
from elftools.elf.elffile import ELFFile
from model import MODELS, judge, version
from unicorn import arm64_const as arm

TABLE = Path(__file__).with_name("peers.json")
COMPILERS = {
    "AWS-LC": ("aarch64-linux-gnu-gcc", "-march=armv8.2-a+crypto+sha3"),
    "SymCrypt": (
        *("clang-22", "--target=aarch64-linux-gnu", "-O3", "-w", "-march=armv8-a+crypto"),
        "-Wno-incompatible-function-pointer-types",
    ),
}
AWS_FILES = "generated-src/linux-aarch64/crypto/fipsmodule"
FILES = {
    "AWS-LC": [
        *(f"{AWS_FILES}/aesv8-gcm-armv8-unroll8.S", f"{AWS_FILES}/aesv8-gcm-armv8.S"),
        *(f"{AWS_FILES}/aesv8-armx.S", f"{AWS_FILES}/sha256-armv8.S"),
    ],
    "SymCrypt": ["lib/aes-neon.c", "lib/sha256.c"],
}
CODE, STOP, STACK = 0x100_0000, 0x2000_0000, 0x3000_0000
# What arguments are called below, and where that stands.
PLACES = {
    "key": 0x5000_0000,
    "iv": 0x5001_0000,
    "state": 0x5002_0000,
    "powers": 0x5003_0000,
    "rest": 0x5004_0000,
    "in": 0x6000_0000,
    "out": 0x6100_0000,
}
X = [getattr(arm, f"UC_ARM64_REG_X{i}") for i in range(8)]


class Kernel(NamedTuple):
    """A function with its arguments: names of places, n for the size; and the bytes of a period."""

    library: str
    loop: str
    function: str
    arguments: tuple[str, ...]
    unit: float  # bytes that n counts one for
    period: int


AWS_GCM = ("in", "n", "out", "state", "iv", "key", "powers")
SYM_GCM = ("key", "iv", "powers", "state", "in", "out", "n")
KERNELS = [
    Kernel("AWS-LC", "GCM-256 encrypt, EOR3", "aesv8_gcm_8x_enc_256", AWS_GCM, 1 / 8, 128),
    Kernel("AWS-LC", "GCM-256 decrypt, EOR3", "aesv8_gcm_8x_dec_256", AWS_GCM, 1 / 8, 128),
    Kernel("AWS-LC", "GCM-256 encrypt", "aes_gcm_enc_kernel", AWS_GCM, 1 / 8, 64),
    Kernel("AWS-LC", "GCM-256 decrypt", "aes_gcm_dec_kernel", AWS_GCM, 1 / 8, 64),
    Kernel("AWS-LC", "CTR-256", "aes_hw_ctr32_encrypt_blocks", ("in", "out", "n", "key", "iv"),
           16, 240),
    Kernel("AWS-LC", "CBC-256 decrypt", "aes_hw_cbc_encrypt",
           ("in", "out", "n", "key", "iv", "0"), 1, 240),
    Kernel("AWS-LC", "CBC-256 encrypt", "aes_hw_cbc_encrypt",
           ("in", "out", "n", "key", "iv", "1"), 1, 16),
    Kernel("AWS-LC", "SHA-256", "sha256_block_data_order_hw", ("state", "in", "n"), 64, 64),
    Kernel("SymCrypt", "GCM-256 encrypt", "SymCryptAesGcmEncryptStitchedNeon", SYM_GCM, 1, 512),
    Kernel("SymCrypt", "GCM-256 decrypt", "SymCryptAesGcmDecryptStitchedNeon", SYM_GCM, 1, 512),
    Kernel("SymCrypt", "CTR-256", "SymCryptAesCtrMsb32Neon", ("key", "iv", "in", "out", "n"),
           1, 128),
    Kernel("SymCrypt", "CBC-256 decrypt", "SymCryptAesCbcDecryptNeon",
           ("key", "iv", "in", "out", "n"), 1, 128),
    Kernel("SymCrypt", "CBC-256 encrypt", "SymCryptAesCbcEncryptNeon",
           ("key", "iv", "in", "out", "n"), 1, 16),
    Kernel("SymCrypt", "SHA-256", "SymCryptSha256AppendBlocks_instr",
           ("state", "in", "n", "rest"), 1, 64),
]  # fmt: skip


class Library:
    """A library's kernels, linked to fixed addresses."""

    def __init__(self, name: str, checkout: Path, folder: Path) -> None:
        compiler = COMPILERS[name]
        includes = [f"-I{checkout / 'include'}", f"-I{checkout / 'inc'}", f"-I{checkout / 'lib'}"]
        includes.append(f"-I{folder}")
        shared = checkout / "conf/symcrypt_internal_shared.inc.in"
        if shared.exists():  # its build makes this one of version numbers
            text = re.sub("@SYMCRYPT_VERSION_[A-Z]+@", "0", shared.read_text())
            (folder / "symcrypt_internal_shared.inc").write_text(text)
        objects = []
        for file in FILES[name]:
            objects.append(str(folder / (Path(file).name + ".o")))
            command = [*compiler, *includes, "-c", str(checkout / file), "-o", objects[-1]]
            subprocess.run(command, check=True)
        linked = folder / f"{name}.elf"
        command = ["aarch64-linux-gnu-ld", "-static", "-e", "0", f"-Ttext={CODE:#x}"]
        command += ["--unresolved-symbols=ignore-all", *objects, "-o", str(linked)]
        subprocess.run(command, check=True, capture_output=True)
        listing = subprocess.run(
            ["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", str(linked)],
            *(), check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        self.text: dict[int, str] = {}
        for line in listing.splitlines():
            if match := re.match(r" *([0-9a-f]+):\t(.*)", line):
                # A target of a branch stands as an address and a symbol: the model wants one.
                code = re.sub(r"[0-9a-f]+ <([^+>]*)[^>]*>", r"\1", match[2])
                self.text[int(match[1], 16)] = re.sub(r"\s*//.*", "", code).replace("\t", " ")
        with linked.open("rb") as file_of:
            elf = ELFFile(file_of)
            symbols = elf.get_section_by_name(".symtab").iter_symbols()
            self.symbols = {symbol.name: symbol["st_value"] for symbol in symbols}
            self.segments = [
                (segment["p_vaddr"], segment["p_memsz"], segment.data())
                for segment in elf.iter_segments()
                if segment["p_type"] == "PT_LOAD"
            ]

    def executed(self, kernel: Kernel, num_bytes: int) -> list[int]:
        """Run a kernel and list the addresses of what it executes."""
        uc = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        uc.ctl_set_cpu_model(arm.UC_CPU_ARM64_MAX)
        # CPACR_EL1.FPEN: vector instructions do not trap.
        enabled = uc.reg_read(arm.UC_ARM64_REG_CPACR_EL1) | 0x300000
        uc.reg_write(arm.UC_ARM64_REG_CPACR_EL1, enabled)
        pages = set()
        for at, size, _ in self.segments:
            pages |= set(range(at // 4096, (at + size) // 4096 + 1))
        for page in pages:
            uc.mem_map(4096 * page, 4096)
        for at, _, data in self.segments:
            uc.mem_write(at, data)
        for at in (*PLACES.values(), STACK, STOP):
            uc.mem_map(at, 0x10000)
        key = PLACES["key"]
        # AWS-LC keeps the number of rounds behind the keys; SymCrypt pointers to the last keys.
        uc.mem_write(key + 240, struct.pack("<I", 14))
        if kernel.library == "SymCrypt":
            uc.mem_write(key + 464, struct.pack("<QQ", key + 16 * 14, key + 16 * 28))
        values = {**PLACES, "n": int(num_bytes / kernel.unit), "0": 0, "1": 1}
        for register, name in zip(X, kernel.arguments, strict=False):
            uc.reg_write(register, values[name])
        uc.reg_write(arm.UC_ARM64_REG_SP, STACK + 0x8000)
        uc.reg_write(arm.UC_ARM64_REG_LR, STOP)
        trace: list[int] = []
        uc.hook_add(unicorn.UC_HOOK_CODE, lambda _u, at, _s, _d: trace.append(at))
        uc.emu_start(self.symbols[kernel.function], STOP)
        return trace

    def period(self, kernel: Kernel) -> list[str]:
        """Take the instructions of one period from the middle of a run."""
        size = 8 * kernel.period
        small, large = (self.executed(kernel, size + more) for more in (0, kernel.period))
        length = len(large) - len(small)
        middle = len(large) // 2
        body, again = (large[at : at + length] for at in (middle - length, middle))
        assert body == again, f"{kernel.function} has no period of {kernel.period} bytes"
        return [self.text[at] for at in body]


def commit(checkout: Path) -> str:
    """Ask git which commit is checked out; a bare repository beside it will do."""
    command = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    """Judge every kernel."""
    checkouts = {"AWS-LC": Path(sys.argv[1]), "SymCrypt": Path(sys.argv[2])}
    found: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, checkout in checkouts.items():
            library = Library(name, checkout, Path(folder))
            rows = {
                kernel.loop: judge(library.period(kernel), kernel.period)
                for kernel in KERNELS
                if kernel.library == name
            }
            compiler = version(COMPILERS[name][0])
            found[name] = {"commit": commit(checkout), "compiler": compiler, "loops": rows}
            print(f"{name}, {compiler}; instructions and predicted cycles per byte (as is / fused)")
            for loop, row in rows.items():
                models = "  ".join(
                    f"{m} {row[f'{m} as is']:.3f} / {row[f'{m} fused']:.3f}" for m in MODELS
                )
                print(f"  {loop:24} {row['instructions']:.3f}  {models}")
    if sys.argv[3:] == ["write"]:
        TABLE.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
