"""The command line of `python -m cngaes bench`, checked and turned into a plan."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .article import article_cases
from .cases import Case, UnknownNameError, format_size, parse_size
from .cells import KEYS, PLACEMENTS
from .paths import PRICES, REGISTRY
from .peers.registry import PATHS as PEER_PATHS
from .peers.registry import PROGRAMS, Program, find_program
from .planner import Selection
from .suites import SUITES, find_suite, known_cases
from .targets import default_targets
from .workload import ARTICLE_SIZE, MIB

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BUDGET, QUICK_BUDGET = 120.0, 20.0
QUICK_SIZE = 32 * MIB  # the smallest size at which glibc gives no recycled memory


class UsageError(ValueError):
    """A wish that makes no sense; the text says what would."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to measure, how long, and where the results go."""

    selection: Selection
    peers: tuple[Program, ...]
    peer_paths: tuple[str, ...] | None  # of the peers' paths these only; None: all of them
    article: bool
    shrinkable: bool  # the size was not asked for, so a slow machine may take less
    rounds: int
    runs: int
    min_time: float
    budget: float | None
    seed: int | None
    json: Path | None
    html: Path | None
    markdown: Path | None
    csv: Path | None
    force: bool
    baseline: str | None = None  # path/placement that ratios refer to
    compare: Path | None = None  # an older file
    against: Path | None = None  # a wheel with an older build

    @property
    def targets(self) -> list[Path]:
        """All files to be written."""
        return [t for t in (self.json, self.html, self.markdown, self.csv) if t is not None]

    def at_size(self, size: int) -> Options:
        """Give the same plan with the article's cases at another size."""
        return replace(self, selection=replace(self.selection, cases=article_cases(size)))

    def with_paths(self, peers: Iterable[str]) -> Options:
        """Add the paths that running peers offer, as far as they are wanted."""
        known = self.peer_paths
        wanted = [n for n in peers if known is None or n in known or n not in PEER_PATHS]
        paths = (*self.selection.paths, *wanted)
        return replace(self, selection=replace(self.selection, paths=paths))


def make_parser() -> argparse.ArgumentParser:
    """Define all options; `--help` lists the known names."""
    parser = argparse.ArgumentParser(
        prog="python -m cngaes bench",
        description="Measure AES and SHA-256 through every path of this machine, side by side. "
        "Without options: the article's workload (128 MiB, four algorithms, 9 rounds).",
        epilog=f"Cases: {', '.join(known_cases())}, each with a size such as /16B, /1KiB, /1MiB.",
    )
    what = parser.add_argument_group("what")
    choice = what.add_mutually_exclusive_group()
    choice.add_argument("--article", action="store_true", help="the article's workload (default)")
    choice.add_argument("--suite", nargs="+", metavar="NAME", help=f"of {', '.join(SUITES)}")
    choice.add_argument(
        "--case", nargs="+", metavar="NAME", help="such as aes-256-gcm/encrypt/1MiB"
    )
    what.add_argument("--path", nargs="+", metavar="NAME",
                      help=f"of {', '.join((*REGISTRY, *PEER_PATHS))}")  # fmt: skip
    what.add_argument("--peers", nargs="*", metavar="NAME",
                      help="programs in other languages, too: all that this machine has, or of "
                      f"{', '.join(program.name for program in PROGRAMS)}")  # fmt: skip
    what.add_argument("--placement", nargs="+", metavar="NAME", help=f"of {', '.join(PLACEMENTS)}")
    what.add_argument("--size", nargs="+", metavar="SIZE", help="instead of the cases' own sizes")
    what.add_argument("--key", nargs="+", metavar="NAME", help=f"of {', '.join(KEYS)}")
    what.add_argument("--threads", nargs="+", type=int, default=[1], metavar="N")
    how = parser.add_argument_group("how")
    how.add_argument("--rounds", type=int, metavar="N", help="no fewer, however long it takes")
    how.add_argument("--runs", type=int, default=1, metavar="K", help="whole measurements")
    how.add_argument("--min-time", type=float, metavar="MS", help="shortest value (default 20)")
    how.add_argument("--budget", type=float, metavar="S", help="seconds a run (article: 120)")
    how.add_argument("--quick", action="store_true", help="within 20 s: smaller input, 5 rounds")
    how.add_argument("--seed", type=int, metavar="N", help="of the shuffled order")
    where = parser.add_argument_group("results")
    where.add_argument("-o", dest="json", type=Path, metavar="FILE.json", help="a pyperf suite")
    where.add_argument("--html", type=Path, metavar="FILE")
    where.add_argument("--md", type=Path, metavar="FILE")
    where.add_argument("--csv", type=Path, metavar="FILE")
    what.add_argument("--against", type=Path, metavar="WHEEL",
                      help="an older build in the same rounds (then no other path by default); "
                      "exit status 3 if this one is slower beyond the noise floor")  # fmt: skip
    where.add_argument("--baseline", metavar="PATH/PLACEMENT", help="what ratios refer to")
    where.add_argument(
        "--compare",
        type=Path,
        metavar="OLD.json",
        help="how ratios to the baseline have changed since an older file",
    )
    where.add_argument("--force", action="store_true", help="replace existing files")
    return parser


