"""Other worlds in the same rounds: programs in other processes that speak the peer protocol.

`docs/peers.md` has the protocol. A program is found by `registry`, started and held by `process`,
and looks to the runner like any other path through `path`; `session` does that for all of them.
"""
