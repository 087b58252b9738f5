"""What only the Windows backends have: their limits, their errors, the plain ctypes side."""

from __future__ import annotations

import ctypes
import hashlib
import sys
from typing import TYPE_CHECKING

import pytest

import cngaes
import references
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, _bcrypt_ctypes, _core, hazmat
from cngaes.__main__ import collect_info
from cngaes.exceptions import CngError, InvalidTag, UnsupportedBackend
from cngaes_bench import machine

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = bytes(range(32))
NONCE = bytes(12)
WINDOWS = [name for name in cngaes.available_backends() if name != "cpu"]
on_windows = pytest.mark.skipif(not WINDOWS, reason="needs Windows")


@pytest.mark.skipif(sys.platform == "win32", reason="for other systems")
@pytest.mark.parametrize("name", ["cng", "cng-ctypes"])
def test_elsewhere(name: str) -> None:
    with pytest.raises(UnsupportedBackend, match="needs Windows"):
        AESGCM(KEY, backend=name)
    with pytest.raises(UnsupportedBackend, match="needs Windows"):
        _bcrypt_ctypes.library()


def test_layouts() -> None:
    info, blob = _bcrypt_ctypes.AuthInfo, _bcrypt_ctypes.KeyBlob
    if ctypes.sizeof(ctypes.c_void_p) == 8:
        offsets = [getattr(info, name).offset for name, _ in info._fields_]
        assert offsets == [0, 4, 8, 16, 24, 32, 40, 48, 56, 64, 68, 72, 80]
        assert ctypes.sizeof(info) == 88
    assert blob.key.offset == 12
    assert (_bcrypt_ctypes.KEY_BLOB_MAGIC).to_bytes(4, "little") == b"KDBM"


def test_errors_name_their_status() -> None:
    error = CngError(0xC000000D, "BCryptEncrypt")
    assert (error.status, error.name) == (0xC000000D, "BCryptEncrypt")
    assert "0xC000000D (STATUS_INVALID_PARAMETER)" in str(error)
    assert "0xDEADBEEF" in str(CngError(0xDEADBEEF, "BCryptHash"))
    assert "wrong length" in str(CngError(0, "BCryptHash"))
    with pytest.raises(CngError, match="0xC0000008"):
        _bcrypt_ctypes.check(-0x3FFFFFF8, "BCryptDestroyKey")
    with pytest.raises(InvalidTag):
        _bcrypt_ctypes.check(-0x3FFF5FFE, "BCryptDecrypt")


def test_the_backend_that_computes_nothing_has_no_name() -> None:
    with pytest.raises(UnsupportedBackend):
        AESGCM(KEY, backend="cng-noop")
    made = _core._noop_aesgcm(KEY)
    assert (made.backend, made.kernel) == ("cng-noop", "bcrypt.dll")
    assert len(made.encrypt(NONCE, b"data")) == 20
    with pytest.raises(ValueError, match="16, 24 or 32"):
        _core._noop_aesgcm(b"short")


@pytest.fixture
def emulated() -> Iterator[None]:
    """No machine of ours runs x64 code on ARM64, so the system's answer is another one."""
    _core._pretend_emulated(True)
    yield
    _core._pretend_emulated(None)


@pytest.mark.usefixtures("emulated")
def test_an_emulated_process_says_so_and_prefers_cng() -> None:
    info = collect_info()
    assert info["windows"]["emulated_process"] is True  # type: ignore[index]
    assert info["emulation"] == "x64 process on ARM64 Windows"
    assert machine.describe()["emulated"] == "x64 process on ARM64 Windows"
    with_cng = "cng" if WINDOWS else "cpu"
    assert cngaes.default_backend() == AESGCM(KEY).backend == cngaes.sha256().backend == with_cng
    assert AESGCM(KEY, backend="cpu").backend == "cpu"
    _core._pretend_emulated(False)
    assert cngaes.default_backend() == "cpu"


@on_windows
def test_without_aes_instructions_cng_is_the_default() -> None:
    assert cngaes.default_backend() == "cpu"
    _core._mask_cpu("aes,arm-aes")
    try:
        assert cngaes.supported_kernels()["aes"] == ("generic",)
        assert cngaes.default_backend() == AESGCM(KEY).backend == "cng"
    finally:
        _core._mask_cpu(None)


