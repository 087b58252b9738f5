"""Reads what `cngaes-dotnet --trace` and a tracer wrote, and checks which library calls .NET makes.

    tools/dotnet/trace_calls.py evp|bcrypt <TRACE

Prints each operation with its calls: function, bytes, and where the data came from and went to,
told by the addresses of the program's own arrays. Exit status 1 if `EXPECTED` says otherwise.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MARK = re.compile(r"MARK (begin|end) (\S+)/(create|run)(.*)")
_EVP = re.compile(r"CALL (EVP_\w+)(.*)")
_BCRYPT = re.compile(r"trace:bcrypt:(BCrypt\w+) (.*)")
# Wine numbers arguments as bcrypt.h does: where input, length and output stand.
_BCRYPT_DATA = {
    "BCryptEncrypt": (1, 2, 6),
    "BCryptDecrypt": (1, 2, 6),
    "BCryptHash": (3, 4, 5),
    "BCryptHashData": (1, 2, None),
}
_NOT_OURS = {"BCryptGenRandom"}  # seeds of the runtime's own tables


@dataclass(frozen=True)
class Call:
    """One call: `data` says what it did with the message, "" if it had none."""

    function: str
    data: str = ""

    def __str__(self) -> str:
        return f"{self.function}({self.data})" if self.data else self.function


@dataclass
class Operation:
    """What stands between a pair of marks."""

    name: str
    bytes: int = 0
    arrays: dict[int, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)

    def add(self, function: str, source: int | None, length: int, target: int | None) -> None:
        """Take in a call with a buffer; other buffers than the program's arrays are strangers."""
        size = "all" if length == self.bytes else f"{length} bytes"
        ends = [self.arrays.get(end, "another buffer") for end in (source, target) if end]
        self.calls.append(Call(function, f"{size} {' -> '.join(ends)}"))


def read(lines: Iterable[str]) -> Iterator[Operation]:
    """Give the operations in the order of the trace. Raises ValueError if marks do not pair."""
    current: Operation | None = None
    for line in lines:
        if mark := _MARK.search(line):
            name = f"{mark[2]}/{mark[3]}"
            if mark[1] == "begin":
                if current is not None:
                    raise ValueError(f"{name} begins inside {current.name}")
                current = _begin(name, mark[4])
            else:
                if current is None or current.name != name:
                    raise ValueError(f"{name} ends without a beginning")
                yield current
                current = None
        elif current is not None:
            _add_call(current, line)
    if current is not None:
        raise ValueError(f"{current.name} does not end")


def _begin(name: str, text: str) -> Operation:
    words = dict(word.split("=") for word in text.split())
    arrays: dict[int, str] = {
        int(words[end], 16): end for end in ("input", "output") if end in words
    }
    return Operation(name, int(words.get("bytes", 0)), arrays)


def _add_call(operation: Operation, line: str) -> None:
    if found := _EVP.search(line):
        words = dict(word.split("=") for word in found[2].split())
        if "bytes" in words:
            ends = [int(words[end], 16) if end in words else None for end in ("input", "output")]
            operation.add(found[1], ends[0], int(words["bytes"]), ends[1])
        else:
            operation.calls.append(Call(found[1]))
    elif (found := _BCRYPT.search(line)) and found[1] not in _NOT_OURS:
        arguments = found[2].split(", ")
        if found[1] in _BCRYPT_DATA:
            source, length, target = _BCRYPT_DATA[found[1]]
            to = None if target is None else int(arguments[target], 16)
            operation.add(found[1], int(arguments[source], 16), int(arguments[length]), to)
        else:
            operation.calls.append(Call(found[1]))


def _calls(text: str) -> list[str]:
    return [call.strip() for call in text.split(";")] if text else []


_ACROSS, _WITHIN = "(all input -> output)", "(all output -> output)"

# Calls of each operation: of making the key object, and of one message.
_EVP_GCM_KEY = "EVP_CIPHER_CTX_new; EVP_CipherInit_ex; EVP_CipherInit_ex; EVP_CIPHER_CTX_ctrl"
_EVP_NONCE = "EVP_CipherInit_ex"
_EVP_KEY = "EVP_CIPHER_CTX_new; EVP_CipherInit_ex; EVP_CipherInit_ex"
_EVP_ONE_SHOT = _EVP_KEY + "; EVP_CipherUpdate{}; EVP_CipherFinal_ex; EVP_CIPHER_CTX_free"
_BCRYPT_ONE_SHOT = "BCryptImportKey; {}; BCryptDestroyKey"
_OWN_KEY = "BCryptGenerateSymmetricKey"

