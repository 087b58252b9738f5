"""The ways to do a case: one file each, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from ..cases import UnknownNameError
from .base import Path

if TYPE_CHECKING:
    from ..buffers import Buffers
    from ..workload import Workload

Open = Callable[["Workload", "Buffers"], Path]


def _lazy(module: str, name: str, *arguments: object) -> Open:
    """Import a path when it is first used: a missing library loses one path only."""

    def open_path(workload: Workload, buffers: Buffers) -> Path:
        class_ = getattr(import_module(f"{__name__}.{module}"), name)
        path: Path = class_(workload, buffers, *arguments)
        return path

    return open_path


REGISTRY: Mapping[str, Open] = {
    "kernel": _lazy("kernel", "KernelPath"),
    "cng-kernel": _lazy("kernel", "KernelPath", "cng"),
    "cpu": _lazy("cpu", "ExtensionPath", "cpu"),
    "cng": _lazy("cpu", "ExtensionPath", "cng"),
    "cpu-ctypes": _lazy("cpu_ctypes", "CpuCtypesPath"),
    "cng-ctypes": _lazy("cng_ctypes", "CngCtypesPath"),
    "cryptography": _lazy("cryptography", "CryptographyPath"),
    "pycryptodomex": _lazy("pycryptodomex", "PycryptodomexPath"),
    "hashlib": _lazy("hashlib", "HashlibPath"),
    "openssl": _lazy("openssl", "OpensslPath"),
    "cng-noop": _lazy("cng_noop", "NoopPath"),
    "cng-noop-kernel": _lazy("cng_noop", "NoopKernelPath"),
}
# These compute nothing: their time is the price of our own side of a call. Measured only when they
# are named, and their output is compared with nothing.
PRICES = frozenset({"cng-noop", "cng-noop-kernel"})


def find(name: str, registry: Mapping[str, Open] = REGISTRY) -> Open:
    """Look a path up; an unknown name lists the known ones."""
    if name not in registry:
        raise UnknownNameError("path", name, registry)
    return registry[name]
