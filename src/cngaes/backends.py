"""What runs where: backends, kernels, CPU features, and the known-answer tests."""

from __future__ import annotations

from cngaes._core import (
    available_backends,
    backend_status,
    build_info,
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
