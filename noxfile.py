"""What a developer runs: `nox -s NAME`. CI does the same through tools/ci/ without nox."""

from __future__ import annotations

import sys

import nox

nox.options.sessions = ["lint", "tests"]
nox.options.reuse_existing_virtualenvs = True
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


@nox.session(python=PYTHONS, tags=["test"])
def tests(session: nox.Session) -> None:
    """Build, install, and run pytest against the installed package."""
    session.install(".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check formatting, types and static analysis of Python and C++."""
    session.install(".[test]", "-r", "tools/ci/requirements-lint.txt")
    env = {"CNGAES_CI_PYTHON": f"{session.bin}/python"}
    session.run("tools/ci/10_lint.sh", external=True, env=env)


@nox.session
def ctest(session: nox.Session) -> None:
    """Test core and kernels without Python: by GCC, clang and with sanitizers."""
    session.run("tools/ci/20_ctest.sh", external=True)


@nox.session(name="docs-check")
def docs_check(session: nox.Session) -> None:
    """Check links, commands and every Python example of the documents."""
    session.install(".")
    session.run("python", "tools/ci/check_docs.py", "--run")


@nox.session
def dev(session: nox.Session) -> None:
    """Make .venv with everything that tests and lint need."""
    session.run("python", "-m", "venv", ".venv", external=True)
    python = ".venv/Scripts/python.exe" if sys.platform == "win32" else ".venv/bin/python"
    install = ("-m", "pip", "install")
    session.run(python, *install, ".[test]", "-r", "tools/ci/requirements-lint.txt", external=True)
