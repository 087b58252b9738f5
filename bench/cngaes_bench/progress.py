"""Progress on a terminal, silence elsewhere."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress as Bar

_DRAW_EVERY = 0.1


class Progress(Protocol):
    """Where the runner says how far it is."""

    def stage(self, text: str, total: int) -> None:
        """Begin a stage of `total` steps."""

    def step(self, text: str = "") -> None:
        """Begin a step named by `text`; the one before it is done."""


class Silent:
    """No progress at all."""

    def stage(self, text: str, total: int) -> None:
        """Do nothing."""

    def step(self, text: str = "") -> None:
        """Do nothing."""


class Drawn:
    """A bar of rich's that is drawn between values only.

    rich's own refreshing thread would disturb what is measured.
    """

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None, detail="")
        self._begun = 0
        self._drawn = 0.0

    def stage(self, text: str, total: int) -> None:
        """Begin a new bar."""
        self._begun = 0
        self._bar.reset(self._task, total=total, description=text, detail="")
        self._bar.refresh()

    def step(self, text: str = "") -> None:
        """Move on; draw at most ten times a second."""
        self._bar.update(self._task, completed=self._begun, detail=text)
        self._begun += 1
        if monotonic() - self._drawn >= _DRAW_EVERY:
            self._bar.refresh()
            self._drawn = monotonic()


@contextmanager
def shown(*, wanted: bool = True) -> Iterator[Progress]:
    """Show a progress bar on standard error when that is a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[detail]}"),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        yield Drawn(bar)
