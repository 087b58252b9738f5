"""One table of all that takes data: each rule about arguments is tested on every row."""

from __future__ import annotations

import functools
import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cngaes
import references
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, hazmat

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = bytes(range(32))
IV = bytes(range(64, 80))
NONCE = bytes(range(80, 92))  # CNG takes no other length
AAD = bytes(range(96, 128))
DATA = bytes(range(128, 176))
SEALED = references.gcm(KEY, NONCE, DATA, AAD)
PADDED = DATA[:47] + b"\x01"


@dataclass(frozen=True)
class Operation:
    """A callable, good arguments for it in order (an output buffer comes last), and its result."""

    name: str
    make: Callable[[str], Callable[..., Any]]
    arguments: dict[str, bytes]
    result: bytes
    buf: int | None = None
    # Brings what the callable returned into bytes, where it is neither bytes nor a count.
    finish: Callable[[Any], bytes] = bytes

    def __str__(self) -> str:
        return self.name

    def call(self, backend: str, buf: Any = None, **changed: Any) -> Any:
        """Calls with the good arguments but for the changed ones."""
        arguments = {**self.arguments, **changed}
        out = () if self.buf is None else (bytearray(self.buf) if buf is None else buf,)
        return self.make(backend)(*arguments.values(), *out)

    def outcome(self, backend: str, buf: Any = None, **changed: Any) -> bytes:
        """The same, as bytes."""
        if self.buf is not None:
            buf = bytearray(self.buf) if buf is None else buf
            count = self.call(backend, buf, **changed)
            return bytes(memoryview(buf).tobytes()[:count])
        return self.finish(self.call(backend, **changed))


def gcm(backend: str) -> AESGCM:
    return AESGCM(KEY, backend=backend)


def cbc(backend: str) -> AESCBC:
    return AESCBC(KEY, backend=backend)


def raw_cbc(backend: str) -> AESCBC:
    return AESCBC(KEY, padding=None, backend=backend)


def ctr(backend: str) -> AESCTR:
    return AESCTR(KEY, backend=backend)


def ecb(backend: str) -> AESECB:
    return AESECB(KEY, backend=backend)


def padded_ecb(backend: str) -> AESECB:
    return AESECB(KEY, padding="pkcs7", backend=backend)


CBC = references.cbc(KEY, IV, DATA)
CBC_PADDED = references.cbc(KEY, IV, DATA + b"\x10" * 16)
CBC_SHORT = references.cbc(KEY, IV, PADDED)
CTR = references.ctr(KEY, IV, DATA)
ECB = references.ecb(KEY, DATA)
ECB_PADDED = references.ecb(KEY, DATA + b"\x10" * 16)
ECB_SHORT = references.ecb(KEY, PADDED)
DIGEST = hashlib.sha256(DATA).digest()


def _both(
    name: str,
    method: str,
    make: Callable[[str], Any],
    arguments: dict[str, bytes],
    result: bytes,
    buf: int | None = None,
) -> list[Operation]:
    """A one-shot method and its _into twin."""
    return [
        Operation(f"{name}.{method}", lambda b: getattr(make(b), method), arguments, result),
        Operation(
            f"{name}.{method}_into",
            lambda b: getattr(make(b), f"{method}_into"),
            arguments,
            result,
            len(result) if buf is None else buf,
        ),
    ]


def _context(
    name: str, make: Callable[[str], Any], data: bytes, result: bytes, kept: int = 0
) -> list[Operation]:
    """update and update_into of a fresh context; kept: bytes that come only at the end."""
    out = result[: len(result) - kept]
    return [
        Operation(f"{name}.update", lambda b: make(b).update, {"data": data}, out),
        Operation(
            f"{name}.update_into", lambda b: make(b).update_into, {"data": data}, out, len(out)
        ),
    ]


def _starter(
    name: str, method: str, make: Callable[[str], Any], iv: str, data: bytes, result: bytes
) -> Operation:
    """The method that makes a context."""
    return Operation(
        f"{name}.{method}",
        lambda b: getattr(make(b), method),
        {iv: IV},
        result,
        finish=lambda made: bytes(made.update(data) + made.finalize()),
    )


def _verify(backend: str) -> Callable[..., Any]:
    context = hazmat.gcm_decryptor(gcm(backend), NONCE, AAD)
    context.update(SEALED[:-16])
    return context.finalize_with_tag


def _hash_update(backend: str) -> Callable[..., Any]:
    made = cngaes.sha256(backend=backend)

    def update(*arguments: Any, **named: Any) -> bytes:
        made.update(*arguments, **named)
        return made.digest()

    return update


def _constructor(kind: Any, finish: Callable[[Any], bytes], result: bytes) -> Operation:
    return Operation(
        kind.__name__,
        lambda b: functools.partial(kind, backend=b),
        {"key": KEY},
        result,
        finish=finish,
    )


