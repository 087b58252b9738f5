"""Plants small faults in core, kernels and bindings, one at a time: each must turn a test red.

    python tools/nightly/mutate.py [--count 120] [--seed 1] [--only cpp/core/gcm.cpp]

The faults are those that hands make: a condition turned round, a wrong constant or sign, a wipe, a
check or a statement left out. They are drawn at random from all places where one is possible, the
same for the same seed, with a share for each folder. Works on a copy of the repository in
build/mutate. C++ tests come first, the quickest one before all others; then the Python tests that
concern the folder.

Survivors are printed, and the exit code is 1 if there is one that equivalent_mutants.txt does not
explain. A fault that does not compile is none and is replaced by the next.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutate"
TREE = WORK / "tree"
CPP = WORK / "cpp"
PYTHON = WORK / "python"
TIMEOUT = 600
BUILD_TIMEOUT = 3600

SHARES = {"cpp/core": 0.55, "cpp/kernels": 0.25, "cpp/bindings": 0.2}
# Not compiled here, or without behaviour of its own.
LEFT_OUT = {"cpp/core/cpu_arm64.cpp", "cpp/bindings/timing.cpp", "cpp/bindings/introspection.cpp"}

# Faults that no test can see, each with the reason: "file: text of the line as it was" -> reason.
EQUIVALENT_LIST = ROOT / "tools" / "nightly" / "equivalent_mutants.txt"

FLIPS = [
    (" == ", " != "),
    (" != ", " == "),
    (" < ", " <= "),
    (" > ", " >= "),
    (" <= ", " < "),
    (" >= ", " > "),
    (" && ", " || "),
    (" || ", " && "),
    (" + ", " - "),
    (" - ", " + "),
    (" ^= ", " |= "),
    (" ^ ", " | "),
    (" << ", " >> "),
    (" & ", " | "),
    (" % ", " / "),
    ("if (!", "if ("),
    ("true", "false"),
    ("false", "true"),
]
NUMBER = re.compile(r"(?<![\w.])(0x[0-9a-f]+|\d+)(?=[,;)\]} ]|U|$)")
DROPPED = [
    ("wipe", re.compile(r"^\s*(?:secure_wipe|wipe_stack|\w+\.wipe_only)\(.*\);$")),
    ("check", re.compile(r"^\s*if \(.*\) return .*;$")),
    ("statement", re.compile(r"^\s*[\w.\[\]>()*-]+(?: [-+^|&]?=|\().*;$")),
]
NOT_CODE = re.compile(
    r"^\s*(?://|#|\*|static_assert|using |template|constexpr char|namespace|\}|$)"
)


@dataclass(frozen=True)
class Fault:
    """One changed line."""

    file: str
    number: int
    kind: str
    old: str
    new: str

    def __str__(self) -> str:
        new = self.new.strip() or "(left out)"
        return f"{self.file}:{self.number}: {self.kind}\n    {self.old.strip()}\n    {new}"


def faults_of_line(file: str, number: int, line: str) -> list[Fault]:
    """List all that can go wrong in one line."""
    if NOT_CODE.match(line):
        return []
    code = line.split("  //", 1)[0]
    found = []
    for old, new in FLIPS:
        start = code.find(old)
        while start >= 0:
            changed = code[:start] + new + code[start + len(old) :]
            found.append(Fault(file, number, "condition or sign", line, changed))
            start = code.find(old, start + 1)
    for match in NUMBER.finditer(code):
        value = int(match.group(), 0)
        for other in {value + 1, value ^ 4}:
            changed = code[: match.start()] + str(other) + code[match.end() :]
            found.append(Fault(file, number, "constant", line, changed))
    for kind, pattern in DROPPED:
        if pattern.match(code):
            found.append(Fault(file, number, f"{kind} left out", line, ""))
            break
    return found


def faults_of(folder: str, only: str) -> list[Fault]:
    """List all faults that a folder has room for."""
    found: list[Fault] = []
    for path in sorted((ROOT / folder).rglob("*")):
        name = str(path.relative_to(ROOT))
        if path.suffix not in {".cpp", ".h"} or name in LEFT_OUT or "/arm64/" in name:
            continue
        if only and only not in name:
            continue
        hooks = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            # What exists for tests or other systems is not the product, or not built here.
            if line.startswith("#if"):
                hooks = any(
                    word in line for word in ("TEST_HOOKS", "_WIN32", "_MSC_VER", "__s390x")
                )
            elif line.startswith(("#endif", "#else")):
                hooks = False
            elif not hooks:
                found += faults_of_line(name, number, line)
    return found


def run(command: list[str], folder: Path, timeout: int = TIMEOUT, **environment: str) -> bool:
    """Say whether a command succeeds; running too long is no success."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            env={**os.environ, **environment},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def build_cpp(*targets: str) -> bool:
    """Build C++ tests of the copy, all if none is named."""
    wanted = targets or ("cpp/tests/all", "fuzz_replay")
    return run(["cmake", "--build", str(CPP), "-j2", "--target", *wanted], TREE, BUILD_TIMEOUT)


def build_python() -> bool:
    """Build the extension of the copy, in place."""
    return run(
        ["tools/dev_build.sh", sys.executable], TREE, BUILD_TIMEOUT, CNGAES_DEV_BUILD=str(PYTHON)
    )


