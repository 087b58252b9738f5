"""The suite that looks for cliffs: what it takes for one, and what it draws."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from cngaes_bench import cliffs
from cngaes_bench.cliffs import Mode

if TYPE_CHECKING:
    from pathlib import Path

ANY = Mode("any", lambda data: lambda: data)
SHA = Mode("SHA-256", lambda data: lambda: data, block=64, border=55)


def curve(height: dict[int, float], most: int = 100) -> dict[int, float]:
    return {size: height.get(size, 1.0) for size in range(most + 1)}


def found(mode: Mode, seconds: dict[int, float], step: float = 2.0) -> list[int]:
    return [size for size, _ in cliffs.cliffs(mode, seconds, lambda _, __: step)]


@pytest.mark.parametrize("high", [1.3, 0.7])
def test_a_step_either_way_is_found(high: float) -> None:
    assert found(ANY, curve({40: high})) == [40, 41]


def test_small_steps_and_borders_are_none() -> None:
    assert found(ANY, curve({40: 1.2})) == []
    steps = {size: 1.0 + size // 16 for size in range(101)}  # a block more at 16, 32, ...
    assert found(ANY, steps) == []
    assert found(ANY, {size: 1.0 + (size + 4) // 16 for size in range(101)}) == [12, 28, 44]
    assert found(SHA, {size: 1.0 + (size + 8) // 64 for size in range(101)}) == []
    assert found(SHA, {size: 1.0 + size // 50 for size in range(101)}) == [50, 100]


def test_what_was_noise_is_none() -> None:
    assert found(ANY, curve({40: 3.0}), step=1.01) == []


def test_every_mode_is_measured_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    svg = tmp_path / "cliffs.svg"
    assert cliffs.main(["--quick", "--svg", str(svg)]) == 0
    text = capsys.readouterr().out
    for mode in cliffs.modes():
        assert f"| {mode.name} | {300 // mode.every + 1} |" in text
    lines = ET.parse(svg).getroot().findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [
        300 // mode.every + 1 for mode in cliffs.modes()
    ]
    with pytest.raises(SystemExit):
        cliffs.main(["--quick", "--svg", str(svg)])
