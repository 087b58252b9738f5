"""The peers that the suite knows: where their programs are, and how to get what is not there.

`tools/peers.sh` builds the programs of `bench/peers/` into one folder, where they are looked for:
`CNGAES_PEERS`, else a folder of the user's cache. A program that is elsewhere, or another build of
one, is named by `CNGAES_PEER_<NAME>` (`CNGAES_PEER_JAVA_NOINTRINSICS`): a command line.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from ..cases import UnknownNameError

_EXE = ".exe" if sys.platform == "win32" else ""
_FOLDER, _VARIABLE = "CNGAES_PEERS", "CNGAES_PEER_"


class AbsentError(Exception):
    """A peer is not on this machine; the text says what is missing and which command gets it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A peer: its paths, what must be there, and how it is started.

    `runs_with` is a command that must be on PATH, `apt` the Debian package that has it. `file` is
    what `tools/peers.sh NAME` makes. In `command`, `{runs_with}` and `{file}` stand for the two.
    """

    name: str
    paths: tuple[str, ...]
    file: str
    command: tuple[str, ...] = ("{file}",)
    runs_with: str = ""
    apt: str = ""

    @property
    def variable(self) -> str:
        """Environment variable that names another command."""
        return _VARIABLE + self.name.upper().replace("-", "_")

    @property
    def install(self) -> str:
        """Command that makes the peer from a clone of the repository."""
        return f"tools/peers.sh {self.name.partition('-')[0]}"

    def find(self) -> list[str]:
        """Give the command line. Raises AbsentError."""
        if given := os.environ.get(self.variable):
            return shlex.split(given, posix=sys.platform != "win32")
        runner, file = "", folder() / self.file
        if self.runs_with:
            runner = shutil.which(self.runs_with) or ""
            if not runner:
                raise AbsentError(
                    f"no {self.runs_with} here: apt-get install {self.apt}, then {self.install}"
                )
        if not file.exists():
            raise AbsentError(f"not built here: {self.install}")
        return [word.format(runs_with=runner, file=file) for word in self.command]


def folder() -> Path:
    """Where built peers are."""
    if given := os.environ.get(_FOLDER):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "cngaes" / "peers"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "cngaes" / "peers"


# -Xbatch: the warm-up waits for the compiler instead of running on beside it.
_JAVA = ("{runs_with}", "-Xbatch", "-cp", "{file}")
# The instructions behind AES, GHASH and SHA-256: without them the same classes run as plain Java.
_NO_INTRINSICS = (
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-UseAES",
    "-XX:-UseAESIntrinsics",
    "-XX:-UseAESCTRIntrinsics",
    "-XX:-UseGHASHIntrinsics",
    "-XX:-UseSHA",
)

PROGRAMS: tuple[Program, ...] = (
    Program(
        "dotnet",
        ("dotnet", "dotnet-stream", "dotnet-bcrypt", "dotnet-intrinsics"),
        f"dotnet/cngaes-dotnet{_EXE}",
    ),
    Program("go", ("go",), f"go/peer{_EXE}"),
    Program("rust", ("rust-ring", "rust-aws-lc", "rustcrypto"), f"rust/peer{_EXE}"),
    Program("java", ("java",), "java/peer.jar", (*_JAVA, "Peer", "java"), "java",
            "default-jdk-headless"),
    Program("java-nointrinsics", ("java-nointrinsics",), "java/peer.jar",
            (*_JAVA[:2], *_NO_INTRINSICS, *_JAVA[2:], "Peer", "java-nointrinsics"), "java",
            "default-jdk-headless"),
    Program("node", ("node", "node-stream"), "node/peer.mjs", ("{runs_with}", "{file}"), "node",
            "nodejs"),
    Program("openssl", ("openssl-c",), f"openssl/peer{_EXE}"),
    Program("perl", ("perl-rijndael", "perl-openssl-aes", "perl-gcrypt", "perl-cryptx"),
            "perl/peer.pl", ("{runs_with}", "{file}"), "perl", "perl"),
)  # fmt: skip

PATHS: dict[str, Program] = {path: program for program in PROGRAMS for path in program.paths}


def find_program(name: str) -> Program:
    """Look a program up; an unknown name lists the known ones."""
    for program in PROGRAMS:
        if program.name == name:
            return program
    raise UnknownNameError("peer", name, [program.name for program in PROGRAMS])
