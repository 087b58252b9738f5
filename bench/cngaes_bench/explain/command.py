"""`python -m cngaes explain`: takes apart what a file holds, or what it measures itself."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from ..extras import MissingExtrasError, require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..document import Document
    from ..explanation import Explanation
    from ..measurement import Measurement

USAGE = 2
_CASE = "aes-256-gcm/encrypt/128MiB"  # the article's question


class NothingToExplainError(ValueError):
    """A measurement without anything to take apart; the text says what it would need."""


def make_parser() -> argparse.ArgumentParser:
    """Define the options."""
    from .steady import FEWEST, PATIENCE, WIDEST

    parser = argparse.ArgumentParser(
        prog="python -m cngaes explain",
        description="Say where the time of a call goes: engine, page faults, copies, calls, each "
        "predicted by a probe of its own; and which explanations the data bears out.",
    )
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE.json",
        help="what `bench` wrote; without it, one case is measured now",
    )  # fmt: skip
    parser.add_argument(
        "--case", nargs="+", metavar="NAME",
        help=f"of the file, or to measure (default {_CASE}); algorithm/direction[/size]",
    )  # fmt: skip
    parser.add_argument(
        "--article", action="store_true", help="the article's published numbers, the same way"
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N",
        help=f"to measure, exactly so many; by default from {FEWEST} on until no interval of a "
        f"predicted sum is wider than {WIDEST:.0%}%, for {PATIENCE:.0f} s at most",
    )  # fmt: skip
    return parser


def main(argv: Sequence[str]) -> int:
    """Explain; 0 all is well, 2 the wish cannot be met, 130 stopped by Ctrl-C."""
    started = perf_counter()
    try:
        require()
    except MissingExtrasError as error:
        return _fail(error)
    from ..bench import NothingMeasuredError
    from ..buffers import NoRoomError

    given = make_parser().parse_args(argv)
    try:
        _run(given, started)
    except (OSError, ValueError, NothingMeasuredError, NoRoomError) as error:
        return _fail(error)  # files that are not ours and unknown names are ValueErrors
    except KeyboardInterrupt:
        print("interrupted: nothing was explained", file=sys.stderr)
        return 130
    return 0


def _run(given: argparse.Namespace, started: float) -> None:
    from ..document import Document, Section
    from .article import article_sections
    from .explaining import explain
    from .sections import sections

    shown = []
    measurement = None
    if given.file is not None:
        measurement = _read(given.file, given.case)
    elif not given.article or given.case:
        measurement = _measure(given, started)
    if measurement is not None:
        explanation = explain(measurement)
        _check_anything(explanation)
        shown += sections(explanation)
        if measurement.notes:
            shown.append(Section("How it was measured", notes=measurement.notes))
    if given.article:
        shown += article_sections(measurement)
    _show(Document("cngaes explain", shown))


def _read(path: Path, cases: Sequence[str] | None) -> Measurement:
    from .. import results

    measurement = results.read(path)
    if not cases:
        return measurement
    known = dict.fromkeys(result.cell.case.name for result in measurement.results)
    chosen = {
        name for name in known for case in cases if name == case or name.startswith(f"{case}/")
    }
    if not chosen:
        raise NothingToExplainError(
            f"{path} has no case {', '.join(cases)}; it has {', '.join(known)}"
        )
    kept = [each for each in measurement.results if each.cell.case.name in chosen]
    return replace(measurement, results=kept)


def _measure(given: argparse.Namespace, started: float) -> Measurement:
    from ..bench import measure
    from ..cells import TYPICAL_PASSES
    from ..machine import describe
    from ..options import parse
    from ..progress import shown
    from .steady import MOST, Steady

    options = parse(
        ["--case", *(given.case or [_CASE]), "--placement", "into", "new", *TYPICAL_PASSES,
         "--rounds", str(MOST if given.rounds is None else given.rounds), "-o", "explain.json"]
    )  # fmt: skip
    machine = describe()
    pace = Steady(machine) if given.rounds is None else None
    with shown() as progress:
        measurement = measure(replace(options, json=None), started, progress, pace)
    measurement.machine = machine
    return measurement


def _check_anything(explanation: Explanation) -> None:
    if explanation.waterfalls or explanation.fits:
        return
    raise NothingToExplainError(
        "there is nothing to take apart: no result has layers under it, and none has two sizes; "
        "measure a path such as cpu or cpu-ctypes beside kernel"
    )


def _show(document: Document) -> None:
    from ..document import to_markdown, to_terminal

    if not sys.stdout.isatty():
        sys.stdout.write(to_markdown(document))
        return
    from rich.console import Console

    to_terminal(document, Console())


def _fail(error: Exception) -> int:
    print(f"error: {error}", file=sys.stderr)
    return USAGE
