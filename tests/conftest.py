"""Fixtures: every backend and every kernel that this machine has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import cngaes
from engines import Engine, engines

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=engines("aes"), ids=str)
def aes(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """AES on each kernel in turn; the kernel is forced while the test runs."""
    with request.param.forced() as engine:
        yield engine


@pytest.fixture(params=engines("sha256"), ids=str)
def sha(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """SHA-256 on each kernel in turn; the kernel is forced while the test runs."""
    with request.param.forced() as engine:
        yield engine


@pytest.fixture(params=cngaes.available_backends())
def backend(request: pytest.FixtureRequest) -> str:
    """Each backend that is available here, with the kernel that it chooses itself."""
    return str(request.param)
