"""Files to be written: refused before anything is measured, not after two minutes."""

from __future__ import annotations

import argparse
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def table_parser(doc: str | None, *, quick: str) -> argparse.ArgumentParser:
    """Make the parser of a script that prints tables; `quick` says what --quick leaves out."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0] if doc else None)
    parser.add_argument("--md", type=Path, metavar="FILE", help="write the tables there too")
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--force", action="store_true", help="replace existing files")
    return parser


def table_options(
    parser: argparse.ArgumentParser, argv: Sequence[str] | None
) -> argparse.Namespace:
    """Parse, and refuse files (--md, and -o where the script has it) that cannot be written."""
    given = parser.parse_args(argv)
    files = (getattr(given, "json", None), given.md)
    try:
        check_targets([file for file in files if file is not None], force=given.force)
    except TargetError as error:
        parser.error(str(error))
    return given
