"""What a wheel and an sdist must and must not contain, and how the wheel was compiled."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

MAX_WHEEL_BYTES = 1_500_000
WHEEL_NEEDS = (
    "cngaes/__init__.py",
    "cngaes/py.typed",
    "cngaes/_core.pyi",
    "cngaes_bench/__init__.py",
)
WHEEL_ALLOWED = re.compile(r"(cngaes|cngaes_bench)/|cngaes-[^/]+\.dist-info/")
# Sources and leftovers that would only make the wheel bigger.
WHEEL_FORBIDDEN = re.compile(r"\.(cpp|hpp|h|o|a|pyc|cmake)$|/tests?/")
SDIST_NEEDS = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "cpp/include/cngaes/kernels.h",
    "src/cngaes/__init__.py",
)
SDIST_FORBIDDEN = re.compile(
    r"(^|/)(build|dist|venv|\.venv|\.git|__pycache__|\.mypy_cache)/|\.(so|o|a)$"
)
EXPORTS = re.compile(r"PyInit__core|cngaes_\w+")
# Options that choose instructions; -mno-* and code-model options do not.
ISA_FLAG = re.compile(
    r"(?<!\S)-m(?:arch|cpu|tune)=\S+|(?<!\S)-m(?:sse|ssse|avx|aes|vaes|pclmul|vpclmul|sha|bmi|adx)\S*"
)


def wheel_faults(wheel: Path) -> list[str]:
    """Check size and names."""
    faults = []
    size = wheel.stat().st_size
    print(f"   {wheel.name}: {size:,} bytes")
    if size > MAX_WHEEL_BYTES:
        faults.append(f"wheel has {size:,} bytes, at most {MAX_WHEEL_BYTES:,}")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(
            next(n for n in names if n.endswith(".dist-info/METADATA"))
        ).decode()
    faults += [f"wheel lacks {name}" for name in WHEEL_NEEDS if name not in names]
    faults += [f"wheel holds {n}" for n in names if not WHEEL_ALLOWED.match(n)]
    faults += [f"wheel holds {n}" for n in names if WHEEL_FORBIDDEN.search(n)]
    if not any(re.search(r"/licenses?/.*LICENSE|dist-info/LICENSE", n) for n in names):
        faults.append("wheel lacks the licence")
    needed = [
        line
        for line in metadata.splitlines()
        if line.startswith("Requires-Dist:") and "extra ==" not in line
    ]
    return faults + [f"run time needs something: {line}" for line in needed]


def sbom_faults(wheel: Path) -> list[str]:
    """Check the bill of materials (PEP 770) against CycloneDX's schema and the wheel's own name."""
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if ".dist-info/sboms/" in n]
        if len(names) != 1:
            return [f"wheel has these bills of materials: {names}"]
        text = archive.read(names[0]).decode()
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if error is not None:
        return [f"{names[0]}: {error}"]
    bom = json.loads(text)
    described = bom["metadata"]["component"]
    parts = {part["name"]: part["version"] for part in bom["components"]}
    print(f"   bill of materials: {described['purl']}, made of {parts}")
    faults = []
    if wheel.name.split("-")[:2] != [described["name"], described["version"]]:
        faults.append(f"{names[0]} describes {described['purl']}")
    faults += [f"{names[0]} has no version of {n}" for n, v in parts.items() if not v]
    return faults + [f"{names[0]} lacks {n}" for n in ("pybind11", "CPython") if n not in parts]


def rebuild_faults(wheel: Path, installed: Path) -> list[str]:
    """Compare the hashes in RECORD with those of another build of the same sources, installed."""

    def hashes(record: str) -> dict[str, str]:
        rows = (line.rsplit(",", 2) for line in record.splitlines())
        # What an installer adds or byte-compiles belongs to that installation.
        return {
            name: digest
            for name, digest, _ in rows
            if digest and not re.search(r"\.pyc$|/(INSTALLER|REQUESTED|direct_url\.json)$", name)
        }

    with zipfile.ZipFile(wheel) as archive:
        record = next(n for n in archive.namelist() if n.endswith(".dist-info/RECORD"))
        ours = hashes(archive.read(record).decode())
    other = hashes((installed / "RECORD").read_text(encoding="utf-8"))
    print(
        f"   built twice: {len(ours)} files, {sum(ours[n] == other.get(n) for n in ours)} the same"
    )
    return [
        f"{name} differs from the same sources built in another folder"
        for name in sorted(ours.keys() | other.keys())
        if ours.get(name) != other.get(name)
    ]


def export_faults(wheel: Path) -> list[str]:
    """Check the dynamic symbols that the extension defines."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            modules = [n for n in archive.namelist() if n.endswith(".so")]
            archive.extractall(folder, modules)
        if len(modules) != 1:
            return [f"wheel has these extensions: {modules}"]
        listed = subprocess.run(
            ["nm", "-D", "--defined-only", str(Path(folder) / modules[0])],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    names = [line.split()[-1] for line in listed.splitlines() if line.strip()]
    print(f"   exports: {', '.join(sorted(names))}")
    faults = [f"exported beside the C ABI: {n}" for n in names if not EXPORTS.fullmatch(n)]
    if "cngaes_abi_version" not in names:
        faults.append("the C ABI is not exported")
    return faults


def flag_faults(compile_commands: Path) -> list[str]:
    """Check that kernels alone have ISA flags, and never those of the building machine."""
    entries = json.loads(compile_commands.read_text(encoding="utf-8"))
    faults, flagged = [], []
    for entry in entries:
        command = entry.get("command") or " ".join(entry["arguments"])
        flags = ISA_FLAG.findall(command)
        is_kernel = "/cpp/kernels/" in entry["file"] and "/generic/" not in entry["file"]
        if flags and not is_kernel:
            faults.append(f"{entry['file']}: ISA flags {flags} outside an instruction-set kernel")
        if any("native" in flag for flag in flags):
            faults.append(f"{entry['file']}: built for the building machine: {flags}")
        if flags:
            flagged.append(f"{Path(entry['file']).name} {' '.join(flags)}")
    print(f"   {len(entries)} files compiled; with ISA flags: {'; '.join(flagged) or 'none'}")
    return faults


def sdist_faults(sdist: Path) -> list[str]:
    """Check the names in the sdist, without its top folder."""
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    print(f"   {sdist.name}: {sdist.stat().st_size:,} bytes, {len(names)} files")
    faults = [f"sdist lacks {name}" for name in SDIST_NEEDS if name not in names]
    return faults + [f"sdist holds {name}" for name in names if SDIST_FORBIDDEN.search(name)]


def main() -> int:
    """Print every fault; 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--sdist", type=Path, required=True)
    parser.add_argument("--compile-commands", type=Path, required=True)
    parser.add_argument(
        "--installed", type=Path, required=True, help="its other build's .dist-info"
    )
    options = parser.parse_args()
    faults = [
        *wheel_faults(options.wheel),
        *sbom_faults(options.wheel),
        *rebuild_faults(options.wheel, options.installed),
        *export_faults(options.wheel),
        *flag_faults(options.compile_commands),
        *sdist_faults(options.sdist),
    ]
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