OPERATIONS: list[Operation] = [
    _constructor(AESGCM, lambda made: bytes(made.encrypt(NONCE, DATA, AAD)), SEALED),
    _constructor(AESCBC, lambda made: bytes(made.encrypt(IV, DATA)), CBC_PADDED),
    _constructor(AESCTR, lambda made: bytes(made.encrypt(IV, DATA)), CTR),
    _constructor(AESECB, lambda made: bytes(made.encrypt(DATA)), ECB),
    *_both(
        "AESGCM", "encrypt", gcm, {"nonce": NONCE, "data": DATA, "associated_data": AAD}, SEALED
    ),
    *_both(
        "AESGCM", "decrypt", gcm, {"nonce": NONCE, "data": SEALED, "associated_data": AAD}, DATA
    ),
    Operation(
        "AESGCM.encryptor",
        lambda b: gcm(b).encryptor,
        {"nonce": NONCE, "associated_data": AAD},
        SEALED,
        finish=lambda made: bytes(made.update(DATA) + made.finalize() + made.tag),
    ),
    Operation(
        "gcm_decryptor",
        lambda b: functools.partial(hazmat.gcm_decryptor, gcm(b)),
        {"nonce": NONCE, "associated_data": AAD},
        DATA,
        finish=lambda made: bytes(made.update(SEALED[:-16]) + made.finalize_with_tag(SEALED[-16:])),
    ),
    *_context("GCM encryptor", lambda b: gcm(b).encryptor(NONCE, AAD), DATA, SEALED[:-16]),
    *_context(
        "GCM decryptor",
        lambda b: hazmat.gcm_decryptor(gcm(b), NONCE, AAD),
        SEALED[:-16],
        DATA,
    ),
    Operation("GCM decryptor.finalize_with_tag", _verify, {"tag": SEALED[-16:]}, b""),
    *_both("AESCBC", "encrypt", cbc, {"iv": IV, "data": DATA}, CBC_PADDED),
    *_both("AESCBC", "decrypt", cbc, {"iv": IV, "data": CBC_SHORT}, PADDED[:-1], 48),
    *_both("AESCBC-raw", "encrypt", raw_cbc, {"iv": IV, "data": DATA}, CBC),
    *_both("AESCBC-raw", "decrypt", raw_cbc, {"iv": IV, "data": CBC}, DATA),
    _starter("AESCBC", "encryptor", raw_cbc, "iv", DATA, CBC),
    _starter("AESCBC", "decryptor", raw_cbc, "iv", CBC, DATA),
    *_context("CBC encryptor", lambda b: cbc(b).encryptor(IV), DATA, CBC),
    *_context("CBC decryptor", lambda b: cbc(b).decryptor(IV), CBC_SHORT, PADDED, 16),
    *_context("CBC-raw encryptor", lambda b: raw_cbc(b).encryptor(IV), DATA, CBC),
    *_context("CBC-raw decryptor", lambda b: raw_cbc(b).decryptor(IV), CBC, DATA),
    *_both("AESCTR", "encrypt", ctr, {"counter": IV, "data": DATA}, CTR),
    *_both("AESCTR", "decrypt", ctr, {"counter": IV, "data": CTR}, DATA),
    _starter("AESCTR", "encryptor", ctr, "counter", DATA, CTR),
    _starter("AESCTR", "decryptor", ctr, "counter", CTR, DATA),
    *_context("CTR encryptor", lambda b: ctr(b).encryptor(IV), DATA, CTR),
    *_context("CTR decryptor", lambda b: ctr(b).decryptor(IV), CTR, DATA),
    *_both("AESECB", "encrypt", ecb, {"data": DATA}, ECB),
    *_both("AESECB", "decrypt", ecb, {"data": ECB}, DATA),
    *_both("AESECB-padded", "encrypt", padded_ecb, {"data": DATA}, ECB_PADDED),
    *_both("AESECB-padded", "decrypt", padded_ecb, {"data": ECB_SHORT}, PADDED[:-1], 48),
    Operation(
        "sha256",
        lambda b: functools.partial(cngaes.sha256, backend=b),
        {"data": DATA},
        DIGEST,
        finish=lambda made: bytes(made.digest()),
    ),
    Operation("sha256.update", _hash_update, {"data": DATA}, DIGEST),
    Operation(
        "sha256_digest",
        lambda b: functools.partial(cngaes.sha256_digest, backend=b),
        {"data": DATA},
        DIGEST,
    ),
    Operation(
        "hmac_sha256",
        lambda b: functools.partial(cngaes.hmac_sha256, backend=b),
        {"key": KEY, "data": DATA},
        hmac.digest(KEY, DATA, "sha256"),
    ),
]
# The same rows by what they have: each pair (operation, argument), and those with an output.
INPUTS = [(op, argument) for op in OPERATIONS for argument in op.arguments]
INPUT_IDS = [f"{op}-{argument}" for op, argument in INPUTS]
OUTPUTS = [op for op in OPERATIONS if op.buf is not None]
