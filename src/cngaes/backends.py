"""What runs where: backends, kernels, CPU features, and the known-answer tests."""

from __future__ import annotations

from cngaes import _core
from cngaes._core import (
    available_backends,
    backend_status,
    compiled_kernels,
    cpu_features,
    default_backend,
    environment_error,
    self_test,
    self_test_state,
    supported_kernels,
    windows_info,
)

__all__ = [
    "available_backends",
    "backend_status",
    "build_info",
    "compiled_kernels",
    "cpu_features",
    "default_backend",
    "environment_error",
    "self_test",
    "self_test_state",
    "supported_kernels",
    "windows_info",
]


def build_info() -> dict[str, str | int | bool | dict[str, int]]:
    """Say how this extension was built.

    "instructions" counts the cryptographic instructions that really are in the extension's file, by
    name (`cngaes.instructions`); it is empty where the file cannot be read, and on other
    architectures than x86 and ARM64. The file is read at the first call.
    """
    from cngaes.instructions import known  # regular expressions: not for every import

    return {**_core.build_info(), "instructions": dict(known(_core.__file__))}
