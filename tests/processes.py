"""Fresh interpreters: for what is read once at import, and for what could end the process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap


def run_python(program: str, **environment: str) -> str:
    """Runs a program in a fresh interpreter; its output. Fails on any word on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def run_module(*arguments: str) -> str:
    """Runs `python -m cngaes`; its output. Fails on any word on stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "cngaes", *arguments], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