def replay_passes() -> bool:
    """Run the fuzzer's corpus: every mode and kernel against the reference within seconds."""
    corpus = TREE / "cpp" / "fuzz" / "corpus.txt"
    return run([str(CPP / "cpp" / "fuzz" / "fuzz_replay"), str(corpus)], TREE, 60)


def ctest_passes(*options: str) -> bool:
    """Run the C++ tests."""
    command = ["ctest", "--test-dir", str(CPP), "--stop-on-failure", "--timeout", "1500", "-j2"]
    return run([*command, *options], TREE, BUILD_TIMEOUT, CNGAES_TEST_SCALE="30")


def pytest_passes(*files: str) -> bool:
    """Run some of the Python tests."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    return run(
        [*command, *(f"tests/{file}.py" for file in files)],
        TREE,
        PYTHONPATH=f"{TREE}/src:{TREE}/bench",
    )


BINDINGS_TESTS = [
    ("test_objects", "test_known_answers", "test_bad_arguments", "test_bad_output", "test_c_abi"),
    ("test_streaming", "test_many", "test_many_errors", "test_misuse", "test_lifecycle"),
    ("test_memory", "test_threads", "test_dispatch", "test_split", "test_secrets"),
]
# Minutes each, so last; not the measurement, whose verdict another program's load could turn.
SLOW = "single_step|constant_time"


def killed_by(fault: Fault) -> str:
    """Find the first test that sees the fault; empty if none does; "-" if it does not compile."""
    if fault.file.startswith("cpp/bindings"):
        if not build_python():
            return "-"
        for files in BINDINGS_TESTS:
            if not pytest_passes(*(f for f in files if (TREE / f"tests/{f}.py").exists())):
                return f"pytest {files[0]} ..."
        return ""
    if not build_cpp("fuzz_replay"):
        return "-"
    if not replay_passes():
        return "corpus"
    if not build_cpp():
        return "a test that does not compile"
    if not ctest_passes("-E", f"timing|{SLOW}"):
        return "ctest"
    if not ctest_passes("-R", SLOW):
        return "constant time"
    if not build_python():
        return "python build"
    if not pytest_passes("test_wipe", "test_secrets", "test_many_errors", "test_dispatch"):
        return "pytest"
    return ""


def try_fault(fault: Fault) -> str:
    """Plant a fault, run the tests, and take it out again."""
    path = TREE / fault.file
    text = path.read_text()
    lines = text.splitlines()
    lines[fault.number - 1] = fault.new
    path.write_text("\n".join(lines) + "\n")
    try:
        return killed_by(fault)
    finally:
        path.write_text(text)


def prepare() -> None:
    """Copy the repository, and see that everything passes as it is."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name)
    compiler = shutil.which("clang++-19") or shutil.which("clang++") or "c++"
    options = [
        "-DCNGAES_TESTS=ON",
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_CXX_COMPILER={compiler}",
    ]
    # -O1: what counts here is the time that a change takes.
    options.append("-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG")
    configured = run(["cmake", "-S", ".", "-B", str(CPP), "-G", "Ninja", *options], TREE)
    steps = [configured, build_cpp(), replay_passes(), ctest_passes()]
    if not all(steps):
        sys.exit(f"without any fault: configured, built, corpus, ctest = {steps}")


def equivalent() -> dict[str, str]:
    """Read the reasons why some survivors are no faults."""
    reasons = {}
    if EQUIVALENT_LIST.exists():
        for line in EQUIVALENT_LIST.read_text().splitlines():
            if line and not line.startswith("#"):
                key, _, reason = line.partition(" -> ")
                reasons[key] = reason
    return reasons


def key_of(fault: Fault) -> str:
    """Make what a line of EQUIVALENT_LIST starts with."""
    return f"{fault.file}: {fault.old.strip()} => {fault.new.strip() or '(left out)'}"


def main() -> int:
    """Try faults; 1 if one survives without a reason."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--count", type=int, default=120)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="")
    given = options.parse_args()
    prepare()
    chosen = random.Random(given.seed)
    survivors = []
    tried = 0
    reasons = equivalent()
    for folder, share in SHARES.items():
        faults = faults_of(folder, given.only)
        chosen.shuffle(faults)
        # One in five leaves out a wipe or a check, of which there are few.
        rare = [f for f in faults if f.kind in {"wipe left out", "check left out"}]
        faults = [
            f for pair in zip(faults[: len(rare) * 4 : 4], rare, strict=False) for f in pair
        ] + faults
        wanted = round(given.count * share)
        done: set[tuple[str, int, str]] = set()
        for fault in faults:
            place = (fault.file, fault.number, fault.new)
            if wanted == 0:
                break
            if place in done:
                continue
            done.add(place)
            start = time.monotonic()
            killer = try_fault(fault)
            if killer == "-":
                continue
            wanted -= 1
            tried += 1
            seconds = time.monotonic() - start
            verdict = f"killed by {killer}" if killer else "SURVIVED"
            if not killer and key_of(fault) in reasons:
                verdict = f"no fault: {reasons[key_of(fault)]}"
            elif not killer:
                survivors.append(fault)
            print(f"{tried:4} {seconds:6.1f} s {verdict:24} {fault}", flush=True)
    print(f"{tried} faults, {len(survivors)} survived")
    for fault in survivors:
        print(f"SURVIVED {key_of(fault)}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
