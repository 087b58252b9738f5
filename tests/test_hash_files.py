"""SHA-256 of files: hash_file, hash_files, and the command held against coreutils' sha256sum."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import cngaes
import cngaes._filehash
from cngaes.__main__ import main
from cngaes._filehash import GROUP, PIECE, SMALL
from file_forms import pattern

if TYPE_CHECKING:
    from engines import Engine

PACKAGE = str(Path(cngaes.__file__).parents[1])  # PYTHONPATH may be relative
SIZES = (0, 1, 63, 64, 8192, SMALL - 1, SMALL, SMALL + 1, PIECE, PIECE + 1, 3 * PIECE + 5)


def make_files(folder: Path, count: int) -> dict[str, bytes]:
    """Files of many sizes and their digests, by path."""
    digests = {}
    for i in range(count):
        data = pattern(SIZES[i] if i < len(SIZES) else 17 * i) + bytes([i % 256])
        path = folder / f"file {i}"
        path.write_bytes(data)
        digests[str(path)] = hashlib.sha256(data).digest()
    return digests


def test_sizes_on_every_kernel(sha: Engine, tmp_path: Path) -> None:
    for size in SIZES:
        path = tmp_path / str(size)
        path.write_bytes(pattern(size))
        expected = hashlib.sha256(pattern(size)).digest()
        assert cngaes.hash_file(path) == expected
        assert cngaes.hash_files([path]) == [expected]


@pytest.mark.parametrize("threads", [1, 3, None])
def test_many_files(threads: int | None, tmp_path: Path) -> None:
    digests = make_files(tmp_path, 5 * GROUP + 3)
    seen: list[tuple[int, int]] = []
    main = threading.current_thread()

    def progress(done: int, total: int) -> None:
        assert threading.current_thread() is main
        seen.append((done, total))

    found = cngaes.hash_files(iter(digests), threads=threads, progress=progress)
    assert found == list(digests.values())
    assert seen == sorted(seen)
    assert seen[-1] == (len(digests), len(digests))
    assert all(thread.name != "cngaes-hash" for thread in threading.enumerate())


def test_no_files() -> None:
    assert cngaes.hash_files([]) == []


@pytest.mark.parametrize("threads", [1, 3])
def test_unreadable_files(threads: int, tmp_path: Path) -> None:
    digests: dict[str, bytes | type[OSError]] = dict(make_files(tmp_path, 3 * GROUP))
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    wrong: dict[str, type[OSError]] = {
        str(tmp_path / "missing"): FileNotFoundError,
        str(tmp_path / "folder"): IsADirectoryError,
        str(tmp_path / "loop"): OSError,
    }
    paths = [*list(digests)[:70], *wrong, *list(digests)[70:]]
    for path, found in zip(
        paths, cngaes.hash_files(paths, threads=threads, on_error="return"), strict=True
    ):
        if path in wrong:
            assert isinstance(found, wrong[path])
            assert found.filename == path
        else:
            assert found == digests[path]
    with pytest.raises(OSError, match=r"missing|folder|loop"):
        cngaes.hash_files(paths, threads=threads)


@pytest.mark.parametrize("size", [1000, 3 * PIECE])
@pytest.mark.parametrize("change", ["grows", "shrinks", "is rewritten"])
def test_file_that_changes(
    size: int, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the first look at the file and the last."""
    path, other = tmp_path / "changing", tmp_path / "other"
    path.write_bytes(pattern(size))
    other.write_bytes(b"other")
    times = path.stat()
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns - 10**9))
    real = os.fstat
    looks: list[int] = []
    first = 1 if size <= SMALL else 2  # which look begins: that of a large file is its second

    def fstat(fd: int) -> os.stat_result:
        result = real(fd)
        if os.path.samestat(result, path.stat()):
            looks.append(fd)
            if len(looks) != first:
                pass
            elif change == "grows":
                with path.open("ab") as file:
                    file.write(b"more")
            elif change == "shrinks":
                os.truncate(path, size // 2)
            else:
                path.write_bytes(pattern(size)[::-1])
        return result

    monkeypatch.setattr(os, "fstat", fstat)
    results = cngaes.hash_files([other, path, other], threads=1, on_error="return")
    assert results[0] == results[2] == hashlib.sha256(b"other").digest()
    error = results[1]
    assert isinstance(error, cngaes.FileChanged)
    assert error.filename == str(path)


def test_bad_arguments(tmp_path: Path) -> None:
    for paths in ("name", b"name", tmp_path):
        with pytest.raises(TypeError, match="paths must be an iterable of paths"):
            cngaes.hash_files(paths)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="on_error must be 'raise' or 'return', got 'none'"):
        cngaes.hash_files([], on_error="none")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="threads must be at least 1 or None, got -1"):
        cngaes.hash_files([], threads=-1)
    with pytest.raises(FileNotFoundError):
        cngaes.hash_file(tmp_path / "missing")


