"""Exceptions of cngaes."""

from __future__ import annotations

import errno

__all__ = [
    "AlreadyFinalized",
    "CngError",
    "FileChanged",
    "InvalidFile",
    "InvalidPadding",
    "InvalidTag",
    "UnsupportedBackend",
]


class InvalidTag(Exception):  # noqa: N818 - the name users of AESGCM classes know
    """The authentication tag is not that of the message: someone changed it, or the key is wrong.

    `indices` lists the failed messages of a batch call; empty for a single message.
    """

    def __init__(self, indices: tuple[int, ...] = ()) -> None:
        super().__init__(*((indices,) if indices else ()))
        self.indices = indices


class InvalidFile(InvalidTag):
    """An encrypted file was changed or cut off, or belongs to another key or context."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.args = (text,)


class FileChanged(OSError):  # noqa: N818 - what happened, like FileNotFoundError
    """A file changed while it was read, so that what was read may never have been its content.

    Noticed by its size and time of modification; `filename` says which.
    """

    def __init__(self, filename: str) -> None:
        super().__init__(errno.ESTALE, "File changed while it was read", filename)


class InvalidPadding(ValueError):  # noqa: N818 - like InvalidTag
    """The decrypted message does not end with PKCS#7 padding; one text for every fault."""


class AlreadyFinalized(Exception):  # noqa: N818 - the name users of cipher contexts know
    """The context has given out its last piece."""


class UnsupportedBackend(Exception):  # noqa: N818 - like the above
    """The backend or kernel asked for is unknown, not available here, or cannot do this."""


_STATUS_NAMES = {
    0xC0000001: "STATUS_UNSUCCESSFUL",
    0xC0000008: "STATUS_INVALID_HANDLE",
    0xC000000D: "STATUS_INVALID_PARAMETER",
    0xC0000022: "STATUS_ACCESS_DENIED",
    0xC0000023: "STATUS_BUFFER_TOO_SMALL",
    0xC000003E: "STATUS_DATA_ERROR",
    0xC00000E5: "STATUS_INTERNAL_ERROR",
    0xC0000206: "STATUS_INVALID_BUFFER_SIZE",
    0xC000A002: "STATUS_AUTH_TAG_MISMATCH",
}


class CngError(OSError):
    """Windows CNG failed. `status` is the NTSTATUS, `name` the function that returned it."""

    def __init__(self, status: int, name: str) -> None:
        if status == 0:
            text = f"{name} succeeded with a wrong length"
        else:
            known = _STATUS_NAMES.get(status)
            text = f"{name} failed with NTSTATUS 0x{status:08X}" + (f" ({known})" if known else "")
        super().__init__(text)
        self.status = status
        self.name = name
