"""Judge the inner loops of the ARM64 kernels by llvm-mca: predicted cycles, counted instructions.

    python tools/arm64/model.py check   # the committed table is a ratchet
    python tools/arm64/model.py write   # make that table anew
    python tools/arm64/model.py show

Every figure is predicted by a scheduling model or counted, none is measured on ARM hardware.
"fused" drops each AESMC and AESIMC that follows its AESE or AESD, as cores do that join the pair.
Models: oryon-1 (Snapdragon X) and neoverse-v2, the two in LLVM that are models of their own and
that know the AES, PMULL and SHA-2 instructions.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("model.json")
MODELS = ("oryon-1", "neoverse-v2")
LLVM_MCA = "llvm-mca-22"
# What a figure may be worse by before it counts: rounding.
TOLERANCE = 0.0015
FLAGS = ("-std=c++20", "-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-Icpp/include", "-S")
COMPILERS = {
    "gcc": ("aarch64-linux-gnu-g++",),
    "clang-22": ("clang++-22", "--target=aarch64-linux-gnu"),
}
FILES = {
    "arm64-ce": ("cpp/kernels/arm64/aes_ce.cpp", "-march=armv8-a+crypto"),
    "arm64-eor3": ("cpp/kernels/arm64/aes_eor3.cpp", "-march=armv8.2-a+crypto+sha3"),
    "arm64-ce sha256": ("cpp/kernels/arm64/sha256_ce.cpp", "-march=armv8-a+crypto"),
}
# Loop: function, (instruction, how many of it one iteration has), bytes of one iteration.
AES_LOOPS = {
    "GCM-256 encrypt": ("gcm_encrypt", ("aese", 112), 128),
    "GCM-256 decrypt": ("gcm_decrypt", ("aese", 112), 128),
    "GCM-128 encrypt": ("gcm_encrypt", ("aese", 80), 128),
    "CTR-256": ("ctr32", ("aese", 112), 128),
    "CTR-128": ("ctr32", ("aese", 80), 128),
    "CBC-256 decrypt": ("cbc_decrypt", ("aesd", 112), 128),
    "CBC-256 encrypt": ("cbc_encrypt", ("aese", 14), 16),
    "ECB-256 encrypt": ("ecb_encrypt", ("aese", 112), 128),
    "GHASH": ("ghash", ("pmull", 17), 128),
}
SHA_LOOPS = {
    "SHA-256": ("compress", ("sha256h", 16), 64),
    "SHA-256, two streams": ("compress_streams", ("sha256h", 32), 128),
}
BRANCH = re.compile(r"(?:b|b\.?[a-z]{2}|cbn?z|tbn?z)\s(?:.*,\s*)?(\.L\w+)$")
PAIR = re.compile(r"aes(?:mc|imc)\s+(v\d+)\.16b, *\1\.16b")


def functions(assembly: str) -> dict[str, list[str]]:
    """Split an assembly file into functions by their mangled names."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in assembly.splitlines():
        if match := re.match(r"(_Z\w+):", line):
            current = found.setdefault(match[1], [])
        else:
            current.append(re.sub(r"\s*//.*", "", line).strip().replace("\t", " "))
    return found


def loops(lines: list[str]) -> list[list[str]]:
    """List the bodies of the loops of a function, shortest first."""
    labels: dict[str, int] = {}
    code: list[str] = []
    found = []
    for line in lines:
        if match := re.match(r"(\.L\w+):", line):
            labels[match[1]] = len(code)
        elif line and not line.startswith(".") and not line.endswith(":"):
            code.append(line)
            if (match := BRANCH.match(line)) and match[1] in labels:
                found.append(code[labels[match[1]] :])
    return sorted(found, key=len)


def count(body: list[str], instruction: str) -> int:
    """Count an instruction by its exact name."""
    return sum(line.split()[0] == instruction for line in body)


def loop_of(assembly: str, function: str, mark: tuple[str, int]) -> list[str] | None:
    """Find the shortest loop of a function that has the marked number of an instruction."""
    pattern = re.compile(rf"_ZN6cngaes12_GLOBAL__N_1(?:5Modes|3Gcm)?{len(function)}{function}E")
    for name, lines in functions(assembly).items():
        if pattern.match(name):
            for body in loops(lines):
                if count(body, mark[0]) == mark[1]:
                    return body
    return None


def fused(body: list[str]) -> list[str]:
    """Drop the second instruction of each adjacent pair."""
    kept = []
    for before, line in zip(["", *body], body, strict=False):
        pair = PAIR.match(line)
        if not (pair and re.match(rf"aes[ed] +{pair[1]}\.16b", before)):
            kept.append(line)
    return kept