@pytest.mark.parametrize("in_helper", [True, False])
def test_faults_that_are_no_oserror(
    in_helper: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They end the call wherever they happen, and all threads."""
    paths = list(make_files(tmp_path, 6 * GROUP))
    real = cngaes.sha256_packed
    main = threading.current_thread()

    def fail(*arguments: object, **options: object) -> object:
        if (threading.current_thread() is not main) is in_helper:
            raise MemoryError("planted")
        return real(*arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(cngaes._filehash, "sha256_packed", fail)
    if in_helper:  # one that has something to do
        monkeypatch.setattr(cngaes._filehash, "GROUP", 1)
    with pytest.raises(MemoryError, match="planted"):
        cngaes.hash_files(paths * 5, threads=2, on_error="return")
    assert all(thread.name != "cngaes-hash" for thread in threading.enumerate())


# ---- the command --------------------------------------------------------------------------------

NAMES = (
    b"plain",
    b"with blank",
    b" blank first",
    b"back\\slash",
    b"new\nline",
    b"both\\n\n",
    b"re\rturn",
    b"*star",
    b"\xc3\xa4",
    b"\xff\xfe",
    b"-dash",
    b"(SHA256) = x",
)

Outcome = tuple[int, bytes, bytes]  # status, standard output, standard error

coreutils = pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs coreutils")


def run(
    program: list[str], *arguments: bytes | str, cwd: Path, given: bytes = b""
) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [*program, *arguments],
        cwd=cwd,
        input=given,
        capture_output=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONPATH": PACKAGE},
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def ours(*arguments: bytes | str, cwd: Path, given: bytes = b"") -> Outcome:
    """The command in this process: a new one would take longer than all that it does."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with (
        tempfile.TemporaryFile("w+") as stdin,
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        stdin.buffer.write(given)
        stdin.seek(0)
        patch.setattr(sys, "stdin", stdin)
        status = main(["sha256", *map(os.fsdecode, arguments)])
    assert isinstance(out.buffer, io.BytesIO)
    return status, out.buffer.getvalue(), err.getvalue().encode()


def theirs(*arguments: bytes | str, cwd: Path, given: bytes = b"") -> Outcome:
    status, out, err = run(["sha256sum"], *arguments, cwd=cwd, given=given)
    lines = [line for line in err.splitlines(keepends=True) if not line.startswith(b"Try ")]
    return status, out, b"".join(lines).replace(b"sha256sum: ", b"sha256: ")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(NAMES):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(pattern(1000 * number))
    return tmp_path


@coreutils
@pytest.mark.parametrize(
    "options", [[], ["-b"], ["-t"], ["--tag"], ["-z"], ["--tag", "-z"]], ids=str
)
def test_prints_like_sha256sum(options: list[str], folder: Path) -> None:
    arguments: list[bytes | str] = [*options, "--", *NAMES, "-"]
    expected = theirs(*arguments, cwd=folder, given=b"input")
    assert expected[0] == 0
    assert ours(*arguments, cwd=folder, given=b"input") == expected
    assert ours(*options, cwd=folder, given=b"abc") == theirs(*options, cwd=folder, given=b"abc")


@coreutils
def test_unreadable_like_sha256sum(folder: Path) -> None:
    arguments = ["plain", "missing", ".", "with blank"]
    expected = theirs(*arguments, cwd=folder)
    assert expected[0] == 1
    assert expected[1].count(b"\n") == 2
    assert ours(*arguments, cwd=folder) == expected


@coreutils
@pytest.mark.parametrize("form", [[], ["-b"], ["--tag"]], ids=str)
def test_lists_of_one_are_checked_by_the_other(form: list[str], folder: Path) -> None:
    for make, check in ((ours, theirs), (theirs, ours)):
        status, lines, _ = make(*form, "--", *NAMES, cwd=folder)
        assert status == 0
        (folder / "list").write_bytes(lines)
        status, out, err = check("-c", "list", cwd=folder)
        assert (status, err) == (0, b"")
        assert out.count(b": OK\n") == len(NAMES)
    assert ours("-c", "list", cwd=folder) == theirs("-c", "list", cwd=folder)


EMPTY = hashlib.sha256().hexdigest()  # what "plain" holds
BAD_LISTS: dict[str, list[str]] = {
    "good": [],
    "wrong": [("0" * 64) + "  with blank"],
    "missing": [("0" * 64) + "  missing"],
    "two missing": [("0" * 64) + "  missing", ("0" * 64) + " *missing too"],
    "junk": ["junk"],
    "comment": ["# a comment", ""],
    "short": ["00  plain", ("0" * 63) + "  plain", ("0" * 65) + "  plain"],
    "all": ["junk", ("0" * 64) + "  missing", ("0" * 64) + "  with blank", "SHA256 (x) = 00"],
    "bad escape": ["\\" + ("0" * 64) + "  pla\\tin"],
    "upper case": ["E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855  plain"],
    "return": ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  plain\r"],
    "blanks in front": [
        "  e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  plain"
    ],
}


@coreutils
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--quiet"],
        ["--status"],
        ["--warn"],
        ["--strict"],
        ["--ignore-missing"],
        ["-w", "--strict"],
    ],
    ids=" ".join,
)
def test_checks_like_sha256sum(options: list[str], folder: Path) -> None:
    good = theirs("plain", "with blank", "new\nline", "back\\slash", cwd=folder)[1]
    for name, lines in BAD_LISTS.items():
        text = "".join(line + "\n" for line in lines).encode()
        for content in (good + text, text):
            (folder / "list").write_bytes(content)
            arguments = ["-c", *options, "list"]
            # Bad lines may be named before the files around them: many are hashed at once.
            found, expected = (
                (status, out, sorted(err.splitlines()))
                for status, out, err in (run(*arguments, cwd=folder) for run in (ours, theirs))
            )
            assert found == expected, (name, content)


