"""All peers of a measurement: started together, asked for their names, ended together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..measurement import Missing
from ..paths.base import PathDiedError
from .path import PATIENCE, Peer, PeerPath
from .process import PeerError, PeerProcess
from .registry import AbsentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from ..buffers import Buffers
    from ..paths import Open
    from ..paths.base import Path
    from ..workload import Workload
    from .registry import Program


class Peers:
    """Running peers. `with` ends them, whatever happens inside.

    `registry` has their paths, in the form in which the runner takes them; `absent` the programs
    and paths that are not on this machine, each with what would bring it; `lost` the programs that
    are, but could not say who they are.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self.registry: dict[str, Open] = {}
        self.absent: list[Missing] = []
        self.lost: list[Missing] = []
        self._patience = patience
        self._peers: list[Peer] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self, programs: Iterable[Program]) -> None:
        """Start the programs that are here."""
        found = []
        for program in programs:
            try:
                found.append((program.name, program.find(), None))
            except AbsentError as error:
                self.absent.append(Missing(program.name, str(error)))
        self.start_commands(found)

    def start_commands(
        self, commands: Iterable[tuple[str, Sequence[str], Mapping[str, str] | None]]
    ) -> None:
        """Start programs by name, command line and additions to the environment."""
        started = []
        for name, command, environment in commands:
            try:
                peer = Peer(PeerProcess(name, command, environment), self._patience)
                self._peers.append(peer)
                peer.greet()
                started.append(peer)
            except PathDiedError as error:
                self.lost.append(Missing(name, str(error)))
        for peer in started:
            self._meet(peer)

    def _meet(self, peer: Peer) -> None:
        name = peer.process.name
        try:
            hellos = peer.hello()
        except (PathDiedError, PeerError) as error:
            self.lost.append(Missing(name, str(error)))
            return
        for path in hellos:
            if path in self.registry:
                self.lost.append(Missing(path, f"{name} and another peer both offer it"))
            else:
                self.registry[path] = _opener(peer, path)
        self.absent += [Missing(path, why) for path, why in peer.missing.items()]

    def close(self) -> None:
        """End all of them; at once when Ctrl-C comes meanwhile."""
        try:
            for peer in self._peers:
                peer.process.close()
        finally:
            for peer in self._peers:
                peer.process.kill()
            self._peers.clear()


def _opener(peer: Peer, path: str) -> Open:
    def open_path(workload: Workload, buffers: Buffers) -> Path:
        del workload, buffers  # the program makes its own, from the same generator
        return PeerPath(peer, path)

    return open_path
