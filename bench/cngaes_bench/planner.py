"""From what was asked for to the cells that are tried."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .cells import INTO, KEYS, NEW, PER_CALL, Cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .cases import Case
    from .paths.base import Hello

# The A/A pair of a case is the first of these that is there: quick, common, no fresh pages.
_TWINS = (f"cpu/{INTO}", f"cpu/{NEW}", f"cryptography/{INTO}", f"cryptography/{NEW}")


@dataclass(frozen=True, slots=True)
class Selection:
    """What to measure. None means: what each path offers by itself."""

    cases: tuple[Case, ...]
    paths: tuple[str, ...]
    placements: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    threads: tuple[int, ...] = (1,)
    twins: bool = True  # add an A/A pair to every case

    def candidates(self, hellos: Iterable[Hello]) -> list[tuple[Cell, ...]]:
        """Cells to try; of each tuple the first one that its path supports is measured.

        Without a wish the key is reused, unless a path can only make one per call.
        """
        hellos = tuple(hellos)
        keys = [(key,) for key in self.keys] if self.keys else [KEYS]
        return [
            tuple(Cell(case, hello.name, placement, key, threads) for key in alternatives)
            for case in self.cases
            for hello in hellos
            for placement in self._placements(hello)
            for alternatives in keys
            for threads in self.threads
        ]

    def _placements(self, hello: Hello) -> tuple[str, ...]:
        if self.placements is not None:
            return self.placements
        return tuple(offer.rpartition("/")[2] for offer in hello.paths)


def twins(cells: Sequence[Cell]) -> list[Cell]:
    """Make one more entry for each case: the second half of its A/A pair."""
    found = []
    for case in dict.fromkeys(cell.case for cell in cells):
        of_case = [cell for cell in cells if cell.case == case]
        best = min(of_case, key=_twin_rank)
        found.append(replace(best, again=True))
    return found


def _twin_rank(cell: Cell) -> tuple[bool, int]:
    place = f"{cell.path}/{cell.placement}"
    rank = _TWINS.index(place) if place in _TWINS else len(_TWINS)
    return cell.key == PER_CALL or cell.threads > 1, rank


def twin_of(cell: Cell) -> Cell:
    """Name the other half of an A/A pair."""
    return replace(cell, again=not cell.again)
