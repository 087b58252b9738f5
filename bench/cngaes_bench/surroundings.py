"""What surrounds the CPU: host or guest, native or emulated, caches, pages, governor, power."""

from __future__ import annotations

import contextlib
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping

UNKNOWN = "unknown"
_HYPERVISORS = {
    "kvm": "KVM", "qemu": "QEMU", "vmware": "VMware", "virtualbox": "VirtualBox", "xen": "Xen",
    "microsoft corporation virtual": "Hyper-V", "amazon ec2": "EC2", "google": "Google Cloud",
    "firecracker": "Firecracker", "parallels": "Parallels", "apple virtual": "Apple",
}  # fmt: skip
# Fresh blocks of growing sizes, three times each: the size from which on the third still faults.
_ALLOCATOR = """
import ctypes
try:
    import resource
    def faults():
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
except ImportError:
    import psutil
    process = psutil.Process()
    def faults():
        return process.memory_info().num_page_faults
first = 0
for shift in range(16, 26):
    for _ in range(3):
        before = faults()
        block = ctypes.create_string_buffer(1 << shift)
        raw = block.raw
        seen = faults() - before
        del block, raw
    always = seen * 4096 > 1 << shift
    first = (first or 1 << shift) if always else 0
print(first)
"""


def facts(cpuinfo: Mapping[str, str]) -> dict[str, str]:
    """Tell everything; what cannot be found out is "unknown"."""
    return {
        "process": process(),
        "machine": machine(cpuinfo),
        "caches": caches(),
        "huge_pages": huge_pages(),
        "fresh_memory": fresh_memory(),
        "governor": governor(),
        "power": power(),
    }


def process() -> str:
    """Tell whether this process is native to the machine, or translated."""
    architecture = platform.machine() or UNKNOWN
    if sys.platform == "darwin" and sysctl("sysctl.proc_translated") == "1":
        return f"emulated: {architecture} process under Rosetta 2"
    with contextlib.suppress(ImportError, AttributeError):  # an older or no cngaes
        from cngaes import backends

        if emulation := backends.emulation():
            return f"emulated: {emulation}"
    return f"native {architecture}"


def machine(cpuinfo: Mapping[str, str]) -> str:
    """Tell whether there is a hypervisor under this system, and whose."""
    if sys.platform == "darwin":
        return {"0": "physical", "1": "virtual"}.get(sysctl("kern.hv_vmm_present"), UNKNOWN)
    names = " ".join(_read(f"/sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name"))
    if sys.platform == "win32":
        names = _windows_product()
    vendor = next((v for key, v in _HYPERVISORS.items() if key in names.lower()), "")
    if "hypervisor" in cpuinfo.get("flags", "").split() or vendor:
        return f"virtual ({vendor or _read('/sys/hypervisor/type') or 'hypervisor not named'})"
    return "physical" if cpuinfo.get("flags") or names.strip() else UNKNOWN


def caches() -> str:
    """List the caches that a core sees: "L1d 48 KiB, L2 2 MiB"."""
    if sys.platform == "darwin":
        names = (("L1d", "hw.l1dcachesize"), ("L2", "hw.l2cachesize"), ("L3", "hw.l3cachesize"))
        sizes = [(name, sysctl(key)) for name, key in names]
        found = [f"{name} {_size(int(text))}" for name, text in sizes if text.isdigit()]
        return ", ".join(found) or UNKNOWN
    found = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (_read(index / name) for name in ("level", "type", "size"))
        if kind in ("Data", "Unified") and size.endswith("K"):
            found.append(f"L{level}{'d' if kind == 'Data' else ''} {_size(int(size[:-1]) << 10)}")
    return ", ".join(found) or UNKNOWN


def huge_pages() -> str:
    """Tell when the system makes huge pages of fresh memory: always, when asked, never."""
    if sys.platform != "linux":
        return "no setting to read"
    text = _read("/sys/kernel/mm/transparent_hugepage/enabled")
    return text[text.index("[") + 1 : text.index("]")] if "[" in text else UNKNOWN


def fresh_memory() -> str:
    """Tell from which size on a block comes fresh from the system every time, by its faults.

    In a process of its own: what it frees teaches an allocator to keep more.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", _ALLOCATOR],
            capture_output=True, text=True, check=True, timeout=20,
        )  # fmt: skip
        size = int(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return UNKNOWN
    return f"in every call from {_size(size)} on" if size else "not up to 32 MiB"


def governor() -> str:
    """Tell how the clock is chosen."""
    if sys.platform != "linux":
        return "no setting to read"
    return _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "not visible"


def power() -> str:
    """Tell what feeds the machine."""
    try:
        battery = psutil.sensors_battery()
    except (AttributeError, OSError, RuntimeError):
        return UNKNOWN
    if battery is None:
        return "no battery"
    return "mains" if battery.power_plugged else f"battery, {battery.percent:.0f} %"


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size % (1 << 20) == 0 else f"{size >> 10} KiB"


def _read(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def sysctl(name: str) -> str:
    """Read a fact of macOS; empty where there is none."""
    try:
        done = subprocess.run(
            ["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, check=True, timeout=5
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


if sys.platform == "win32":
    import winreg

    def _windows_product() -> str:
        path = r"HARDWARE\DESCRIPTION\System\BIOS"
        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path) as key:
                names = ("SystemManufacturer", "SystemProductName")
                return " ".join(str(winreg.QueryValueEx(key, name)[0]) for name in names)
        except OSError:
            return ""
else:

    def _windows_product() -> str:
        return ""
