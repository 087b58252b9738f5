"""The checking scripts below tools/, as modules: their planted faults are tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[1]


def load_script(path: str) -> ModuleType:
    """A script of the checkout; the test is skipped where only tests/ was copied."""
    file = ROOT / path
    if not file.exists():
        pytest.skip("needs the checkout's tools/")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module
