"""The programs of bench/peers/, as far as they are built: right in every cell that they offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cngaes_bench.cases import ALGORITHMS, Case, cases
from cngaes_bench.cells import INPLACE, INTO, KEYS, NEW, PER_CALL, Cell
from cngaes_bench.paths.base import UnsupportedError
from cngaes_bench.peers.process import PeerError
from cngaes_bench.peers.registry import PROGRAMS, AbsentError
from cngaes_bench.peers.session import Peers
from cngaes_bench.workload import MIB, Workload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cngaes_bench.peers.registry import Program

WORKLOAD = Workload()
PERL = Case("aes-256-ecb", "decrypt", 52)
SHORT = (*cases(ALGORITHMS, (16, 48 * 1024)), *cases(("aes-128-gcm", "aes-128-ctr"), (1, 4099)))
PADDED = (PERL, *cases(("aes-128-cbc", "aes-256-ecb"), (1, 52, 1000)))
LARGE = cases(("aes-256-gcm", "aes-128-cbc", "aes-192-ctr", "aes-256-ecb", "sha256"), (MIB,))

# What docs/peers.md promises of each path, at the least.
CIPHERS = {"gcm", "ctr", "cbc", "ecb"}
PROMISED: dict[str, set[str]] = {
    "dotnet": {"gcm", "cbc", "ecb", "sha256"},
    "dotnet-bcrypt": set(),
    "dotnet-intrinsics": {"gcm", "ctr"},
    "go": {"gcm", "ctr", "cbc", "sha256"},
    "rust-ring": {"gcm", "sha256"},
    "rust-aws-lc": {*CIPHERS, "sha256"},
    "rustcrypto": {*CIPHERS, "sha256"},
    "java": {*CIPHERS, "sha256"},
    "java-nointrinsics": {*CIPHERS, "sha256"},
    "node": {*CIPHERS, "sha256"},
    "node-stream": {*CIPHERS, "sha256"},
    "openssl-c": {*CIPHERS, "sha256"},
    "perl-rijndael": {"ecb"},
    "perl-openssl-aes": {"ecb"},
    "perl-gcrypt": {"ecb"},
    "perl-cryptx": {"ecb"},
}
PADDING = {"java", "node", "openssl-c", "rustcrypto", "perl-cryptx", "perl-gcrypt"}


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda program: program.name)
def peers(request: pytest.FixtureRequest) -> Iterator[tuple[Program, Peers]]:
    """Start a program."""
    program: Program = request.param
    try:
        program.find()
    except AbsentError as error:
        pytest.skip(str(error))
    with Peers() as running:
        running.start([program])
        assert running.lost == []
        yield program, running


def supported(peers: Peers, chosen: tuple[Case, ...], threads: int = 1) -> set[Cell]:
    """Check every cell of a program; list those it can do."""
    done = set()
    for path, open_path in peers.registry.items():
        session = open_path(WORKLOAD, None)  # type: ignore[arg-type]
        offers = {offer.rpartition("/")[2] for offer in session.hello().paths}
        for case in chosen:
            expected = WORKLOAD.expected(case).fingerprint
            for placement in (INTO, NEW, INPLACE):
                for key in KEYS:
                    cell = Cell(case, path, placement, key, threads)
                    try:
                        found = session.prepare(cell).fingerprint
                    except UnsupportedError:
                        continue
                    assert found == expected, cell.name
                    assert placement in offers
                    assert session.run(3).ns > 0
                    assert session.verify() == expected, cell.name
                    assert session.run(1).ns > 0
                    assert session.verify() == expected, cell.name
                    done.add(cell)
    return done


def test_short_messages(peers: tuple[Program, Peers]) -> None:
    """Every mode, key length, placement and use of the key."""
    program, running = peers
    done = supported(running, SHORT)
    assert set(running.registry) | {each.name for each in running.absent} == set(program.paths)
    for path in running.registry:
        of_path = {cell for cell in done if cell.path == path}
        assert {cell.case.mode for cell in of_path} >= PROMISED[path], path
        assert not any(c.key == PER_CALL for c in of_path if c.case.mode == "sha256")


def test_padded_messages(peers: tuple[Program, Peers]) -> None:
    """The Perl text's message, and others that are no whole blocks."""
    _, running = peers
    done = supported(running, PADDED)
    for path in running.registry:
        if path in PADDING or path.startswith("perl"):
            assert PERL in {cell.case for cell in done if cell.path == path}


def test_the_articles_block(peers: tuple[Program, Peers]) -> None:
    """The article's input and keys."""
    _, running = peers
    done = supported(running, LARGE)
    for path in running.registry:
        if not path.startswith("perl") and PROMISED[path]:
            assert any(cell.path == path for cell in done)


def test_two_threads(peers: tuple[Program, Peers]) -> None:
    """Each thread has the right output, or the program says that it has no threads."""
    _, running = peers
    supported(running, cases(("aes-128-gcm", "aes-256-cbc", "sha256"), (4096,)), threads=2)


def test_bad_questions_are_errors_and_forgiven(peers: tuple[Program, Peers]) -> None:
    """A program outlives a question that it cannot answer."""
    _, running = peers
    for path, open_path in running.registry.items():
        peer = open_path(WORKLOAD, None)._peer  # type: ignore[arg-type, attr-defined]
        for word, value in (("dance", 1), ("prepare", {"case": "no-such/case", "path": path})):
            with pytest.raises(PeerError):
                peer.process.ask({word: value}, 30)
        peer._current = None
        hello = peer.process.ask({"hello": 1}, 30)
        assert hello["paths"]
