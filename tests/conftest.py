"""Fixtures: every backend and every kernel that this machine has."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

import cngaes
from engines import Engine, engines

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

FIXTURES = ("aes", "sha", "backend")

# A shell has its background jobs ignore SIGINT, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Skips what only the other backends can do, with CNG's own words as the reason.

    Which calls may say so is tested in test_cng.py: a limit that nobody knows of fails there.
    """
    engine = next((pyfuncitem.funcargs[n] for n in FIXTURES if n in pyfuncitem.funcargs), "cpu")
    try:
        return (yield)
    except (ValueError, cngaes.UnsupportedBackend) as error:
        limit = str(error)
        if getattr(engine, "backend", engine) == "cpu" or 'backend="cpu"' not in limit:
            raise
    pytest.skip(limit)


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
