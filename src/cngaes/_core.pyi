# Mirrors cpp/bindings; the docstrings there say what each call does.
from collections.abc import Iterable
from types import TracebackType
from typing import Literal, Self, SupportsIndex, TypeVar, final, overload

from typing_extensions import Buffer

_Out = TypeVar("_Out", bound=Buffer)

class _Key:
    @property
    def backend(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

class AESGCM(_Key):
    def __init__(
        self, key: Buffer, *, tag_length: SupportsIndex = 16, backend: str | None = None
    ) -> None: ...
    @property
    def tag_length(self) -> int: ...
    def encrypt(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: SupportsIndex | None = 1,
    ) -> bytes: ...
    def decrypt(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: SupportsIndex | None = 1,
    ) -> bytes: ...
    def encrypt_into(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None,
        buf: Buffer,
        *,
        threads: SupportsIndex | None = 1,
    ) -> int: ...
    def decrypt_into(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None,
        buf: Buffer,
        *,
        threads: SupportsIndex | None = 1,
    ) -> int: ...
    def encrypt_many(
        self,
        nonces: Buffer | Iterable[Buffer],
        messages: Iterable[Buffer],
        associated_data: Buffer | Iterable[Buffer] | None = None,
        *,
        threads: SupportsIndex | None = None,
        allow_repeated_nonces: bool = False,
    ) -> list[bytes]: ...
    @overload
    def decrypt_many(
        self,
        nonces: Buffer | Iterable[Buffer],
        messages: Iterable[Buffer],
        associated_data: Buffer | Iterable[Buffer] | None = None,
        *,
        threads: SupportsIndex | None = None,
        on_error: Literal["raise"] = "raise",
    ) -> list[bytes]: ...
    @overload
    def decrypt_many(
        self,
        nonces: Buffer | Iterable[Buffer],
        messages: Iterable[Buffer],
        associated_data: Buffer | Iterable[Buffer] | None = None,
        *,
        threads: SupportsIndex | None = None,
        on_error: Literal["none"],
    ) -> list[bytes | None]: ...
    @overload
    def encrypt_packed(
        self,
        nonces: Buffer | Iterable[Buffer],
        data: Buffer,
        offsets: Buffer,
        associated_data: Buffer | tuple[Buffer, Buffer] | None = None,
        *,
        out: None = None,
        threads: SupportsIndex | None = None,
        nonce_length: SupportsIndex = 12,
        allow_repeated_nonces: bool = False,
    ) -> tuple[bytes, memoryview[int]]: ...
    @overload
    def encrypt_packed(
        self,
        nonces: Buffer | Iterable[Buffer],
        data: Buffer,
        offsets: Buffer,
        associated_data: Buffer | tuple[Buffer, Buffer] | None = None,
        *,
        out: _Out,
        threads: SupportsIndex | None = None,
        nonce_length: SupportsIndex = 12,
        allow_repeated_nonces: bool = False,
    ) -> tuple[_Out, memoryview[int]]: ...
    @overload
    def decrypt_packed(
        self,
        nonces: Buffer | Iterable[Buffer],
        data: Buffer,
        offsets: Buffer,
        associated_data: Buffer | tuple[Buffer, Buffer] | None = None,
        *,
        out: None = None,
        threads: SupportsIndex | None = None,
        nonce_length: SupportsIndex = 12,
        on_error: Literal["raise"] = "raise",
    ) -> tuple[bytes, memoryview[int]]: ...
    @overload
    def decrypt_packed(
        self,
        nonces: Buffer | Iterable[Buffer],
        data: Buffer,
        offsets: Buffer,
        associated_data: Buffer | tuple[Buffer, Buffer] | None = None,
        *,
        out: _Out,
        threads: SupportsIndex | None = None,
        nonce_length: SupportsIndex = 12,
        on_error: Literal["raise"] = "raise",
    ) -> tuple[_Out, memoryview[int]]: ...
    @overload
    def decrypt_packed(
        self,
        nonces: Buffer | Iterable[Buffer],
        data: Buffer,
        offsets: Buffer,
        associated_data: Buffer | tuple[Buffer, Buffer] | None = None,
        *,
        out: None = None,
        threads: SupportsIndex | None = None,
        nonce_length: SupportsIndex = 12,
        on_error: Literal["none"],
    ) -> tuple[bytes, memoryview[int], bytes]: ...
    @overload
    def decrypt_packed(
        self,
        nonces: Buffer | Iterable[Buffer],
        data: Buffer,
        offsets: Buffer,
        associated_data: Buffer | tuple[Buffer, Buffer] | None = None,
        *,
        out: _Out,
        threads: SupportsIndex | None = None,
        nonce_length: SupportsIndex = 12,
        on_error: Literal["none"],
    ) -> tuple[_Out, memoryview[int], bytes]: ...
    def encryptor(self, nonce: Buffer, associated_data: Buffer | None = None) -> GcmEncryptor: ...
    @staticmethod
    def generate_key(bit_length: SupportsIndex) -> bytes: ...

class AESCBC(_Key):
    def __init__(
        self,
        key: Buffer,
        *,
        padding: Literal["pkcs7"] | None = "pkcs7",
        backend: str | None = None,
    ) -> None: ...
    def encrypt(self, iv: Buffer, data: Buffer) -> bytes: ...
    def decrypt(self, iv: Buffer, data: Buffer, *, threads: SupportsIndex | None = 1) -> bytes: ...
    def encrypt_into(self, iv: Buffer, data: Buffer, buf: Buffer) -> int: ...
    def decrypt_into(
        self, iv: Buffer, data: Buffer, buf: Buffer, *, threads: SupportsIndex | None = 1
    ) -> int: ...
    def encrypt_many(
        self,
        ivs: Buffer | Iterable[Buffer],
        messages: Iterable[Buffer],
        *,
        threads: SupportsIndex | None = None,
    ) -> list[bytes]: ...
    def encryptor(self, iv: Buffer) -> CipherContext: ...
    def decryptor(self, iv: Buffer) -> CipherContext: ...

class AESECB(_Key):
    def __init__(
        self,
        key: Buffer,
        *,
        padding: Literal["pkcs7"] | None = None,
        backend: str | None = None,
    ) -> None: ...
    def encrypt(self, data: Buffer, *, threads: SupportsIndex | None = 1) -> bytes: ...
    def decrypt(self, data: Buffer, *, threads: SupportsIndex | None = 1) -> bytes: ...
    def encrypt_into(
        self, data: Buffer, buf: Buffer, *, threads: SupportsIndex | None = 1
    ) -> int: ...
    def decrypt_into(
        self, data: Buffer, buf: Buffer, *, threads: SupportsIndex | None = 1
    ) -> int: ...

class AESCTR(_Key):
    def __init__(self, key: Buffer, *, backend: str | None = None) -> None: ...
    def encrypt(
        self,
        counter: Buffer,
        data: Buffer,
        *,
        offset: SupportsIndex = 0,
        threads: SupportsIndex | None = 1,
    ) -> bytes: ...
    def decrypt(
        self,
        counter: Buffer,
        data: Buffer,
        *,
        offset: SupportsIndex = 0,
        threads: SupportsIndex | None = 1,
    ) -> bytes: ...
    def encrypt_into(
        self,
        counter: Buffer,
        data: Buffer,
        buf: Buffer,
        *,
        offset: SupportsIndex = 0,
        threads: SupportsIndex | None = 1,
    ) -> int: ...
    def decrypt_into(
        self,
        counter: Buffer,
        data: Buffer,
        buf: Buffer,
        *,
        offset: SupportsIndex = 0,
        threads: SupportsIndex | None = 1,
    ) -> int: ...
    def encryptor(self, counter: Buffer, *, offset: SupportsIndex = 0) -> CipherContext: ...
    def decryptor(self, counter: Buffer, *, offset: SupportsIndex = 0) -> CipherContext: ...

@final
class CipherContext:
    def update(self, data: Buffer, /) -> bytes: ...
    def update_into(self, data: Buffer, buf: Buffer) -> int: ...
    def finalize(self) -> bytes: ...

@final
class GcmEncryptor:
    def update(self, data: Buffer, /) -> bytes: ...
    def update_into(self, data: Buffer, buf: Buffer) -> int: ...
    def finalize(self) -> bytes: ...
    @property
    def tag(self) -> bytes: ...

@final
class GcmDecryptor:
    def update(self, data: Buffer, /) -> bytes: ...
    def update_into(self, data: Buffer, buf: Buffer) -> int: ...
    def finalize_with_tag(self, tag: Buffer, /) -> bytes: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

def gcm_decryptor(
    aesgcm: AESGCM, nonce: Buffer, associated_data: Buffer | None = None
) -> GcmDecryptor: ...

class sha256:  # noqa: N801 - hashlib's name
    def __init__(
        self, data: Buffer = b"", *, usedforsecurity: bool = True, backend: str | None = None
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    @property
    def backend(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    def update(self, data: Buffer, /) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...
    def copy(self) -> Self: ...

def sha256_digest(data: Buffer, *, backend: str | None = None) -> bytes: ...
def hmac_sha256(key: Buffer, data: Buffer, *, backend: str | None = None) -> bytes: ...
def sha256_many(
    messages: Iterable[Buffer],
    *,
    threads: SupportsIndex | None = None,
    backend: str | None = None,
) -> list[bytes]: ...
@overload
def sha256_packed(
    data: Buffer,
    offsets: Buffer,
    *,
    out: None = None,
    threads: SupportsIndex | None = None,
    backend: str | None = None,
) -> bytes: ...
@overload
def sha256_packed(
    data: Buffer,
    offsets: Buffer,
    *,
    out: _Out,
    threads: SupportsIndex | None = None,
    backend: str | None = None,
) -> _Out: ...
def hmac_sha256_many(
    key: Buffer,
    messages: Iterable[Buffer],
    *,
    threads: SupportsIndex | None = None,
    backend: str | None = None,
) -> list[bytes]: ...
@overload
def hmac_sha256_packed(
    key: Buffer,
    data: Buffer,
    offsets: Buffer,
    *,
    out: None = None,
    threads: SupportsIndex | None = None,
    backend: str | None = None,
) -> bytes: ...
@overload
def hmac_sha256_packed(
    key: Buffer,
    data: Buffer,
    offsets: Buffer,
    *,
    out: _Out,
    threads: SupportsIndex | None = None,
    backend: str | None = None,
) -> _Out: ...
def compiled_kernels() -> dict[str, tuple[str, ...]]: ...
def supported_kernels() -> dict[str, tuple[str, ...]]: ...
def cpu_features() -> tuple[str, ...]: ...
def build_info() -> dict[str, str | int | bool]: ...
def self_test() -> dict[str, str]: ...
def self_test_state() -> dict[str, str]: ...
def available_backends() -> tuple[str, ...]: ...
def backend_status() -> dict[str, str]: ...
def windows_info() -> dict[str, str | bool]: ...
def environment_error() -> str: ...
def default_backend() -> str: ...
def _noop_aesgcm(key: Buffer, /) -> AESGCM: ...
def _force_kernels(spec: str | None) -> None: ...
def _mask_cpu(names: str | None) -> None: ...
def _pretend_emulated(answer: bool | None) -> None: ...
def _time_loop(
    mode: str,
    direction: str,
    key: Buffer,
    iv: Buffer,
    data: Buffer,
    buf: Buffer,
    loops: SupportsIndex,
    per_call_key: bool = False,
    backend: str = "cpu",
    /,
) -> int: ...
def _time_streams(
    mode: str,
    key: Buffer,
    data: Buffer,
    buf: Buffer,
    streams: SupportsIndex,
    loops: SupportsIndex,
    /,
) -> int: ...
def _clock_loop(adds: SupportsIndex, /) -> int: ...
