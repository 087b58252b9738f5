"""From values to places on paper, and which values get a tick."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..cases import format_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LABEL = 7.0  # widths of an average character in a label, with a little air


class Scale(Protocol):
    """Places of values between two ends."""

    def __call__(self, value: float) -> float:
        """Give the place of a value."""

    def ticks(self) -> Sequence[tuple[float, str]]:
        """Values that get a line, and what is written there (empty: only a line)."""


def text_width(text: str) -> float:
    """Estimate how wide a label will be: nobody can measure a reader's font."""
    return len(text) * _LABEL


@dataclass(frozen=True, slots=True)
class Linear:
    """From 0, or from below where there are negative values, in steps of 1, 2 or 5."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float) -> Linear:
        """Cover all values and 0."""
        values = list(values)
        low, high = min(0.0, *values), max(0.0, *values)
        if low == high:
            high = low + 1
        return cls(low, high, start, end)

    def __call__(self, value: float) -> float:
        """Give the place of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Mark round values."""
        room = abs(self.end - self.start) / 70
        step = _round_step((self.high - self.low) / max(1.0, room))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [(i * step, number(i * step)) for i in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Logarithmic:
    """Equal ratios are equal distances."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float) -> Logarithmic:
        """Cover all positive values, with some air and at least a factor of two."""
        positive = [value for value in values if value > 0] or [1.0]
        low, high = min(positive), max(positive)
        air = max(1.08, (high / low) ** 0.04, math.sqrt(2 / max(1.0, high / low)))
        return cls(low / air, high * air, start, end)

    def __call__(self, value: float) -> float:
        """Give the place of a value; what is below the scale stands at its beginning."""
        share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return self.start + min(share, 1.0) * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Mark 1, 2 and 5 of every power of ten, with as many labels as have room."""
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for steps in ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1, 3), (1,)):
            values = [step * 10.0**decade for decade in decades for step in steps]
            values = [value for value in values if self.low <= value <= self.high]
            labels = [(value, number(value)) for value in values]
            if len(values) <= 10 and self._has_room(labels):
                return labels
        every = 2
        while not self._has_room(labels[::every]):
            every += 1
        return labels[::every]

    def _has_room(self, labels: Sequence[tuple[float, str]]) -> bool:
        places = [(self(value), text_width(text)) for value, text in labels]
        pairs = itertools.pairwise(places)
        return all(abs(b - a) > (width_a + width_b) / 2 + 8 for (a, width_a), (b, width_b) in pairs)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Message sizes by powers of two, labelled as the cases are."""

    sizes: Sequence[int]
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Give the place of a size."""
        low, high = min(self.sizes), max(self.sizes)
        share = math.log(value / low) / math.log(high / low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Mark the measured sizes; a label that has no room is left out."""
        found: list[tuple[float, str]] = []
        free = -math.inf
        for size in sorted(self.sizes):
            text = format_size(size)
            half = text_width(text) / 2
            has_room = self(size) - half > free
            found.append((float(size), text if has_room else ""))
            if has_room:
                free = self(size) + half + 6
        return found


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9))


def number(value: float) -> str:
    """Write a tick: no more digits than it has, thousands apart."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.6g}"
