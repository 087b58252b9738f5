"""Each check of the Windows wheels and of the workflows turns red for each of its faults."""

from __future__ import annotations

import struct
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from scripts import ROOT, load_script

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

# One encoding of each instruction, by what check_pe.py calls it.
X64_CODE = {
    "AESENC": "660f38dcc1",
    "AESDEC": "660f38dec1",
    "PCLMULQDQ": "660f3a44c111",
    "SHA256RNDS2": "0f38cbc1",
    "SHA256MSG1": "0f38ccc1",
    "SHA256MSG2": "0f38cdc1",
    "VAESENC ymm": "c4e275dcc2",
    "VAESDEC ymm": "c4e275dec2",
    "VPCLMULQDQ ymm": "c4e37544c211",
    "VAESENC zmm": "62f27548dcc2",
    "VAESDEC zmm": "62f27548dec2",
    "VPCLMULQDQ zmm": "62f3754844c211",
}
ARM64_CODE = {
    "AESE": 0x4E284820,
    "AESD": 0x4E285820,
    "AESMC": 0x4E286820,
    "AESIMC": 0x4E287820,
    "PMULL": 0x0EE2E020,
    "PMULL2": 0x4EE2E020,
    "SHA256H": 0x5E024020,
    "SHA256H2": 0x5E025020,
    "SHA256SU0": 0x5E282820,
    "SHA256SU1": 0x5E026020,
    "EOR3": 0xCE020C20,
}
MACHINES = {"amd64": 0x8664, "arm64": 0xAA64}
IMPORTS = ("python311.dll", "KERNEL32.dll", "api-ms-win-crt-heap-l1-1-0.dll")
EXPORTS = ("PyInit__core", "cngaes_sha256")


def code_of(machine: str, without: str = "", times: int = 4) -> bytes:
    if machine == "amd64":
        parts = [bytes.fromhex(code) for name, code in X64_CODE.items() if name != without]
    else:
        parts = [word.to_bytes(4, "little") for name, word in ARM64_CODE.items() if name != without]
    return b"".join(parts) * times


def image_of(
    machine: str,
    code: bytes | None = None,
    imports: tuple[str, ...] = IMPORTS,
    exports: tuple[str, ...] = EXPORTS,
) -> bytes:
    """A PE image with two sections: .text, and .rdata with the names of imports and exports."""
    code = code_of(machine) if code is None else code
    text_at, rdata_at, headers = 0x1000, 0x100000, 0x400
    names = bytearray()
    tables = 20 * (len(imports) + 1) + 40 + 4 * len(exports)

    def name(text: str) -> int:
        names.extend(text.encode() + b"\0")
        return rdata_at + tables + len(names) - len(text) - 1

    rdata = b"".join(struct.pack("<5I", 0, 0, 0, name(dll), 0) for dll in imports) + bytes(20)
    exports_at = rdata_at + len(rdata)
    pointers = exports_at + 40
    rdata += struct.pack("<10I", 0, 0, 0, 0, 1, 0, len(exports), 0, pointers, 0)
    rdata += b"".join(struct.pack("<I", name(export)) for export in exports) + names
    directories = struct.pack("<4I", exports_at, 40, rdata_at, 20 * (len(imports) + 1)) + bytes(112)
    optional = struct.pack("<H", 0x20B) + bytes(110) + directories
    sections = b"".join(
        section.ljust(8, b"\0") + struct.pack("<4I16x", len(body), at, len(body), raw)
        for section, body, at, raw in (
            (b".text", code, text_at, headers),
            (b".rdata", rdata, rdata_at, headers + len(code)),
        )
    )
    header = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40) + b"PE\0\0"
    header += struct.pack("<HH12xHH", MACHINES[machine], 2, len(optional), 0) + optional + sections
    return header.ljust(headers, b"\0") + code + rdata


def wheel_of(folder: Path, machine: str, image: bytes, name: str = "") -> Path:
    path = folder / f"cngaes-1-cp311-cp311-win_{name or machine}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"cngaes/_core.cp311-win_{machine}.pyd", image)
    return path


@pytest.fixture
def check_pe() -> ModuleType:
    return load_script("tools/windows/check_pe.py")


def run_check(check_pe: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["check_pe.py", *map(str, arguments)])
    status: int = check_pe.main()
    return status


PE_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "machine": ({}, "machine 0x"),
    "import": ({"imports": (*IMPORTS, "bcrypt.dll")}, "imports bcrypt.dll"),
    "runtime": ({"imports": (*IMPORTS, "libstdc++-6.dll")}, "imports libstdc++-6.dll"),
    "export": ({"exports": (*EXPORTS, "secret_alloc")}, "exports PyInit__core, secret_alloc"),
    "no entry point": ({"exports": ("cngaes_sha256",)}, "exports "),
}