@on_windows
@pytest.mark.parametrize("backend", WINDOWS)
def test_limits(backend: str) -> None:
    """All that these backends cannot do; each error names the backend that can."""
    aead = AESGCM(KEY, backend=backend)
    for size in (*range(1, 12), 13, 16, 32):
        buf = bytearray(b"x" * 20)
        with pytest.raises(ValueError, match=r"nonce must be 12 bytes.*backend=\"cpu\""):
            aead.encrypt(bytes(size), b"data")
        with pytest.raises(ValueError, match=r"nonce must be 12 bytes.*backend=\"cpu\""):
            aead.encrypt_into(bytes(size), b"data", None, buf)
        with pytest.raises(ValueError, match=r"nonce must be 12 bytes.*backend=\"cpu\""):
            aead.decrypt(bytes(size), bytes(20))
        assert buf == b"x" * 20
    for size in (4, 8):
        with pytest.raises(ValueError, match=r"12 to 16 bytes.*backend=\"cpu\""):
            AESGCM(KEY, tag_length=size, backend=backend)
    with pytest.raises(UnsupportedBackend, match=r"in pieces.*backend=\"cpu\""):
        aead.encryptor(NONCE)
    with pytest.raises(UnsupportedBackend, match=r"in pieces.*backend=\"cpu\""):
        hazmat.gcm_decryptor(aead, NONCE)


@on_windows
@pytest.mark.parametrize("backend", WINDOWS)
def test_what_must_work(backend: str) -> None:
    """Every mode and key length that no limit excuses, so that no skip hides a fault."""
    for size in (16, 24, 32):
        key, data, iv = bytes(range(size)), bytes(range(256)) * 3, bytes(range(16))
        for tag_length in range(12, 17):
            try:
                sealed = AESGCM(key, tag_length=tag_length, backend=backend).encrypt(NONCE, data)
            except UnsupportedBackend:
                assert size == 24
                assert _core.windows_info()["wine_version"]
                continue
            whole = references.gcm(key, NONCE, data, b"")
            assert sealed == whole[: len(data) + tag_length]
        cbc = AESCBC(key, padding=None, backend=backend)
        for _ in range(2):  # the same IV again starts anew
            assert cbc.encrypt(iv, data) == references.cbc(key, iv, data)
        if size == 24 and arm64_wine():
            continue
        assert AESCTR(key, backend=backend).encrypt(iv, data) == references.ctr(key, iv, data)
        assert AESECB(key, backend=backend).encrypt(data) == references.ecb(key, data)
    assert cngaes.sha256_digest(data, backend=backend) == hashlib.sha256(data).digest()


def arm64_wine() -> bool:
    """Whose AES-192-ECB ends the process: an assertion of nettle's ARM64 code."""
    wine = bool(_core.windows_info()["wine_version"])
    return wine and _core.build_info()["architecture"] == "arm64"


@on_windows
@pytest.mark.parametrize("backend", WINDOWS)
@pytest.mark.parametrize("aad", [None, b"header"])
def test_forged_empty_message(backend: str, aad: bytes | None) -> None:
    """A null output would be a size query to CNG, which succeeds whatever the tag is."""
    aead = AESGCM(KEY, backend=backend)
    tag = aead.encrypt(NONCE, b"", aad)
    assert aead.decrypt(NONCE, tag, aad) == b""
    wrong = bytes([tag[0] ^ 1]) + tag[1:]
    for empty in (wrong, memoryview(wrong), bytearray(wrong)):
        with pytest.raises(InvalidTag):
            aead.decrypt(NONCE, empty, aad)
        with pytest.raises(InvalidTag):
            aead.decrypt_into(NONCE, empty, aad, bytearray())


@on_windows
def test_plain_ctypes() -> None:
    """The Python side without the extension, as the benchmark runs it."""
    data, iv = bytes(range(256)), bytes(range(16))
    out = ctypes.create_string_buffer(len(data))
    tag = ctypes.create_string_buffer(16)
    answers = {"ecb": references.ecb(KEY, data), "cbc": references.cbc(KEY, iv, data)}
    for mode, expected in answers.items():
        with _bcrypt_ctypes.Key(mode, KEY) as key:
            chain = iv if mode == "cbc" else None
            for _ in range(2):  # the same IV again starts anew
                key.crypt("BCryptEncrypt", data, out, len(data), chain)
                assert out.raw == expected
            key.crypt("BCryptDecrypt", out.raw, out, len(data), chain)
            assert out.raw == data
            with pytest.raises(ValueError, match="length"):
                key.crypt("BCryptEncrypt", data, out, 15, chain)
    with _bcrypt_ctypes.Key("gcm", KEY) as key:
        key.gcm("BCryptEncrypt", data, out, len(data), NONCE, tag)
        assert out.raw + tag.raw == references.gcm(KEY, NONCE, data, b"")
        key.gcm("BCryptDecrypt", out.raw, out, len(data), NONCE, tag)
        assert out.raw == data
        tag.raw = bytes([tag.raw[0] ^ 1]) + tag.raw[1:]
        with pytest.raises(InvalidTag):
            key.gcm("BCryptDecrypt", data, out, len(data), NONCE, tag)
        assert out.raw == bytes(len(data))
        with pytest.raises(InvalidTag):
            key.gcm("BCryptDecrypt", b"", out, 0, NONCE, tag)
    digest = ctypes.create_string_buffer(32)
    _bcrypt_ctypes.sha256_into(data, len(data), digest)
    assert digest.raw == hashlib.sha256(data).digest()
