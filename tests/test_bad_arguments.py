"""Inputs: which objects and sizes are taken, which are refused, and with what words."""

from __future__ import annotations

import functools
import mmap
import sys
from typing import Any

import pytest

import cngaes
import operations
from buffers import EMPTY, NARROW, NON_CONTIGUOUS, NOT_BUFFERS, READ_ONLY, WIDE
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, InvalidPadding, InvalidTag, UnsupportedBackend
from operations import AAD, INPUT_IDS, INPUTS, IV, KEY, NONCE, OPERATIONS, Operation

inputs = pytest.mark.parametrize(("op", "argument"), INPUTS, ids=INPUT_IDS)
KEY_CLASSES = [AESGCM, AESCBC, AESCTR, AESECB]


@pytest.mark.parametrize("op", OPERATIONS, ids=str)
def test_table_is_right(backend: str, op: Operation) -> None:
    assert op.outcome(backend) == op.result


def test_table_is_whole() -> None:
    """Each public class and function with data arguments has a row."""
    classes = [name for name in dir(cngaes) if name.startswith("AES")]
    methods = {
        f"{name}.{method}"
        for name in classes
        for method in dir(getattr(cngaes, name))
        # Batches take lists and offsets: test_many_errors.py.
        if method.startswith(("encrypt", "decrypt")) and not method.endswith(("_many", "_packed"))
    }
    assert classes == ["AESCBC", "AESCTR", "AESECB", "AESGCM"]
    assert methods <= {op.name for op in OPERATIONS}
    assert len(methods) == 21


# Objects.


@inputs
def test_str(backend: str, op: Operation, argument: str) -> None:
    for text in ("", "x" * len(op.arguments[argument])):
        with pytest.raises(TypeError, match=f"(?s){argument}.*encode"):
            op.call(backend, **{argument: text})


@inputs
def test_not_a_buffer(backend: str, op: Operation, argument: str) -> None:
    refused = dict(NOT_BUFFERS)
    if argument != "associated_data":
        refused["None"] = None
    for name, value in refused.items():
        with pytest.raises(TypeError, match=argument):
            op.call(backend, **{argument: value})
        assert op.outcome(backend) == op.result, name


@inputs
def test_non_contiguous(backend: str, op: Operation, argument: str) -> None:
    for name, wrap in NON_CONTIGUOUS.items():
        view = wrap(op.arguments[argument])
        with pytest.raises(BufferError):
            op.call(backend, **{argument: view})
        assert memoryview(view).c_contiguous is False, name


@inputs
def test_released_view(backend: str, op: Operation, argument: str) -> None:
    view = memoryview(op.arguments[argument])
    view.release()
    with pytest.raises(ValueError, match="released"):
        op.call(backend, **{argument: view})


@inputs
def test_any_narrow_buffer(backend: str, op: Operation, argument: str) -> None:
    for name, wrap in {**NARROW, **READ_ONLY}.items():
        value = wrap(op.arguments[argument])
        assert op.outcome(backend, **{argument: value}) == op.result, name


@inputs
def test_bytes_are_counted_whatever_the_items(backend: str, op: Operation, argument: str) -> None:
    content = op.arguments[argument]
    done = 0
    for name, (divisor, wrap) in WIDE.items():
        if len(content) % divisor == 0:
            assert op.outcome(backend, **{argument: wrap(content)}) == op.result, name
            done += 1
    # 12 bytes, a nonce, are no whole number of the wider items.
    assert done == len(WIDE) or (len(content) == len(NONCE) and done > 3)


def empty_outcome(call: Any) -> bytes | str:
    """The result for an empty argument, or the error's type and text."""
    try:
        return bytes(call())
    except (ValueError, InvalidTag) as error:
        return f"{type(error).__name__}: {error}"


@inputs
def test_empty_of_every_kind(backend: str, op: Operation, argument: str) -> None:
    """All empty objects mean the same thing as b"", be it a result or an error."""
    bufs: list[int | None] = [None] if op.buf is None else [0, 16, op.buf]
    for size in bufs:
        outcomes = {
            name: empty_outcome(
                functools.partial(
                    op.outcome,
                    backend,
                    None if size is None else bytearray(size),
                    **{argument: make()},
                )
            )
            for name, make in EMPTY.items()
        }
        assert len(set(outcomes.values())) == 1, outcomes