@pytest.mark.parametrize("machine", MACHINES)
def test_a_good_wheel_passes(
    machine: str, check_pe: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = wheel_of(tmp_path, machine, image_of(machine))
    assert run_check(check_pe, monkeypatch, wheel, "--machine", machine) == 0


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("fault", PE_FAULTS)
def test_a_wrong_image_is_found(
    machine: str,
    fault: str,
    check_pe: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    changed, words = PE_FAULTS[fault]
    image = bytearray(image_of(machine, **changed))
    if fault == "machine":
        struct.pack_into("<H", image, 0x44, 0x014C)
    wheel = wheel_of(tmp_path, machine, bytes(image))
    assert run_check(check_pe, monkeypatch, wheel, "--machine", machine) == 1
    assert f"FAULT: {words}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("machine", "name"),
    [("amd64", name) for name in X64_CODE] + [("arm64", name) for name in ARM64_CODE],
)
def test_a_missing_instruction_is_found(
    machine: str,
    name: str,
    check_pe: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wheel = wheel_of(tmp_path, machine, image_of(machine, code_of(machine, without=name)))
    assert run_check(check_pe, monkeypatch, wheel, "--machine", machine) == 1
    faults = [line for line in capsys.readouterr().out.splitlines() if line.startswith("FAULT")]
    assert faults == [f"FAULT: {name}: 0 times"]


def test_every_instruction_of_the_check_has_its_fault(check_pe: ModuleType) -> None:
    assert list(check_pe.PATTERNS) == list(X64_CODE)
    assert list(check_pe.WORDS) == list(ARM64_CODE)


def test_every_wheel_of_a_folder_is_checked(tmp_path: Path) -> None:
    check = load_script("tools/windows/check_wheels.py")
    assert check.main(str(tmp_path)) == 1, "a folder without wheels"
    (tmp_path / "cngaes-1-cp311-cp311-manylinux_2_28_x86_64.whl").touch()
    assert check.main(str(tmp_path)) == 0
    for machine in MACHINES:
        wheel_of(tmp_path, machine, image_of(machine))
    assert check.main(str(tmp_path)) == 0
    wheel_of(tmp_path, "amd64", image_of("amd64"), name="arm64")
    assert check.main(str(tmp_path)) == 1, "x64 code in a win_arm64 wheel"


LOG = """
.s. [100%]
=========================== short test summary info ===========================
SKIPPED [2] tests\\test_cng.py:29: for other systems
SKIPPED [9] tests\\conftest.py:36: this bcrypt.dll has no AES-192-GCM; backend="cpu" has it
{line}
{summary}
"""
SUMMARY = "11 passed, 2 skipped in 2.22s"


@pytest.mark.parametrize(
    ("line", "summary", "status"),
    [
        ("", SUMMARY, 0),
        ("", "===== 2817 passed, 207 skipped in 233.22s (0:03:53) =====", 0),
        ("SKIPPED [1] tests\\test_x.py:3: nobody knows why", SUMMARY, 1),
        ("SKIPPED [1] tests\\test_x.py:3: could not import 'cryptography'", SUMMARY, 1),
        ("", "", 1),  # pytest did not come to its end
        ("", "11 skipped in 2.22s", 1),  # nothing was tested
        ("", "1 failed, 10 passed in 2.22s", 1),
        ("", "10 passed, 1 error in 2.22s", 1),
    ],
)
def test_skips_have_known_reasons(line: str, summary: str, status: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(LOG.format(line=line, summary=summary), encoding="utf-8")
    assert load_script("tools/windows/check_skips.py").main(str(log)) == status


def test_every_known_reason_is_still_given() -> None:
    """What no test says any more is no reason to leave in the list; CNG's own words are in C++."""
    reasons = load_script("tools/windows/check_skips.py").REASONS
    tests = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "tests").rglob("*.py")
        if path.name != "test_windows_checks.py"
    )
    for kind in ("Wine lacks it", "not on Windows"):
        for words in reasons[kind]:
            assert words in tests or "bcrypt.dll" in words, words


# The workflows.


@pytest.fixture
def workflows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The check over a copy of the workflows, with what cibuildwheel answers when all is well."""
    check = load_script("tools/ci/check_workflows.py")
    if not (ROOT / ".github").exists():
        pytest.skip("needs the checkout's .github/")
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    built = {
        (platform, architecture): {f"{python}-{tag}" for python in check.PYTHONS for tag in tags}
        for platform, architecture, tags in check.RUNNERS.values()
    }
    monkeypatch.setattr(check, "WORKFLOWS", tmp_path)
    monkeypatch.setattr(check, "identifiers", lambda *which: built[which])
    monkeypatch.setattr(check, "built", built, raising=False)
    monkeypatch.chdir(ROOT)
    assert check.main() == 0
    return check


@pytest.mark.parametrize(
    ("file", "before", "after", "words"),
    [
        ("wheels.yml", "windows-11-arm, ", "", "no wheels from windows-11-arm"),
        ("wheels.yml", "[ubuntu-24.04,", "[plan9, ubuntu-24.04,", "unknown runner plan9"),
        ("wheels.yml", "check_wheels.py", "check_all.py", "no tools/windows/check_all.py"),
        ("bench.yml", "./tools/windows/measure.ps1", "./tools/measure.ps1", "no ./tools/measure"),
        ("bench.yml", "- run: ./tools", "- run: |\n          ./tools", "cannot be run by hand"),
        ("bench.yml", "- run: ", "- walk: ", "no steps"),
    ],
)
def test_a_wrong_workflow_is_found(
    file: str,
    before: str,
    after: str,
    words: str,
    workflows: ModuleType,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = workflows.WORKFLOWS / file
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    assert workflows.main() == 1
    assert words in capsys.readouterr().out


def test_a_wrong_list_of_wheels_is_found(
    workflows: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    arm64 = workflows.built["windows", "ARM64"]
    arm64.remove("cp314t-win_arm64")
    arm64.add("cp310-win_arm64")
    assert workflows.main() == 1
    out = capsys.readouterr().out
    assert "FAULT: windows-11-arm: cp314t-win_arm64 is not built" in out
    assert "FAULT: windows-11-arm: cp310-win_arm64 is built" in out
