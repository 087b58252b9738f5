"""What a result says about its machine: read from the system, never assumed."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from cngaes_bench import surroundings, system
from cngaes_bench.libraries import instruction_facts, loaded_files
from cngaes_bench.machine import describe
from cngaes_bench.model import CACHES, cache_sizes
from cngaes_bench.system import clock_mhz
from synthetic import measurement

if TYPE_CHECKING:
    from pathlib import Path

X86 = {"vendor_id": "GenuineIntel", "flags": "fpu aes"}


def test_every_fact_has_an_answer() -> None:
    facts = describe()
    for name in ("cpu", "process", "machine", "caches", "huge_pages", "fresh_memory", "governor",
                 "power", "work_clock", "load", "cryptography"):  # fmt: skip
        assert facts[name].strip(), name
        assert "\n" not in facts[name]
    assert re.match(r"native|emulated: ", facts["process"])
    if facts[CACHES] != surroundings.UNKNOWN:
        assert cache_sizes(measurement(machine=facts))


def test_the_work_clock_moves_in_fine_steps() -> None:
    """Whatever the system says of its resolution."""
    smallest = 1 << 62
    for _ in range(20):
        before = after = system.work_ns()
        while after == before:
            after = system.work_ns()
        smallest = min(smallest, after - before)
    assert smallest < 50_000


@pytest.mark.skipif(sys.platform != "linux", reason="as Linux describes it")
def test_guest_and_emulation_are_told_from_what_the_system_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    monkeypatch.setattr("cngaes.backends.emulation", lambda: "")
    assert surroundings.process() == "native aarch64"
    monkeypatch.setattr("cngaes.backends.emulation", lambda: "arm64 code on an x86_64 machine")
    assert surroundings.process() == "emulated: arm64 code on an x86_64 machine"
    monkeypatch.setattr(surroundings, "_read", lambda _: "")
    guest = {"flags": "fpu hypervisor"}
    assert surroundings.machine(guest) == "virtual (hypervisor not named)"
    assert surroundings.machine({"flags": "fpu"}) == "physical"
    assert surroundings.machine({}) == "unknown"
    monkeypatch.setattr(surroundings, "_read", lambda path: "QEMU" if "vendor" in str(path) else "")
    assert surroundings.machine({}) == "virtual (QEMU)"


@pytest.mark.skipif(sys.platform != "linux", reason="as Linux describes it")
def test_settings_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "_read", lambda _: "always [madvise] never")
    assert surroundings.huge_pages() == "madvise"
    monkeypatch.setattr(surroundings, "_read", lambda _: "")
    assert (surroundings.huge_pages(), surroundings.governor()) == ("unknown", "not visible")


def test_the_allocator_is_asked_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert re.fullmatch(r"in every call from \d+ [KM]iB on|not up to 32 MiB",
                        surroundings.fresh_memory())  # fmt: skip
    monkeypatch.setattr(surroundings, "_ALLOCATOR", "raise SystemExit(1)")
    assert surroundings.fresh_memory() == "unknown"


def test_instructions_are_read_from_the_loaded_files(tmp_path: Path) -> None:
    import cngaes._core

    assert cngaes._core.__file__ in loaded_files()
    facts = instruction_facts()
    assert any(word in facts["instructions in cngaes"] for word in ("AESENC", "AESE"))
    empty = tmp_path / "Cryptodome" / "Cipher" / "_raw_aes.abi3.so"
    empty.parent.mkdir(parents=True)
    empty.write_bytes(b"")
    assert instruction_facts([str(empty), "/usr/lib/libc.so.6"]) == {
        "instructions in pycryptodomex": "none for AES, GHASH or SHA-256"
    }


def test_the_clock_is_one_that_a_core_can_have() -> None:
    """Adds of constants take no time on some cores, and once made 10 GHz of 2.4."""
    clocks = [clock_mhz() or 0.0 for _ in range(20)]
    assert 200 < max(clocks) < 7000