def test_empty_results(backend: str) -> None:
    gcm, cbc, raw = operations.gcm(backend), operations.cbc(backend), operations.raw_cbc(backend)
    ecb, ctr = operations.ecb(backend), operations.ctr(backend)
    assert ecb.encrypt(b"") == ecb.decrypt(b"") == b""
    assert raw.encrypt(IV, b"") == raw.decrypt(IV, b"") == b""
    assert ctr.encrypt(IV, b"") == ctr.decrypt(IV, b"", offset=5) == b""
    empty = bytearray()
    assert ecb.encrypt_into(b"", empty) == ecb.decrypt_into(empty, empty) == 0
    assert raw.encrypt_into(IV, b"", empty) == raw.decrypt_into(IV, empty, empty) == 0
    assert ctr.encrypt_into(IV, b"", empty) == ctr.decrypt_into(IV, empty, empty) == 0
    assert len(cbc.encrypt(IV, b"")) == 16
    assert cbc.decrypt(IV, cbc.encrypt(IV, b"")) == b""
    assert cbc.decrypt_into(IV, cbc.encrypt(IV, b""), bytearray(16)) == 0
    with pytest.raises(InvalidPadding):
        cbc.decrypt(IV, b"")
    sealed = gcm.encrypt(NONCE, b"", b"")
    assert len(sealed) == 16
    assert gcm.decrypt(NONCE, sealed, b"") == b""
    assert gcm.decrypt_into(NONCE, sealed, b"", bytearray()) == 0
    with pytest.raises(InvalidTag):
        gcm.decrypt(NONCE, b"", b"")
    with pytest.raises(InvalidTag):
        gcm.decrypt_into(NONCE, b"", b"", bytearray())
    for context in (gcm.encryptor(NONCE), raw.encryptor(IV), raw.decryptor(IV), ctr.encryptor(IV)):
        assert context.update(b"") == b""
        assert context.update_into(b"", bytearray()) == 0
        assert context.finalize() == b""


# Sizes.


@pytest.mark.parametrize("kind", KEY_CLASSES)
def test_key_sizes(backend: str, kind: type) -> None:
    for size in [*range(70), 128, 192, 256, 1 << 16]:
        if size in (16, 24, 32):
            assert kind(bytes(size), backend=backend) is not None
            continue
        for key in (bytes(size), bytearray(size)):
            with pytest.raises(ValueError, match=rf"(?s)key.*16, 24.*32.*\b{size}\b"):
                kind(key, backend=backend)


@pytest.mark.parametrize(
    "op",
    [op for op in OPERATIONS if {"iv", "counter"} & set(op.arguments)],
    ids=str,
)
def test_iv_sizes(backend: str, op: Operation) -> None:
    argument = "iv" if "iv" in op.arguments else "counter"
    for size in (*range(16), *range(17, 40), 256):
        with pytest.raises(ValueError, match=rf"(?s){argument}.*\b16\b.*\b{size}\b"):
            op.call(backend, **{argument: bytes(size)})


@pytest.mark.parametrize("op", [op for op in OPERATIONS if "nonce" in op.arguments], ids=str)
def test_empty_nonce(backend: str, op: Operation) -> None:
    with pytest.raises(ValueError, match="nonce"):
        op.call(backend, nonce=b"")


@pytest.mark.parametrize(
    "length", [*range(-20, 4), 5, 6, 7, 9, 10, 11, *range(17, 40), 128, 2**31, 2**32 + 16, -(2**70)]
)
def test_tag_length(backend: str, length: int) -> None:
    with pytest.raises(ValueError, match=rf"tag_length.*{length}"):
        AESGCM(KEY, tag_length=length, backend=backend)


@pytest.mark.parametrize("length", ["16", b"16", 16.0, None, [16], 16j])
def test_tag_length_type(backend: str, length: Any) -> None:
    with pytest.raises(TypeError):
        AESGCM(KEY, tag_length=length, backend=backend)


@pytest.mark.parametrize("kind", [AESCBC, AESECB])
@pytest.mark.parametrize(
    "padding", ["", "PKCS7", "pkcs5", "pkcs7 ", "pkcs7\0", "none", "zero", b"pkcs7", 7, True, []]
)
def test_padding_name(backend: str, kind: Any, padding: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="padding"):
        kind(KEY, padding=padding, backend=backend)


UNPADDED = [
    op
    for op in OPERATIONS
    if op.name.startswith(("AESCBC-raw.", "AESECB.")) and "data" in op.arguments
]


