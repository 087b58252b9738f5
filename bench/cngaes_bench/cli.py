"""`python -m cngaes bench`: errors become one line and an exit status."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING

from .extras import MissingExtrasError, require

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these arguments; the result is the exit status.

    0 all is well, 1 a path failed and lost its results, 2 the wish cannot be met, 3 this build is
    slower than the one it was held against, 130 stopped by Ctrl-C (what was measured is kept).
    """
    started = perf_counter()
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        require()
    except MissingExtrasError as error:
        return _fail(error)
    # Only now: these import what `require` looked for.
    from .against import NoPairError, WheelError
    from .bench import NothingMeasuredError, run
    from .buffers import NoRoomError
    from .comparison import EmptyComparisonError
    from .options import parse
    from .results import NotOursError
    from .targets import TargetError

    try:
        options = parse(arguments)
    except ValueError as error:
        return _fail(error)
    try:
        return run(options, arguments, started)
    except (
        TargetError, NoRoomError, NothingMeasuredError, NotOursError, EmptyComparisonError,
        WheelError, NoPairError, OSError,
    ) as error:  # fmt: skip
        return _fail(error)
    except KeyboardInterrupt:
        print("interrupted before the first round: nothing was measured", file=sys.stderr)
        return 130


def _fail(error: Exception) -> int:
    print(f"error: {error}", file=sys.stderr)
    return USAGE
