"""Files to be written: refused before anything is measured, not after two minutes."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path


class TargetError(ValueError):
    """A file that cannot or must not be written; the text says what to do."""


def default_targets() -> tuple[Path, Path]:
    """Name a JSON and an HTML file after the present second, in the current folder."""
    stem = f"cngaes-bench-{datetime.now():%Y%m%d-%H%M%S}"
    return Path(f"{stem}.json"), Path(f"{stem}.html")


def check_targets(targets: list[Path], *, force: bool) -> None:
    """Raise TargetError unless every file can be written."""
    seen: set[Path] = set()
    for target in targets:
        absolute = target.absolute()
        if absolute in seen:
            raise TargetError(f"{target} is named twice as an output")
        seen.add(absolute)
        if target.is_dir():
            raise TargetError(f"{target} is a folder")
        if target.exists() and not force:
            raise TargetError(f"{target} exists already; --force replaces it")
        _check_folder(target.parent)


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise TargetError(f"there is no folder {folder}")
    try:
        # Trying is the only honest test: permission bits say nothing about a read-only disk.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise TargetError(
            f"cannot write into {folder.absolute()} ({reason}); "
            "name a file elsewhere with -o FILE.json"
        ) from error
