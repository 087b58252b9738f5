"""The forms in which one and the same operation can be asked for.

Each form is a function with the same arguments and the same result, so that every vector and every
random case runs through all of them. Outputs lie between canaries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from cngaes import AESCBC, AESCTR, AESECB, AESGCM, InvalidPadding, InvalidTag, hazmat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Buffer

    BlockCipher = AESCBC | AESCTR | AESECB
    SealForm = Callable[[AESGCM, bytes, bytes, bytes], bytes]
    BlockForm = Callable[[BlockCipher, bool, bytes, bytes, bool], bytes]

CANARY = b"\xc5" * 16
BLOCK = 16


class Context(Protocol):
    """What all streaming contexts have in common."""

    def update(self, data: Buffer, /) -> bytes: ...
    def update_into(self, data: Buffer, buf: Buffer, /) -> int: ...


def frame(size: int, content: bytes = b"") -> tuple[bytearray, memoryview]:
    """A buffer of size bytes between two canaries, starting with content: (whole, inner view)."""
    whole = bytearray(CANARY + b"\xa5" * size + CANARY)
    view = memoryview(whole)[BLOCK : BLOCK + size]
    view[: len(content)] = content
    return whole, view


def unframe(whole: bytearray) -> bytes:
    """The inner bytes, after a look at the canaries."""
    assert whole[:BLOCK] == CANARY, "written before the output"
    assert whole[-BLOCK:] == CANARY, "written behind the output"
    return bytes(whole[BLOCK:-BLOCK])


def cuts(length: int) -> Iterator[tuple[int, int]]:
    """Splits 0..length at places on and off the block grid, with empty pieces among them."""
    start = 0
    for size in (1, 15, 0, 17, 16, 3, 45, 64, 5, 128, 0, 257, 1024, 4097, 1 << 60):
        stop = min(start + size, length)
        yield start, stop
        if stop == length:
            return
        start = stop


def drive(context: Context, data: bytes) -> bytes:
    """Feeds data in pieces by update, update_into and update_into in place, in turn."""
    out = []
    for index, (start, stop) in enumerate(cuts(len(data))):
        piece = data[start:stop]
        if index % 3 == 0:
            out.append(context.update(piece))
            continue
        # A CBC context can give out up to 15 bytes that it has kept from before.
        whole, view = frame(len(piece) + BLOCK - 1, piece)
        source = view[: len(piece)] if index % 3 == 1 else piece
        count = context.update_into(source, view)
        out.append(unframe(whole)[:count])
    return b"".join(out)


# GCM: (key object, nonce, data, associated data) -> ciphertext and tag, or plaintext.


def seal_one_shot(aead: AESGCM, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    return aead.encrypt(nonce, data, aad)


def seal_into(aead: AESGCM, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    size = len(data) + aead.tag_length
    whole, view = frame(size)
    assert aead.encrypt_into(nonce, data, aad, view) == size
    return unframe(whole)


def seal_in_place(aead: AESGCM, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    size = len(data) + aead.tag_length
    whole, view = frame(size, data)
    assert aead.encrypt_into(nonce, view[: len(data)], aad, view) == size
    return unframe(whole)


def seal_stream(aead: AESGCM, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    context = aead.encryptor(nonce, aad)
    out = drive(context, data) + context.finalize()
    return out + context.tag


def open_one_shot(aead: AESGCM, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    return aead.decrypt(nonce, data, aad)


def _open_framed(
    aead: AESGCM, nonce: bytes, source: Buffer, aad: bytes, size: int, whole: bytearray
) -> bytes:
    output = memoryview(whole)[BLOCK : BLOCK + size]
    try:
        assert aead.decrypt_into(nonce, source, aad, output) == size
    except InvalidTag:
        assert output == bytes(size), "output not zeroed after InvalidTag"
        raise
    return bytes(output)


def open_into(aead: AESGCM, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    size = len(data) - aead.tag_length
    whole, _ = frame(size)
    try:
        return _open_framed(aead, nonce, data, aad, size, whole)
    finally:
        unframe(whole)


def open_in_place(aead: AESGCM, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    size = len(data) - aead.tag_length
    whole, view = frame(len(data), data)
    try:
        return _open_framed(aead, nonce, view, aad, size, whole)
    finally:
        assert unframe(whole)[size:] == data[size:], "the caller's tag was changed"


def open_stream(aead: AESGCM, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    size = len(data) - aead.tag_length
    with hazmat.gcm_decryptor(aead, nonce, aad) as context:
        out = drive(context, data[:size])
        assert context.finalize_with_tag(data[size:]) == b""
    return out


SEAL_FORMS: dict[str, SealForm] = {
    "one-shot": seal_one_shot,
    "into": seal_into,
    "in-place": seal_in_place,
    "stream": seal_stream,
}
OPEN_FORMS: dict[str, SealForm] = {
    "one-shot": open_one_shot,
    "into": open_into,
    "in-place": open_in_place,
    "stream": open_stream,
}

# ECB, CBC, CTR: (key object, decrypt?, iv, data, padded?) -> result. ECB has an empty iv.


def block_one_shot(cipher: BlockCipher, decrypt: bool, iv: bytes, data: bytes, _: bool) -> bytes:
    if isinstance(cipher, AESECB):
        return cipher.decrypt(data) if decrypt else cipher.encrypt(data)
    return cipher.decrypt(iv, data) if decrypt else cipher.encrypt(iv, data)


def _block_framed(
    cipher: BlockCipher,
    decrypt: bool,
    iv: bytes,
    source: Buffer,
    size: int,
    whole: bytearray,
) -> bytes:
    view = memoryview(whole)[BLOCK : BLOCK + size]
    try:
        if isinstance(cipher, AESECB):
            into = cipher.decrypt_into if decrypt else cipher.encrypt_into
            count = into(source, view)
        else:
            into_iv = cipher.decrypt_into if decrypt else cipher.encrypt_into
            count = into_iv(iv, source, view)
    except InvalidPadding:
        assert unframe(whole) == bytes(size), "output not zeroed after InvalidPadding"
        raise
    out = unframe(whole)
    assert out[count:] == bytes(size - count), "padding left behind the plaintext"
    return out[:count]


def _block_out_size(decrypt: bool, data: bytes, padded: bool) -> int:
    return len(data) if decrypt or not padded else len(data) // BLOCK * BLOCK + BLOCK


def block_into(cipher: BlockCipher, decrypt: bool, iv: bytes, data: bytes, padded: bool) -> bytes:
    size = _block_out_size(decrypt, data, padded)
    whole, _ = frame(size)
    return _block_framed(cipher, decrypt, iv, data, size, whole)


def block_in_place(
    cipher: BlockCipher, decrypt: bool, iv: bytes, data: bytes, padded: bool
) -> bytes:
    size = _block_out_size(decrypt, data, padded)
    whole, view = frame(size, data)
    return _block_framed(cipher, decrypt, iv, view[: len(data)], size, whole)


def block_stream(cipher: BlockCipher, decrypt: bool, iv: bytes, data: bytes, _: bool) -> bytes:
    assert not isinstance(cipher, AESECB), "ECB has no streaming form"
    context = cipher.decryptor(iv) if decrypt else cipher.encryptor(iv)
    return drive(context, data) + context.finalize()


ECB_FORMS: dict[str, BlockForm] = {
    "one-shot": block_one_shot,
    "into": block_into,
    "in-place": block_in_place,
}
BLOCK_FORMS: dict[str, BlockForm] = {**ECB_FORMS, "stream": block_stream}
