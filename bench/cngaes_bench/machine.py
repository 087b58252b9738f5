"""What this machine is, as far as a reader of a result must know it."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata
from pathlib import Path

from . import surroundings
from .bounds import design_of
from .system import HAS_WORK_CLOCK, clock_mhz, cpu_count, load_average

_FEATURES = ("aes", "pclmulqdq", "avx2", "vaes", "vpclmulqdq", "avx512f", "sha_ni",
             "pmull", "sha2", "sha3")  # fmt: skip
_LIBRARIES = ("cryptography", "pycryptodomex", "pyperf")
_VARIABLES = ("CNGAES_BACKEND", "CNGAES_KERNEL", "CNGAES_CPU_MASK")
_BUSY = 0.5
# Which clock the probes are timed by: one that stands still while others have the CPU, if any.
WORK_CLOCK, RUNNING = "work_clock", "running time of the process"


def describe() -> dict[str, str]:
    """Facts about machine and software, in the order in which they are shown."""
    clock = clock_mhz()
    facts = {
        "cpu": cpu_name(),
        **({"cpu_design": design} if (design := cpu_design()) else {}),
        "cpu_features": " ".join(cpu_features()) or "unknown",
        "cpus": str(cpu_count()),
        "clock": f"{clock:.0f} MHz (dependent adds)" if clock else "not measured (no extension)",
        "architecture": platform.machine() or "unknown",
        "os": platform.platform(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "page_size": f"{page_size()} B",
        "load": f"{load_average():.2f}",
        WORK_CLOCK: RUNNING if HAS_WORK_CLOCK else "time of day",
    }
    facts |= surroundings.facts(_cpuinfo())
    facts |= {library: _version(library) for library in _LIBRARIES}
    return facts | _package_facts()


def load_warning() -> str:
    """Say when other programs use a good part of this machine; else say nothing."""
    load, cpus = load_average(), cpu_count()
    if load <= _BUSY * cpus:
        return ""
    return f"load {load:.2f} on {cpus} CPUs before the start: other programs disturb the values"


def cpu_name() -> str:
    """Find the processor's own name; pyperf does on x86 Linux only."""
    if sys.platform == "win32":
        return _registry_cpu_name() or platform.processor() or "unknown"
    if sys.platform == "darwin":
        return surroundings.sysctl("machdep.cpu.brand_string") or platform.processor() or "unknown"
    fields = _cpuinfo()
    for key in ("model name", "Model", "Hardware"):
        if fields.get(key):
            return fields[key]
    if "CPU part" in fields:
        return f"Arm implementer {fields.get('CPU implementer', '?')} part {fields['CPU part']}"
    return platform.processor() or "unknown"


def cpu_features() -> tuple[str, ...]:
    """List instruction sets that matter here: the package's view, else the kernel's."""
    try:
        import cngaes

        return tuple(cngaes.cpu_features())
    except (ImportError, AttributeError):
        fields = _cpuinfo()
        words = (fields.get("flags") or fields.get("Features") or "").split()
        return tuple(name for name in _FEATURES if name in words)


def cpu_design() -> str:
    """Name the CPU's design where its instructions have been timed; empty elsewhere."""
    fields = _cpuinfo()
    family = fields.get("cpu family", "")
    flags = fields.get("flags", "").split()
    return design_of(fields.get("vendor_id", ""), int(family) if family.isdigit() else 0, flags)


def has_avx512() -> bool:
    """Tell whether the CPU has AVX-512, also when this package is told not to use it."""
    words = (*cpu_features(), *_cpuinfo().get("flags", "").split())
    return any(word.startswith("avx512") for word in words)


def page_size() -> int:
    """Bytes of a memory page."""
    if sys.platform == "win32":
        return 4096
    return os.sysconf("SC_PAGE_SIZE")


def _package_facts() -> dict[str, str]:
    try:
        import cngaes
    except ImportError as error:
        return {"cngaes": f"cannot be imported: {error}"}
    try:
        backend = str(cngaes.default_backend())
    except cngaes.UnsupportedBackend as error:  # the environment asks for another one
        backend = f"none: {error}"
    best = (f"{family}={names[0]}" for family, names in cngaes.supported_kernels().items())
    facts = {"cngaes": str(cngaes.__version__), "backend": backend, "best kernels": " ".join(best)}
    windows = cngaes.backends.windows_info()
    if windows["wine_version"]:
        facts["wine_version"] = f"{windows['wine_version']} (its bcrypt.dll is not Windows' CNG)"
    if emulation := cngaes.backends.emulation():
        facts["emulated"] = emulation
    return facts | {name: os.environ[name] for name in _VARIABLES if os.environ.get(name)}


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "not installed"


def _cpuinfo() -> dict[str, str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    return fields


if sys.platform == "win32":
    import winreg

    def _registry_cpu_name() -> str:
        path = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path) as key:
                return str(winreg.QueryValueEx(key, "ProcessorNameString")[0]).strip()
        except OSError:
            return ""
