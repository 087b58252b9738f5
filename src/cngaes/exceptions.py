"""Exceptions of cngaes."""

from __future__ import annotations

__all__ = ["AlreadyFinalized", "CngError", "InvalidPadding", "InvalidTag", "UnsupportedBackend"]


class InvalidTag(Exception):  # noqa: N818 - the name users of AESGCM classes know
    """The authentication tag is not that of the message: someone changed it, or the key is wrong.

    `indices` lists the failed messages of a batch call; empty for a single message.
    """

    def __init__(self, indices: tuple[int, ...] = ()) -> None:
        super().__init__(*((indices,) if indices else ()))
        self.indices = indices


class InvalidPadding(ValueError):  # noqa: N818 - like InvalidTag
    """The decrypted message does not end with PKCS#7 padding; one text for every fault."""


class AlreadyFinalized(Exception):  # noqa: N818 - the name users of cipher contexts know
    """The context has given out its last piece."""


class UnsupportedBackend(Exception):  # noqa: N818 - like the above
    """The backend or kernel asked for is unknown, not available here, or cannot do this."""


class CngError(OSError):
    """Windows CNG failed. `status` is the NTSTATUS, `name` the function that returned it."""

    def __init__(self, status: int, name: str) -> None:
        super().__init__(f"{name} failed with NTSTATUS 0x{status:08X}")
        self.status = status
        self.name = name
