"""Right results by way of libraries that are not ours: hashlib and cryptography."""

from __future__ import annotations

import hashlib

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import (
    AEADEncryptionContext,
    Cipher,
    algorithms,
    modes,
)

from .cases import BLOCK, DECRYPT, TAG, Case
from .outputs import Output

_CHUNK = 1 << 26  # below cryptography's 2**31 - 1 and kind to memory


def reference_output(case: Case, key: bytes, iv: bytes, nonce: bytes, data: bytes) -> Output:
    """Work out what `case` must give for this input."""
    if case.mode == "sha256":
        return Output.of(hashlib.sha256(data).digest())
    mode: modes.Mode
    length = len(data)
    if case.mode == "gcm":
        if case.direction == DECRYPT:
            length -= TAG
            mode = modes.GCM(nonce, data[length:])
        else:
            mode = modes.GCM(nonce)
    elif case.mode == "cbc":
        mode = modes.CBC(iv)
    elif case.mode == "ctr":
        mode = modes.CTR(iv)
    else:
        mode = modes.ECB()
    if case.padded and case.direction != DECRYPT:
        padder = padding.PKCS7(8 * BLOCK).padder()
        data = padder.update(data) + padder.finalize()
        length = len(data)
    cipher = Cipher(algorithms.AES(key), mode)
    context = cipher.decryptor() if case.direction == DECRYPT else cipher.encryptor()
    # update_into asks for room for one more block, although whole blocks never use it.
    body = bytearray(length + 15)
    with memoryview(body) as target, memoryview(data) as source:
        for start in range(0, length, _CHUNK):
            stop = min(start + _CHUNK, length)
            context.update_into(source[start:stop], target[start : stop + 15])
    context.finalize()
    tag = context.tag if isinstance(context, AEADEncryptionContext) else b""
    if case.padded and case.direction == DECRYPT:
        unpadder = padding.PKCS7(8 * BLOCK).unpadder()
        length = len(unpadder.update(bytes(body[:length])) + unpadder.finalize())
    return Output(memoryview(body)[:length], memoryview(tag))