@pytest.mark.parametrize("op", UNPADDED, ids=str)
@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, NARROW["array-B"], NARROW["mmap"]])
def test_not_whole_blocks(backend: str, op: Operation, wrap: Any) -> None:
    assert len(UNPADDED) == 8
    for size in range(1, 100):
        data = wrap(bytes(size))
        if size % 16 == 0 or (isinstance(data, mmap.mmap) and len(data) != size):
            continue
        for out in (size, (size + 15) // 16 * 16):
            buf = None if op.buf is None else bytearray(b"\xa5" * out)
            with pytest.raises(ValueError, match=rf"(?s)multiple of 16.*\b{size}\b"):
                op.call(backend, buf, data=data)
            assert buf is None or buf == b"\xa5" * out


def test_offset(backend: str) -> None:
    ctr = operations.ctr(backend)
    calls: list[Any] = [
        functools.partial(ctr.encrypt, IV, b"data"),
        functools.partial(ctr.decrypt, IV, b"data"),
        functools.partial(ctr.encryptor, IV),
        functools.partial(ctr.decryptor, IV),
        lambda offset: ctr.encrypt_into(IV, b"data", bytearray(4), offset=offset),
        lambda offset: ctr.decrypt_into(IV, b"data", bytearray(4), offset=offset),
    ]
    for call in calls:
        for wrong in (-1, -16, -(2**64)):
            with pytest.raises((ValueError, OverflowError), match="offset"):
                call(offset=wrong)
        with pytest.raises(OverflowError):
            call(offset=2**200)
        for nothing in ("1", b"1", 1.0, None):
            with pytest.raises(TypeError):
                call(offset=nothing)


def test_offset_of_numpy(backend: str) -> None:
    np = pytest.importorskip("numpy", reason="numpy ends the process under Wine 8")
    ctr = operations.ctr(backend)
    assert ctr.encrypt(IV, b"data", offset=np.int64(3)) == ctr.encrypt(IV, b"data", offset=3)


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_generate_key(bits: int) -> None:
    keys = {AESGCM.generate_key(bits) for _ in range(20)}
    assert len(keys) == 20
    assert {(type(key), len(key)) for key in keys} == {(bytes, bits // 8)}
    assert len(AESGCM.generate_key(bit_length=bits)) == bits // 8


@pytest.mark.parametrize("bits", [0, -128, 16, 32, 127, 129, 160, 512, 2**40 + 128])
def test_generate_key_sizes(bits: int) -> None:
    with pytest.raises(ValueError, match="bit_length"):
        AESGCM.generate_key(bits)


@pytest.mark.parametrize("bits", ["128", b"128", 128.0, None])
def test_generate_key_type(bits: Any) -> None:
    with pytest.raises(TypeError):
        AESGCM.generate_key(bits)


def test_backend_names() -> None:
    known = cngaes._core.backend_status()
    makers: list[Any] = [
        *(functools.partial(kind, KEY) for kind in KEY_CLASSES),
        cngaes.sha256,
        functools.partial(cngaes.sha256_digest, b""),
        functools.partial(cngaes.hmac_sha256, KEY, b""),
    ]
    for make in makers:
        with pytest.raises(UnsupportedBackend) as caught:
            make(backend="openssl")
        assert all(name in str(caught.value) for name in known), caught.value
        for name in ("", "CPU", "cpu ", "cpu\0"):
            with pytest.raises(UnsupportedBackend):
                make(backend=name)
        for name, status in known.items():
            if status != "available":
                with pytest.raises(UnsupportedBackend, match=status):
                    make(backend=name)
        for wrong in (1, b"cpu", ["cpu"]):
            with pytest.raises(TypeError, match="backend"):
                make(backend=wrong)


def test_gcm_shorter_than_its_tag(backend: str) -> None:
    for tag_length in (4, 8, 12, 13, 14, 15, 16):
        aead = AESGCM(KEY, tag_length=tag_length, backend=backend)
        for size in range(tag_length):
            with pytest.raises(InvalidTag):
                aead.decrypt(NONCE, bytes(size), AAD)
            with pytest.raises(InvalidTag):
                aead.decrypt_into(NONCE, bytes(size), AAD, bytearray())


@pytest.mark.skipif(sys.platform == "win32", reason="64 GiB cannot be reserved by mmap there")
def test_gcm_data_limit(backend: str) -> None:
    """2**36 - 32 bytes is the most (SP 800-38D section 5.2.1.1); memory is only reserved."""
    if not hasattr(mmap, "MAP_NORESERVE"):
        flags = mmap.MAP_PRIVATE | 0x4000  # its value on Linux; the module has it from 3.13 on
    else:
        flags = mmap.MAP_PRIVATE | mmap.MAP_NORESERVE
    limit = r"68719476704|2\*\*36"
    size = 2**36 - 31
    reserved = mmap.mmap(-1, size + 16, flags=flags)
    out = mmap.mmap(-1, size + 16, flags=flags)
    out[:4] = b"\xa5" * 4
    aead = operations.gcm(backend)
    with memoryview(reserved) as source, source[:size] as data:
        with pytest.raises(OverflowError, match=limit):
            aead.encrypt(NONCE, data)
        with pytest.raises(OverflowError, match=limit):
            aead.encrypt_into(NONCE, data, None, out)
        with pytest.raises(OverflowError, match=limit):
            aead.decrypt(NONCE, source)
        with (
            memoryview(out) as target,
            target[:size] as plain,
            pytest.raises(OverflowError, match=limit),
        ):
            aead.decrypt_into(NONCE, source, None, plain)
    assert out[:4] == b"\xa5" * 4
    out.close()
    reserved.close()
