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
    "emulation",
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


# What Linux calls the machines that run code of a build's architecture.
_NATIVE = {
    "x86_64": ("x86_64",),
    "x86": ("x86_64", "i386", "i486", "i586", "i686"),
    "arm64": ("aarch64",),
}


def emulation() -> str:
    """Say what translates the instructions of this process; empty if nothing is known to.

    Times taken in such a process say nothing about a machine.
    """
    windows = windows_info()
    if windows["emulated_process"]:
        return "x64 process on ARM64 Windows"
    # The kernel's own machine (Linux 6.1 and later), which qemu-user passes on unchanged. Wine
    # shows the root folder as drive Z.
    root = "Z:" if windows["wine_version"] else ""
    try:
        # Not pathlib, whose import would cost a good part of this package's.
        with open(f"{root}/proc/sys/kernel/arch", encoding="ascii") as file:  # noqa: PTH123
            machine = file.read().strip()
    except OSError:
        return ""
    built_for = str(_core.build_info()["architecture"])
    if machine in _NATIVE.get(built_for, (machine,)):
        return ""
    return f"{built_for} code on an {machine} machine"
