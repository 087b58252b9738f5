"""What the pyperf scripts in `bench/suites/` share: they name cases, this does the rest.

pyperf starts many worker processes with a scrubbed environment, so whatever chooses a backend
or a kernel travels as an argument of the script, and is put into the worker's environment
before the package is first imported.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyperf

from .buffers import Buffers
from .cases import BLOCK, Case, UnknownNameError, parse_size
from .cells import INTO, KEYS, NEW, PER_CALL, PLACEMENTS, REUSED, Cell
from .outputs import WrongOutputError
from .paths import PRICES, REGISTRY, find
from .paths.base import Path, UnavailableError, UnsupportedError
from .planner import Selection
from .suites import find_suite
from .workload import Workload

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

_ENVIRONMENT = {"backend": "CNGAES_BACKEND", "kernel": "CNGAES_KERNEL"}
_LISTS = ("algorithm", "path", "placement", "size", "key")


class Timed:
    """A cell as pyperf wants it: called with loops, answers with seconds.

    Nothing is made before the first call, because a worker runs one benchmark of many.
    """

    def __init__(self, cell: Cell, session: Path, workload: Workload) -> None:
        self._cell = cell
        self._session = session
        self._workload = workload
        self._ready = False

    def __call__(self, loops: int) -> float:
        """Seconds of `loops` calls."""
        if not self._ready:
            prepared = self._session.prepare(self._cell)
            expected = self._workload.expected(self._cell.case).fingerprint
            why = prepared.fingerprint.difference(expected)
            if why and self._cell.path not in PRICES:
                raise WrongOutputError(f"{self._cell.name}: {why}")
            self._ready = True
        return self._session.run(loops).ns / 1e9


def main(
    suite: str,
    *,
    algorithms: Sequence[str],
    sizes: Sequence[str],
    paths: Sequence[str],
    placements: Sequence[str] = (INTO, NEW),
    keys: Sequence[str] = (REUSED,),
) -> None:
    """Run a suite under pyperf; the arguments are what is done without options.

    pyperf takes some 5 to 20 s a benchmark, so they are a choice and not the whole suite.
    """
    runner = pyperf.Runner(add_cmdline_args=_forward)
    _add_options(runner.argparser)
    runner.argparser.set_defaults(
        algorithm=list(algorithms),
        size=list(sizes),
        path=list(paths),
        placement=list(placements),
        key=list(keys),
    )
    given = runner.parse_args()
    for option, variable in _ENVIRONMENT.items():
        if getattr(given, option):
            os.environ[variable] = getattr(given, option)
    try:
        selection = _selection(suite, given)
    except ValueError as error:
        runner.argparser.error(str(error))
    workload, buffers = Workload(), Buffers()
    for cell, metadata in _supported(selection, workload, buffers):
        session = find(cell.path)(workload, buffers)
        runner.bench_time_func(cell.name, Timed(cell, session, workload), metadata=metadata)


def _add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("cngaes")
    for option, variable in _ENVIRONMENT.items():
        group.add_argument(f"--{option}", default=os.environ.get(variable), help=f"as {variable}")
    group.add_argument("--algorithm", nargs="+", help="of the suite's algorithms")
    group.add_argument("--path", nargs="+", help=f"of {', '.join(REGISTRY)}")
    group.add_argument("--placement", nargs="+", help=f"of {', '.join(PLACEMENTS)}")
    group.add_argument("--size", nargs="+", help="such as 16B, 1KiB, 1MiB")
    group.add_argument("--key", nargs="+", help=f"of {', '.join(KEYS)}")


def _forward(command: list[str], given: argparse.Namespace) -> None:
    """Hand our options on to a worker."""
    for option in _ENVIRONMENT:
        if getattr(given, option):
            command += [f"--{option}", getattr(given, option)]
    for option in _LISTS:
        command += [f"--{option}", *getattr(given, option)]


def _selection(suite: str, given: argparse.Namespace) -> Selection:
    for kind, known in (("path", REGISTRY), ("placement", PLACEMENTS), ("key", KEYS)):
        for name in getattr(given, kind):
            if name not in known:
                raise UnknownNameError(kind, name, known)
    cases = find_suite(suite)
    algorithms = dict.fromkeys(case.algorithm for case in cases)
    for name in given.algorithm:
        if name not in algorithms:
            raise UnknownNameError("algorithm", name, algorithms)
    kinds = dict.fromkeys(
        (case.algorithm, case.direction) for case in cases if case.algorithm in given.algorithm
    )
    return Selection(
        tuple(Case(*kind, parse_size(size)) for kind in kinds for size in given.size),
        tuple(given.path),
        tuple(given.placement),
        tuple(given.key),
    )


def _supported(
    selection: Selection, workload: Workload, buffers: Buffers
) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """Yield the cells that their paths can do, found out with one block instead of the input.

    Master and workers must come to the same list: pyperf counts benchmarks, not names.
    """
    hellos = []
    for path in selection.paths:
        try:
            hellos.append(find(path)(workload, buffers).hello())
        except UnavailableError as error:
            raise SystemExit(f"path {path} cannot be used: {error}") from error
    versions = {hello.name: hello.version for hello in hellos}
    for (cell,) in selection.candidates(hellos):
        variants = [cell]
        if selection.keys == (REUSED,):
            # A path that can only make its key per call is not left out for that.
            variants.append(replace(cell, key=PER_CALL))
        for variant in variants:
            small = replace(variant, case=replace(variant.case, size=BLOCK))
            try:
                prepared = find(cell.path)(workload, buffers).prepare(small)
            except UnsupportedError:
                continue
            details = {f"cngaes_{name}": text for name, text in prepared.details.items()}
            yield (
                variant,
                {
                    **details,
                    "cngaes_bytes": variant.bytes_per_call,
                    "cngaes_version": versions[cell.path],
                },
            )
            break