def parse(argv: Sequence[str]) -> Options:
    """Read the command line. Raises UsageError or UnknownNameError; argparse exits by itself."""
    given = make_parser().parse_args(argv)
    for name, value in (("rounds", given.rounds), ("runs", given.runs), ("budget", given.budget)):
        if value is not None and value < 1:
            raise UsageError(f"--{name} is 1 or more, not {value}")
    if given.min_time is not None and not 0 < given.min_time <= 60_000:
        raise UsageError(f"--min-time is above 0 and at most 60000 ms, not {given.min_time}")
    if min(given.threads) < 1:
        raise UsageError(f"--threads is 1 or more, not {min(given.threads)}")
    if given.baseline is not None and given.baseline.split("/")[1:2] not in (
        [n] for n in PLACEMENTS
    ):
        raise UsageError(f"--baseline is PATH/PLACEMENT (cpu/into), not {given.baseline!r}")
    article = not (given.suite or given.case)
    named = _known("path", given.path, (*REGISTRY, *PEER_PATHS))
    peers, peer_paths = _peers(given.peers, named)
    json, html = given.json, given.html
    if not any((json, html, given.md, given.csv)):
        json, html = default_targets()
    return Options(
        selection=_selection(given, named),
        peers=peers,
        peer_paths=peer_paths,
        article=article,
        shrinkable=article and not given.size,
        rounds=given.rounds or (5 if given.quick else 9),
        runs=given.runs,
        min_time=(given.min_time or (5 if given.quick else 20)) / 1e3,
        budget=_budget(given, article=article),
        seed=given.seed,
        json=json,
        html=html,
        markdown=given.md,
        csv=given.csv,
        force=given.force,
        baseline=given.baseline,
        compare=given.compare,
        against=given.against,
    )


def _budget(given: argparse.Namespace, *, article: bool) -> float | None:
    """Seconds a run may take; none when the rounds were asked for."""
    if given.budget is not None:
        return float(given.budget)
    if given.rounds is not None:
        return None
    if given.quick:
        return QUICK_BUDGET
    return BUDGET if article else None


def _peers(
    given: list[str] | None, named: tuple[str, ...] | None
) -> tuple[tuple[Program, ...], tuple[str, ...] | None]:
    """Programs to start, and which of their paths are wanted.

    A path of a peer that is named wants its program, with `--peers` or without; `--peers` beside
    `--path` adds all paths of its programs.
    """
    wanted = [find_program(name) for name in given or ()]
    if given is not None and not given:
        wanted = list(PROGRAMS)
    paths = [path for program in wanted for path in program.paths]
    paths += [path for path in named or () if path in PEER_PATHS]
    programs = dict.fromkeys([*wanted, *(PEER_PATHS[path] for path in paths)])
    everything = {path for program in programs for path in program.paths} <= set(paths)
    return tuple(programs), None if everything else tuple(dict.fromkeys(paths))


def _selection(given: argparse.Namespace, named: tuple[str, ...] | None) -> Selection:
    # Two builds are compared by themselves, unless other paths are asked for by name.
    measured = tuple(path for path in REGISTRY if path not in PRICES)
    default = () if given.against is not None and named is None else measured
    return Selection(
        cases=_cases(given),
        paths=tuple(default if named is None else (n for n in named if n in REGISTRY)),
        placements=_known("placement", given.placement, PLACEMENTS),
        keys=_known("key", given.key, KEYS),
        threads=tuple(dict.fromkeys(given.threads)),
    )


def _known(kind: str, given: list[str] | None, known: Iterable[str]) -> tuple[str, ...] | None:
    for name in given or ():
        if name not in known:
            raise UnknownNameError(kind, name, known)
    return tuple(dict.fromkeys(given)) if given else None


def _cases(given: argparse.Namespace) -> tuple[Case, ...]:
    sizes = [parse_size(text) for text in given.size or ()]
    if given.case:
        found = [case for name in given.case for case in _named_cases(name, sizes)]
    elif given.suite:
        found = [case for name in given.suite for case in _resized(find_suite(name), sizes)]
    else:
        if odd := [size for size in sizes if size % MIB]:
            raise UsageError(f"the article's input is whole MiB, not {format_size(odd[0])}")
        sizes = sizes or [QUICK_SIZE if given.quick else ARTICLE_SIZE]
        found = [case for size in sizes for case in article_cases(size)]
    return tuple(dict.fromkeys(found))


def _named_cases(name: str, sizes: list[int]) -> list[Case]:
    pair = "/".join(name.split("/")[:2])
    if pair not in known_cases():
        raise UnknownNameError("case", name, known_cases())
    if sizes:
        return [Case.parse(f"{pair}/{format_size(size)}") for size in sizes]
    if pair == name:
        raise UsageError(f"case {name!r} has no size: write {name}/1MiB, or add --size")
    return [Case.parse(name)]


def _resized(cases: tuple[Case, ...], sizes: list[int]) -> list[Case]:
    if not sizes:
        return list(cases)
    return [replace(case, size=size) for case in cases for size in sizes]
