"""The scanner behind `build_info()["instructions"]`: encodings in files made here and our own."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

import cngaes
from cngaes import _core
from cngaes.instructions import LEAST, count_instructions, instructions_in, main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# As assemblers encode them, of low and high registers.
KNOWN = {
    "arm64": {
        "AESE": ["4e284820", "4e284bff"],
        "AESD": ["4e285820"],
        "AESMC": ["4e286800"],
        "AESIMC": ["4e287bdf"],
        "PMULL": ["0ee2e020", "0effe3ff"],
        "PMULL2": ["4ee2e020"],
        "SHA256H": ["5e024020"],
        "SHA256H2": ["5e025020"],
        "EOR3": ["ce020c20", "ce1f7fff"],
    },
    "x86": {
        "AESENC": ["660f38dcc1", "66450f38dcc9", "c4e279dcc1", "62f27d08dcc1"],
        "AESDEC": ["660f38dec1"],
        "PCLMULQDQ": ["660f3a44c111", "66440f3a440710"],
        "SHA256RNDS2": ["0f38cbc1", "410f38cbc8"],
        "VAESENC ymm": ["c4e27ddcc1", "62a27d20dcc1"],
        "VAESDEC ymm": ["c4427ddec9"],
        "VPCLMULQDQ ymm": ["c4e37d44c111"],
        "VAESENC zmm": ["62f27d48dcc1", "62a27d40dcc1"],
        "VAESDEC zmm": ["62f27d48dec1"],
        "VPCLMULQDQ zmm": ["62f37d4844c111"],
    },
}  # fmt: skip
KERNELS = {
    "x86-aesni": {"AESENC", "AESDEC", "PCLMULQDQ"},
    "x86-vaes256": {"VAESENC ymm", "VAESDEC ymm", "VPCLMULQDQ ymm"},
    "x86-vaes512": {"VAESENC zmm", "VAESDEC zmm", "VPCLMULQDQ zmm"},
    "x86-shani": {"SHA256RNDS2"},
    "x86-shani-avx512": set(),  # rotations and ternary logic, which are nobody's own
    "arm64-ce": {"AESE", "AESD", "AESMC", "AESIMC", "PMULL", "PMULL2"},
    "arm64-ce (sha256)": {"SHA256H", "SHA256H2"},
    "arm64-eor3": {"EOR3"},
    "generic": set(),
}


def code(architecture: str, name: str, times: int) -> bytes:
    """Repeat the encodings of one instruction, with others between them."""
    if architecture == "arm64":
        words = [struct.pack("<I", int(word, 16)) for word in KNOWN["arm64"][name]]
        return b"".join((w + struct.pack("<I", 0xD65F03C0)) * times for w in words)
    return b"".join((bytes.fromhex(form) + b"\xc3") * times for form in KNOWN["x86"][name])


def elf(architecture: str, text: bytes, *, flags: int = 6, wide: bool = True) -> bytes:
    """Wrap code in a file with one section."""
    machine = {"arm64": 183, "x86": 62 if wide else 3, "s390x": 22}[architecture]
    if wide:
        start = b"\x7fELF\2\1\1" + bytes(9)
        header = struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 0, 64, 0, 64, 0, 0, 64, 1, 0)
        section = struct.pack("<IIQQQQIIQQ", 0, 1, flags, 0, 128, len(text), 0, 0, 0, 0)
        return start + header + section + text
    start = b"\x7fELF\1\1\1" + bytes(9)
    header = struct.pack("<HHIIIIIHHHHHH", 3, machine, 1, 0, 0, 52, 0, 52, 0, 0, 40, 1, 0)
    return start + header + struct.pack("<10I", 0, 1, flags, 0, 92, len(text), 0, 0, 0, 0) + text


def coff(architecture: str, text: bytes, *, flags: int = 0x60000020) -> bytes:
    machine = {"arm64": 0xAA64, "x86": 0x8664}[architecture]
    header = struct.pack("<HHIIIHH", machine, 1, 0, 0, 0, 0, 0)
    section = struct.pack("<8s6IHHI", b".text", 0, 0, len(text), 60, 0, 0, 0, 0, flags)
    return header + section + text


def pe(architecture: str, text: bytes) -> bytes:
    """A stub in front moves the section's offset, which counts from the start of the file."""
    start = b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0"
    header, section = coff(architecture, b"")[:20], coff(architecture, text)[20:60]
    section = section[:20] + struct.pack("<I", 128) + section[24:]
    return start + header + section + text


