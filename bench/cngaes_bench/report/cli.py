"""`python -m cngaes report FILE.json... -o report.html`."""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..extras import MissingExtrasError, require

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Write reports of result files; the result is the exit status: 0, or 2 with a reason."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        require()
    except MissingExtrasError as error:
        return _fail(error)
    from ..comparison import EmptyComparisonError
    from ..results import NotOursError
    from ..tables import BaselineError
    from ..targets import TargetError

    given = _make_parser().parse_args(arguments)
    try:
        return _run(given)
    except (NotOursError, BaselineError, EmptyComparisonError, TargetError, OSError) as error:
        return _fail(error)


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cngaes report",
        description="Write results of `python -m cngaes bench` as a page of HTML that needs "
        "nothing from elsewhere, as Markdown, or as CSV.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.json")
    parser.add_argument("-o", "--html", type=Path, metavar="FILE.html",
                        help="default: the first file's name, in this folder")  # fmt: skip
    parser.add_argument("--md", type=Path, metavar="FILE.md")
    parser.add_argument("--csv", type=Path, metavar="FILE.csv")
    parser.add_argument("--baseline", metavar="PATH/PLACEMENT", help="what ratios refer to")
    parser.add_argument("--compare", type=Path, metavar="OLD.json",
                        help="how ratios to an anchor path have changed since")  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace existing files")
    return parser


def _run(given: argparse.Namespace) -> int:
    from ..comparison import comparison_section
    from ..document import to_markdown
    from ..results import read
    from ..tables import csv_text, document
    from ..targets import check_targets
    from .page import Part, render

    html: Path | None = given.html
    if not (given.html or given.md or given.csv):
        html = Path(given.files[0].name).with_suffix(".html")
    targets = [target for target in (html, given.md, given.csv) if target is not None]
    check_targets(targets, force=given.force)
    parts = [Part(path.name, read(path), _text(path)) for path in given.files]
    if given.compare is not None:
        old = read(given.compare)
        for part in parts:
            part.sections.append(
                comparison_section(part.measurement, old, given.compare, given.baseline)
            )
    measurements = [part.measurement for part in parts]
    if html is not None:
        _write(html, render(parts, given.baseline))
    if given.md is not None:
        _write(given.md, "\n".join(
            to_markdown(document(part.measurement, given.baseline, part.sections))
            for part in parts
        ))  # fmt: skip
    if given.csv is not None:
        _write(given.csv, csv_text(measurements, given.baseline))
    for target in targets:
        print(f"written: {target}")
    return 0


def _text(path: Path) -> str:
    """Give the text of a result file, which pyperf also reads compressed."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode("utf-8")
    return path.read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")


def _fail(error: Exception) -> int:
    print(f"error: {error}", file=sys.stderr)
    return USAGE
