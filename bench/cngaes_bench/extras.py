"""What the benchmark needs beyond the package itself, and how to get it."""

from __future__ import annotations

from importlib.util import find_spec

INSTALL = 'python -m pip install "cngaes[bench]"'
# Distribution and the module it brings. psutil comes with pyperf.
_NEEDED = {
    "pyperf": "pyperf",
    "psutil": "psutil",
    "cryptography": "cryptography",
    "pycryptodomex": "Cryptodome",
    "rich": "rich",
}


class MissingExtrasError(ImportError):
    """Packages of the extra `bench` are not installed; the text gives the command."""


def require() -> None:
    """Raise MissingExtrasError unless everything is there."""
    missing = [name for name, module in _NEEDED.items() if find_spec(module) is None]
    if missing:
        raise MissingExtrasError(
            f"the benchmark needs {', '.join(missing)}: run  {INSTALL}"
            '  (in a clone of the repository: python -m pip install ".[bench]")'
        )
