"""The libraries that this process has loaded, and the instructions that are in their files."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import psutil

# Who does cryptography here: our extension, the peers' extensions, and the systems' libraries.
_INTERESTING = (
    ("cngaes", re.compile(r"cngaes[/\\]_core")),
    ("cryptography", re.compile(r"cryptography[/\\]hazmat[/\\]bindings[/\\]_rust")),
    ("pycryptodomex", re.compile(r"Cryptodome[/\\].*(_raw_aes|_ghash_|_SHA256)")),
    ("libcrypto", re.compile(r"libcrypto[^/\\]*$")),
    ("bcryptprimitives", re.compile(r"bcryptprimitives\.dll$", re.IGNORECASE)),
)  # fmt: skip


def loaded_files() -> list[str]:
    """List the files of code mapped into this process, as the system tells it."""
    try:
        mapped = [str(each.path) for each in psutil.Process().memory_maps()]
    except (psutil.Error, NotImplementedError, AttributeError, OSError):
        mapped = []  # macOS has no memory_maps(), and some systems refuse: imported modules remain
    modules = [str(getattr(each, "__file__", None) or "") for each in list(sys.modules.values())]
    compiled = (".so", ".pyd", ".dll", ".dylib")
    return sorted({name for name in (*mapped, *modules) if _is_code(name, compiled)})


def _is_code(name: str, endings: tuple[str, ...]) -> bool:
    file = Path(name).name
    return file.endswith(endings) or ".so." in file


def instruction_facts(files: list[str] | None = None) -> dict[str, str]:
    """Say for each library that does cryptography which instructions its file holds.

    The files are those that are loaded, found by the system and not by their names' promises.
    """
    try:
        from cngaes.instructions import known
    except ImportError as error:
        return {"instructions": f"not scanned: {error}"}
    counts: dict[str, dict[str, int]] = {}
    for file in loaded_files() if files is None else files:
        for name, pattern in _INTERESTING:
            if pattern.search(file):
                title = f"{name} ({Path(file).name})" if name == "libcrypto" else name
                of_library = counts.setdefault(title, {})
                for instruction, number in known(file):
                    of_library[instruction] = of_library.get(instruction, 0) + number
    return {f"instructions in {name}": _text(found) for name, found in counts.items()}


def _text(found: dict[str, int]) -> str:
    if not found:
        return "none for AES, GHASH or SHA-256"
    return ", ".join(f"{name} {number:,}" for name, number in found.items())
