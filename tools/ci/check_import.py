"""Import of the installed cngaes: at most 30 ms over bare Python, standard library only.

Run by the Python that has cngaes. Both times are the best of several interleaved processes.
"""

from __future__ import annotations

import subprocess
import sys
import time

LIMIT_MS = 30.0
ROUNDS = 15
FOREIGN = """
import sys
before = set(sys.modules)
import cngaes
roots = {name.partition('.')[0] for name in set(sys.modules) - before}
print(*sorted(roots - set(sys.stdlib_module_names) - {'cngaes'}))
"""


def milliseconds(code: str) -> float:
    """Measure the wall time of one new process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return (time.perf_counter() - start) * 1e3


def main() -> int:
    """Print the two findings; 1 if one is wrong."""
    bare, with_cngaes = [], []
    for _ in range(ROUNDS):
        bare.append(milliseconds("pass"))
        with_cngaes.append(milliseconds("import cngaes"))
    extra = min(with_cngaes) - min(bare)
    print(f"   import cngaes: {extra:.1f} ms over bare Python's {min(bare):.1f} ms")
    foreign = subprocess.run(
        [sys.executable, "-c", FOREIGN], check=True, capture_output=True, text=True
    ).stdout.strip()
    print(f"   modules from outside the standard library: {foreign or 'none'}")
    if extra > LIMIT_MS:
        print(f"FAILED: the import takes more than {LIMIT_MS:.0f} ms")
    if foreign:
        print("FAILED: import cngaes loads modules from outside the standard library")
    return 1 if foreign or extra > LIMIT_MS else 0


if __name__ == "__main__":
    sys.exit(main())
