"""Times with the unit that suits them."""

from __future__ import annotations

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))


def unit_for(nanoseconds: float) -> tuple[float, str]:
    """Choose the largest unit of which there is at least one: its nanoseconds and its name."""
    size = abs(nanoseconds)
    return next((unit for unit in _UNITS if size >= unit[0]), _UNITS[-1])


def duration(nanoseconds: float) -> str:
    """Write a time with three figures: 12.3 ms."""
    factor, name = unit_for(nanoseconds)
    return f"{figures(nanoseconds / factor)} {name}"


def figures(value: float) -> str:
    """Write three figures, or all that stand before the point."""
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def between(low: float, value: float, high: float) -> str:
    """Write a time and its interval in one unit: 12.3 ms [11.9, 12.8]."""
    factor, name = unit_for(value)
    ends = ", ".join(figures(end / factor) for end in (low, high))
    return f"{figures(value / factor)} {name} [{ends}]"
