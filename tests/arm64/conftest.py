"""Fixtures: the ARM64 kernels as a Linux library and as a Windows DLL, built on this machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("unicorn", reason="unicorn is not installed")
pytest.importorskip("elftools", reason="pyelftools is not installed")
pytest.importorskip("lief", reason="lief is not installed")
from arm64.machine import Machine

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both libraries into a folder."""
    if shutil.which("aarch64-linux-gnu-g++") is None:
        pytest.skip("aarch64-linux-gnu-g++ is not installed")
    folder = tmp_path_factory.mktemp("arm64")
    script = ROOT / "tools/arm64/build_kernels.sh"
    done = subprocess.run([script, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session", params=["linux.so", "windows.dll"])
def library(request: pytest.FixtureRequest, libraries: Path) -> Path:
    """Each library in turn."""
    path = libraries / str(request.param)
    if not path.exists():
        pytest.skip("clang-cl and lld-link are not installed")
    return path


@pytest.fixture(scope="session")
def machine(library: Path) -> Machine:
    """One emulated CPU for each library: its translated code is kept between tests."""
    return Machine(library)


@pytest.fixture(scope="session")
def watched(library: Path) -> Machine:
    """The same, with every block and memory access noted: slower."""
    return Machine(library, watched=True)


@pytest.fixture(params=["arm64-ce", "arm64-eor3"])
def kernel(request: pytest.FixtureRequest) -> str:
    """Each AES kernel in turn."""
    return str(request.param)
