"""What the tests run on: one backend with one forced kernel, or a backend that has no choice."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pytest

import cngaes
from cngaes import AESCBC, AESCTR, AESECB, AESGCM, _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Buffer


@dataclass(frozen=True)
class Engine:
    """Makes keys and hashes, and sees to it that the intended kernel does the work."""

    family: str
    backend: str
    kernel: str | None

    def __str__(self) -> str:
        return self.backend if self.kernel is None else self.kernel

    @contextlib.contextmanager
    def forced(self) -> Iterator[Engine]:
        """Forces the kernel for keys and hashes made inside."""
        if self.kernel is not None:
            _core._force_kernels(f"{self.family}={self.kernel}")
        try:
            yield self
        finally:
            _core._force_kernels(None)

    def gcm(self, key: Buffer, tag_length: int = 16) -> AESGCM:
        made = AESGCM(key, tag_length=tag_length, backend=self.backend)
        assert made.backend == self.backend
        assert self.kernel is None or made.kernel == self.kernel
        return made

    def cbc(self, key: Buffer, padding: Literal["pkcs7"] | None = "pkcs7") -> AESCBC:
        made = AESCBC(key, padding=padding, backend=self.backend)
        assert made.backend == self.backend
        assert self.kernel is None or made.kernel == self.kernel
        return made

    def ctr(self, key: Buffer) -> AESCTR:
        self._leave_wine_alive(key)
        made = AESCTR(key, backend=self.backend)
        assert made.backend == self.backend
        assert self.kernel is None or made.kernel == self.kernel
        return made

    def _leave_wine_alive(self, key: Buffer) -> None:
        """CTR is made of ECB on CNG, and an assertion of nettle's ends the process there."""
        on_arm64 = _core.build_info()["architecture"] == "arm64"
        wine = bool(_core.windows_info()["wine_version"])
        if on_arm64 and wine and self.backend != "cpu" and len(memoryview(key)) == 24:
            pytest.skip("AES-192-ECB ends the process under Wine on ARM64")

    def ecb(self, key: Buffer, padding: Literal["pkcs7"] | None = None) -> AESECB:
        self._leave_wine_alive(key)
        made = AESECB(key, padding=padding, backend=self.backend)
        assert made.backend == self.backend
        assert self.kernel is None or made.kernel == self.kernel
        return made

    def block_cipher(self, mode: str, key: Buffer) -> AESECB | AESCBC | AESCTR:
        """The unpadded cipher of a mode by name."""
        if mode.lower() == "ecb":
            return self.ecb(key)
        return self.cbc(key, None) if mode.lower() == "cbc" else self.ctr(key)

    def sha256(self, data: Buffer = b"") -> cngaes.sha256:
        made = cngaes.sha256(data, backend=self.backend)
        assert made.backend == self.backend
        assert self.kernel is None or made.kernel == self.kernel
        return made

    def sha256_digest(self, data: Buffer) -> bytes:
        return cngaes.sha256_digest(data, backend=self.backend)

    def hmac_sha256(self, key: Buffer, data: Buffer) -> bytes:
        return cngaes.hmac_sha256(key, data, backend=self.backend)


def engines(family: str) -> list[Engine]:
    """Every supported kernel of `cpu`, then the other backends that are available here."""
    kernels = cngaes.supported_kernels()[family]
    others = [name for name in cngaes.available_backends() if name != "cpu"]
    return [
        *(Engine(family, "cpu", kernel) for kernel in kernels),
        *(Engine(family, name, None) for name in others),
    ]