@coreutils
def test_lists_from_standard_input_and_missing_lists(folder: Path) -> None:
    good = theirs("plain", cwd=folder)[1]
    for given in (good, b"junk\n"):
        assert ours("-c", cwd=folder, given=given) == theirs("-c", cwd=folder, given=given)
    (folder / "list").write_bytes(good)
    arguments = ["-c", "list", "missing list", "list"]
    status, out, err = ours(*arguments, cwd=folder)
    assert (status, out) == theirs(*arguments, cwd=folder)[:2] == (1, b"plain: OK\nplain: OK\n")
    assert b"'missing list': No such file or directory" in err


@coreutils
@pytest.mark.parametrize(
    "option", ["--quiet", "--status", "--strict", "--warn", "--ignore-missing"]
)
def test_options_that_need_check(option: str, folder: Path) -> None:
    expected = theirs(option, "plain", cwd=folder)
    assert expected[0] == 1
    assert ours(option, "plain", cwd=folder) == expected


def test_unreadable_among_thousands(tmp_path: Path) -> None:
    """The rest is done, the exit status says so."""
    names = [f"f{i}" for i in range(5000)]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / names[4500]).unlink()
    status, out, err = run([sys.executable, "-m", "cngaes", "sha256"], *names, cwd=tmp_path)
    del names[4500]
    expected = [f"{hashlib.sha256(n.encode()).hexdigest()}  {n}" for n in names]
    assert out.decode().splitlines() == expected
    assert (status, err) == (1, b"sha256: f4500: No such file or directory\n")


# ---- encrypt and decrypt ------------------------------------------------------------------------


def cngaes_command(*arguments: str, cwd: Path) -> Outcome:
    return run([sys.executable, "-m", "cngaes"], *arguments, cwd=cwd)


@pytest.mark.parametrize("key_len", [16, 32])
def test_encrypt_and_decrypt_commands(key_len: int, tmp_path: Path) -> None:
    key = os.urandom(key_len)
    (tmp_path / "key").write_bytes(key)
    (tmp_path / "p").write_bytes(pattern(3_000_000))
    both = ("--key-file", "key", "--context", "caf\u00e9")
    assert cngaes_command("encrypt", "p", "c", *both, cwd=tmp_path) == (0, b"", b"")
    cngaes.decrypt_file(tmp_path / "c", tmp_path / "q", key, context="caf\u00e9".encode())
    assert cngaes_command("decrypt", "c", "r", *both, cwd=tmp_path) == (0, b"", b"")
    assert (tmp_path / "q").read_bytes() == (tmp_path / "r").read_bytes() == pattern(3_000_000)


def test_commands_that_fail(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"data")
    for length in (0, 17, 1000):
        (tmp_path / "key").write_bytes(bytes(length))
        status, out, err = cngaes_command("encrypt", "p", "c", "--key-file", "key", cwd=tmp_path)
        shown = str(length) if length < 33 else "more than 32"
        expected = f"error: the key file must have 16 or 32 bytes, key has {shown}\n"
        assert (status, out, err.decode()) == (1, b"", expected)
    (tmp_path / "key").write_bytes(bytes(16))
    (tmp_path / "other").write_bytes(bytes(32))
    assert cngaes_command("encrypt", "p", "c", "--key-file", "key", cwd=tmp_path)[0] == 0
    for src, key, text in (
        ("c", "other", b"error: c: not encrypted with this key and context, or its header"),
        ("p", "key", b"error: p: cut off: 4 bytes, the header alone has 56"),
        ("missing", "key", b"No such file or directory: 'missing'"),
        ("c", "missing", b"No such file or directory: 'missing'"),
    ):
        status, out, err = cngaes_command("decrypt", src, "q", "--key-file", key, cwd=tmp_path)
        assert (status, out) == (1, b"")
        assert text in err
        assert err.count(b"\n") == 1
    assert not (tmp_path / "q").exists()
    status, _, err = cngaes_command("encrypt", "p", "c", cwd=tmp_path)
    assert status == 2
    assert b"--key-file" in err