EXPECTED: dict[str, dict[str, tuple[str, str]]] = {
    "evp": {
        "dotnet/aes-256-gcm/encrypt": (
            _EVP_GCM_KEY,
            f"{_EVP_NONCE}; EVP_CipherUpdate{_ACROSS}; EVP_CipherFinal_ex; EVP_CIPHER_CTX_ctrl",
        ),
        "dotnet/aes-256-gcm/decrypt": (
            _EVP_GCM_KEY,
            f"{_EVP_NONCE}; EVP_CipherUpdate{_ACROSS}; EVP_CIPHER_CTX_ctrl; EVP_CipherFinal_ex",
        ),
        **{
            f"dotnet/{name}/encrypt": ("", _EVP_ONE_SHOT.format(_WITHIN))
            for name in ("aes-128-cbc", "aes-256-cbc", "aes-256-ecb")
        },
        **{
            f"dotnet/{name}/decrypt": ("", _EVP_ONE_SHOT.format(_ACROSS))
            for name in ("aes-256-cbc", "aes-256-ecb")
        },
        **{
            f"dotnet-stream/{name}": (_EVP_KEY, f"EVP_CipherUpdate{_ACROSS}")
            for name in (
                "aes-128-cbc/encrypt",
                "aes-256-cbc/encrypt",
                "aes-256-cbc/decrypt",
                "aes-256-ecb/encrypt",
                "aes-256-ecb/decrypt",
            )
        },
        "dotnet/sha256/hash": (
            "",
            "EVP_DigestInit_ex; EVP_DigestUpdate(all input); EVP_DigestFinal_ex",
        ),
        "dotnet-stream/sha256/hash": (
            "EVP_DigestInit_ex",
            "EVP_DigestUpdate(all input); EVP_DigestFinal_ex; EVP_DigestInit_ex",
        ),
    },
    "bcrypt": {
        "dotnet/aes-256-gcm/encrypt": ("BCryptImportKey", f"BCryptEncrypt{_ACROSS}"),
        "dotnet/aes-256-gcm/decrypt": ("BCryptImportKey", f"BCryptDecrypt{_ACROSS}"),
        **{
            f"dotnet/{name}/encrypt": ("", _BCRYPT_ONE_SHOT.format(f"BCryptEncrypt{_WITHIN}"))
            for name in ("aes-128-cbc", "aes-256-cbc", "aes-256-ecb")
        },
        **{
            f"dotnet/{name}/decrypt": ("", _BCRYPT_ONE_SHOT.format(f"BCryptDecrypt{_ACROSS}"))
            for name in ("aes-256-cbc", "aes-256-ecb")
        },
        **{
            f"{path}/{name}/encrypt": (key, f"BCryptEncrypt{_ACROSS}")
            for path, key in (("dotnet-stream", "BCryptImportKey"), ("dotnet-bcrypt", _OWN_KEY))
            for name in ("aes-128-cbc", "aes-256-cbc", "aes-256-ecb")
        },
        **{
            f"{path}/{name}/decrypt": (key, f"BCryptDecrypt{_ACROSS}")
            for path, key in (("dotnet-stream", "BCryptImportKey"), ("dotnet-bcrypt", _OWN_KEY))
            for name in ("aes-256-cbc", "aes-256-ecb")
        },
        "dotnet-bcrypt/aes-256-gcm/encrypt": (_OWN_KEY, f"BCryptEncrypt{_ACROSS}"),
        "dotnet-bcrypt/aes-256-gcm/decrypt": (_OWN_KEY, f"BCryptDecrypt{_ACROSS}"),
        "dotnet/sha256/hash": ("", f"BCryptHash{_ACROSS}"),
        "dotnet-bcrypt/sha256/hash": ("", f"BCryptHash{_ACROSS}"),
        "dotnet-stream/sha256/hash": (
            "BCryptCreateHash",
            "BCryptHashData(all input); BCryptFinishHash",
        ),
    },
}
# Instructions in C# call no library at all.
for _table in EXPECTED.values():
    _table["dotnet-intrinsics/aes-256-gcm/encrypt"] = ("", "")
    _table["dotnet-intrinsics/aes-256-gcm/decrypt"] = ("", "")


def check(library: str, operations: Iterable[Operation]) -> list[str]:
    """List what differs from `EXPECTED`; each line is a whole complaint."""
    expected = {
        f"{name}/{phase}": _calls(text)
        for name, texts in EXPECTED[library].items()
        for phase, text in zip(("create", "run"), texts, strict=True)
    }
    found = {operation.name: [str(call) for call in operation.calls] for operation in operations}
    complaints = [f"{name} was not traced" for name in expected if name not in found]
    for name, calls in found.items():
        if name not in expected:
            complaints.append(f"{name} is not expected")
        elif calls != expected[name]:
            complaints.append(f"{name}: {'; '.join(calls) or 'no call'}")
            complaints.append(
                f"{' ' * len(name)}  expected {'; '.join(expected[name]) or 'no call'}"
            )
    return complaints


def main() -> int:
    """Check the trace on standard input."""
    if len(sys.argv) != 2 or sys.argv[1] not in EXPECTED:
        sys.exit(f"usage: trace_calls.py {'|'.join(EXPECTED)} <TRACE")
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    operations = list(read(sys.stdin))
    for operation in operations:
        calls = "; ".join(str(call) for call in operation.calls) or "no call"
        print(f"{operation.name}: {calls}")
    complaints = check(sys.argv[1], operations)
    print(*complaints, sep="\n", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