def macho(architecture: str, text: bytes) -> bytes:
    cpu = {"arm64": 0x0100000C, "x86": 0x01000007}[architecture]
    header = struct.pack("<8I", 0xFEEDFACF, cpu, 0, 6, 2, 8 + 152, 0, 0)
    other = struct.pack("<II", 2, 8)
    segment = struct.pack("<II16s4QIIII", 0x19, 152, b"__TEXT", 0, 0, 0, 0, 5, 5, 1, 0)
    section = struct.pack("<16s16sQQ8I", b"__text", b"__TEXT", 0, len(text), 192, 0, 0, 0,
                          0x80000400, 0, 0, 0)  # fmt: skip
    return header + other + segment + section + text


def fat(architecture: str, text: bytes) -> bytes:
    inner = macho(architecture, text)
    return (
        struct.pack(">7I", 0xCAFEBABE, 1, 0x0100000C, 0, 64, len(inner), 0).ljust(64, b"\0") + inner
    )


FORMATS: list[Callable[[str, bytes], bytes]] = [elf, coff, pe, macho, fat]


@pytest.mark.parametrize("container", FORMATS)
@pytest.mark.parametrize("architecture", KNOWN)
def test_known_encodings(container: Callable[[str, bytes], bytes], architecture: str) -> None:
    for name, forms in KNOWN[architecture].items():
        file = container(architecture, code(architecture, name, LEAST))
        assert count_instructions(file) == {name: LEAST * len(forms)}


def test_32_bit_elf() -> None:
    assert count_instructions(elf("x86", code("x86", "AESENC", 4), wide=False))["AESENC"] >= 4


def test_what_is_no_code() -> None:
    """Data sections, odd addresses in ARM64 code and single finds do not count."""
    text = code("arm64", "AESE", 8)
    assert count_instructions(elf("arm64", text)) == {"AESE": 16}
    assert count_instructions(elf("arm64", text, flags=2)) == {}
    assert count_instructions(coff("arm64", text, flags=0x40000040)) == {}
    assert count_instructions(elf("arm64", b"\0" + text)) == {}
    assert count_instructions(elf("s390x", text)) == {}
    few = elf("x86", code("x86", "SHA256RNDS2", 1))
    assert count_instructions(few) == {}
    assert count_instructions(few, least=1) == {"SHA256RNDS2": 2}


@pytest.mark.parametrize(
    "file", [b"", b"MZ", b"\x7fELF", b"#!/bin/sh\n", b"\xcf\xfa\xed\xfe", b"\x64\x86"]
)
def test_no_executable_file(file: bytes) -> None:
    with pytest.raises(ValueError, match="file"):
        count_instructions(file)


def test_the_extension_holds_what_its_kernels_need() -> None:
    info = cngaes.build_info()
    found = info["instructions"]
    assert isinstance(found, dict)
    assert found == instructions_in(_core.__file__)
    compiled = cngaes.compiled_kernels()
    expected: set[str] = set()
    for name in compiled["aes"]:
        expected |= KERNELS[name]
    for name in compiled["sha256"]:
        expected |= KERNELS.get(f"{name} (sha256)", KERNELS[name])
    if info["architecture"] in {"x86_64", "arm64"}:
        assert expected <= set(found)
        # And what no kernel needs is not there: nothing else was compiled with such flags.
        assert set(found) <= set().union(*KERNELS.values())
    # A copy: the caller may change it.
    found.clear()
    assert cngaes.build_info()["instructions"] == instructions_in(_core.__file__)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "some.so"
    file.write_bytes(elf("arm64", code("arm64", "EOR3", 8)))
    empty = tmp_path / "none.so"
    empty.write_bytes(elf("arm64", b""))
    assert main([str(file), str(empty)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"{file}: 16 EOR3"
    assert second == f"{empty}: none"
    with pytest.raises(OSError, match="nowhere"):
        main([str(tmp_path / "nowhere.so")])