def cycles(bodies: list[list[str]], model: str) -> list[float]:
    """Ask llvm-mca for the cycles of one iteration of each body."""
    iterations = 200
    command = [LLVM_MCA, "-mtriple=aarch64-linux-gnu", f"-mcpu={model}", "-mattr=+aes,+sha2,+sha3"]
    command += ["-skip-unsupported-instructions=lack-sched", f"-iterations={iterations}", "-json"]
    text = "".join(
        f"# LLVM-MCA-BEGIN {i}\n" + "\n".join(body) + "\n# LLVM-MCA-END\n"
        for i, body in enumerate(bodies)
    )
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    regions = json.loads(done.stdout)["CodeRegions"]
    return [float(region["SummaryView"]["TotalCycles"]) / iterations for region in regions]


def judge(body: list[str], num_bytes: int) -> dict[str, float]:
    """Make one row of the table."""
    row = {"instructions": round(len(body) / num_bytes, 3)}
    for model in MODELS:
        as_is, joined = cycles([body, fused(body)], model)
        row[f"{model} as is"] = round(as_is / num_bytes, 3)
        row[f"{model} fused"] = round(joined / num_bytes, 3)
    return row


def version(compiler: str) -> str:
    """Name a compiler, or the model, with its version."""
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    number = re.search(r"\d+\.\d+\.\d+", said.stdout)
    kind = next((k for k in ("clang", "llvm-mca") if k in compiler), "gcc")
    return f"{kind} {number[0]}" if number else kind


def rows_of(command: tuple[str, ...], kernel: str, folder: Path) -> dict[str, dict[str, float]]:
    """Compile one kernel file and judge its loops."""
    source, march = FILES[kernel]
    output = folder / f"{command[0]} {kernel}.s"
    subprocess.run([*command, *FLAGS, march, source, "-o", str(output)], check=True, cwd=ROOT)
    wanted = SHA_LOOPS if "sha256" in kernel else AES_LOOPS
    rows = {}
    for name, (function, mark, num_bytes) in wanted.items():
        body = loop_of(output.read_text(), function, mark)
        if body is not None:
            rows[f"{kernel.removesuffix(' sha256')}: {name}"] = judge(body, num_bytes)
    return rows


def tables() -> dict[str, dict[str, dict[str, float]]]:
    """Judge every kernel by every compiler that is here, two at a time."""
    commands = [command for command in COMPILERS.values() if shutil.which(command[0])]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        work = {
            command: [pool.submit(rows_of, command, kernel, Path(folder)) for kernel in FILES]
            for command in commands
        }
        return {
            version(command[0]): {k: v for part in parts for k, v in part.result().items()}
            for command, parts in work.items()
        }


def worse(new: dict[str, float], old: dict[str, float]) -> list[str]:
    """List the columns in which a row became worse."""
    return [f"{k}: {old[k]} -> {new[k]}" for k in old if new[k] > old[k] + TOLERANCE]


def check(found: dict[str, dict[str, dict[str, float]]]) -> int:
    """Compare with the committed table: nothing lost, nothing worse."""
    faults = 0
    committed = json.loads(TABLE.read_text())
    model = version(LLVM_MCA)
    if model != committed["model"]:
        print(f"SKIPPED: the committed figures are {committed['model']}'s; this is {model}")
        return 0
    committed = committed["compilers"]
    for compiler in set(committed) - set(found):
        print(f"SKIPPED: {compiler}, which has committed figures, is not installed")
    for compiler, table in found.items():
        if compiler not in committed:
            print(f"SKIPPED: no committed figures for {compiler}: {', '.join(committed)} have them")
            continue
        for name, old in committed[compiler].items():
            lost = name not in table
            problems = ["loop not found"] if lost else worse(table[name], old)
            for problem in problems:
                print(f"FAILED: {compiler}: {name}: {problem}")
                faults += 1
    rows = sum(map(len, found.values()))
    print(f"{rows} loops compared, {faults} worse" if faults else f"{rows} loops, none worse")
    return 1 if faults else 0


def show(found: dict[str, dict[str, dict[str, float]]]) -> None:
    """Print the table; cycles are predicted, per byte."""
    for compiler, table in found.items():
        print(f"{compiler}, -O3; instructions and predicted cycles per byte (as is / fused)")
        for name, row in table.items():
            models = "  ".join(
                f"{m} {row[f'{m} as is']:.3f} / {row[f'{m} fused']:.3f}" for m in MODELS
            )
            print(f"  {name:38} {row['instructions']:.3f}  {models}")


def main() -> int:
    """Run the command."""
    os.chdir(ROOT)
    command = sys.argv[1] if len(sys.argv) == 2 else "show"
    found = tables()
    show(found)
    if command == "write":
        made = {"model": version(LLVM_MCA), "compilers": found}
        TABLE.write_text(json.dumps(made, indent=1) + "\n")
    return check(found) if command == "check" else 0


if __name__ == "__main__":
    sys.exit(main())
