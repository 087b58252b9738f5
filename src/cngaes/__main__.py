"""Command line: `python -m cngaes info|selftest|bench|explain|report`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from cngaes import backends
from cngaes.exceptions import UnsupportedBackend

if TYPE_CHECKING:
    from collections.abc import Sequence

BENCH_INSTALL = 'python -m pip install "cngaes[bench]"'


def collect_info() -> dict[str, object]:
    """Everything that `info` shows."""
    try:
        default = backends.default_backend()
    except UnsupportedBackend as error:
        default = f"none: {error}"
    return {
        "build": backends.build_info(),
        "backends": backends.backend_status(),
        "default_backend": default,
        "windows": backends.windows_info(),
        "emulation": backends.emulation() or "none known",
        "environment_error": backends.environment_error() or "none",
        "compiled_kernels": backends.compiled_kernels(),
        "supported_kernels": backends.supported_kernels(),
        "self_tests": backends.self_test_state(),
        "cpu_features": backends.cpu_features(),
        "python": sys.version,
    }


def print_info(info: dict[str, object], indent: str = "") -> None:
    """Print nested values as indented lines."""
    for name, value in info.items():
        if isinstance(value, dict):
            print(f"{indent}{name}:")
            print_info(value, indent + "  ")
        elif isinstance(value, tuple):
            print(f"{indent}{name}: {', '.join(value) or 'none'}")
        else:
            print(f"{indent}{name}: {value}")


def info_command(arguments: argparse.Namespace) -> int:
    """Show backends, kernels, CPU features and how the package was built."""
    info = collect_info()
    if arguments.json:
        print(json.dumps(info, indent=2))
    else:
        print_info(info)
    return 0


def selftest_command(_arguments: argparse.Namespace) -> int:
    """Run the known answers of every kernel that this CPU supports."""
    results = backends.self_test()
    for name, result in results.items():
        print(f"{name}: {result}")
    return 0 if all(result == "passed" for result in results.values()) else 1


def bench_command(arguments: Sequence[str]) -> int:
    """Run the benchmark suite, which is installed beside the package."""
    try:
        from cngaes_bench.cli import main as bench_main
    except ImportError as error:
        print(f"error: {error}; run  {BENCH_INSTALL}", file=sys.stderr)
        return 2
    return bench_main(arguments)


def report_command(arguments: Sequence[str]) -> int:
    """Write results as HTML, Markdown or CSV."""
    try:
        from cngaes_bench.report.cli import main as report_main
    except ImportError as error:
        print(f"error: {error}; run  {BENCH_INSTALL}", file=sys.stderr)
        return 2
    return report_main(arguments)


def explain_command(arguments: Sequence[str]) -> int:
    """Take calls apart, by the benchmark suite."""
    try:
        from cngaes_bench.explain.command import main as explain_main
    except ImportError as error:
        print(f"error: {error}; run  {BENCH_INSTALL}", file=sys.stderr)
        return 2
    return explain_main(arguments)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # These have parsers of their own, which import more than the others may.
    if arguments[:1] == ["bench"]:
        return bench_command(arguments[1:])
    if arguments[:1] == ["report"]:
        return report_command(arguments[1:])
    if arguments[:1] == ["explain"]:
        return explain_command(arguments[1:])
    parser = argparse.ArgumentParser(
        prog="python -m cngaes", description="AES and SHA-256 as fast as the CPU allows."
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    info = commands.add_parser("info", help="backends, kernels, CPU features, build")
    info.add_argument("--json", action="store_true", help="as JSON")
    info.set_defaults(run=info_command)
    selftest = commands.add_parser("selftest", help="known answers of every supported kernel")
    selftest.set_defaults(run=selftest_command)
    commands.add_parser("explain", help="say where the time goes (--help for more)")
    commands.add_parser("bench", help="measure every path on this machine (--help for more)")
    commands.add_parser("report", help="write results as HTML, Markdown or CSV")
    parsed = parser.parse_args(arguments)
    status: int = parsed.run(parsed)
    return status


if __name__ == "__main__":
    sys.exit(main())
