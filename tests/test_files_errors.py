"""Encrypted files that are spoiled, calls that fail on the way, processes that are killed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import cngaes
import cngaes._atomic
from cngaes._atomic import AtomicFile
from file_forms import (
    BATCH,
    CHUNK,
    CONTEXT,
    HEADER,
    KEY,
    SEALED,
    encrypted,
    names_in,
    pattern,
    spoiled,
)
from processes import run_python

ACTIONS = {"encrypt": cngaes.encrypt_file, "decrypt": cngaes.decrypt_file}
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals, limits or links")


@pytest.fixture(params=[True, False], ids=["nameless", "named"])
def temporary(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both ways to write a file that is not there yet: without a name, and under another one."""
    if not request.param:
        monkeypatch.setattr(cngaes._atomic, "_O_TMPFILE", 0)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("files without a name need Linux")
    return bool(request.param)


@pytest.mark.parametrize("size", [2 * CHUNK + 100, 3 * CHUNK, BATCH + CHUNK + 1])
def test_spoiled_files(size: int, tmp_path: Path, temporary: bool) -> None:
    _, sealed = encrypted(tmp_path, size)
    before = names_in(tmp_path)
    tried = 0
    for name, data in spoiled(sealed.read_bytes()):
        sealed.write_bytes(data)
        with pytest.raises(cngaes.InvalidFile):
            cngaes.decrypt_file(sealed, tmp_path / "out", KEY, context=CONTEXT, fsync=False)
        assert names_in(tmp_path) == before, name
        with (
            pytest.raises(cngaes.InvalidFile),
            cngaes.EncryptedReader(sealed, KEY, context=CONTEXT) as reader,
        ):
            reader.read()
        tried += 1
    assert tried == 43


@pytest.mark.parametrize(
    ("key", "context"),
    [(bytes(16), CONTEXT), (KEY, b""), (KEY, CONTEXT + b"\0"), (KEY + bytes(16), CONTEXT)],
    ids=["key", "no context", "longer context", "key of 32 bytes"],
)
def test_wrong_key_or_context(key: bytes, context: bytes, tmp_path: Path) -> None:
    _, sealed = encrypted(tmp_path, 100)
    (tmp_path / "old").write_bytes(b"old")
    with pytest.raises(cngaes.InvalidTag, match="not encrypted with this key and context"):
        cngaes.decrypt_file(sealed, tmp_path / "old", key, context=context)
    assert (tmp_path / "old").read_bytes() == b"old"
    with pytest.raises(cngaes.InvalidFile):
        cngaes.EncryptedReader(sealed, key, context=context)


def test_an_old_file_stays_when_decryption_fails(tmp_path: Path, temporary: bool) -> None:
    _, sealed = encrypted(tmp_path, 2 * BATCH)
    data = bytearray(sealed.read_bytes())
    data[-1] ^= 1
    sealed.write_bytes(data)
    (tmp_path / "out").write_bytes(b"old")
    before = names_in(tmp_path)
    with pytest.raises(cngaes.InvalidFile, match="chunk 128 "):
        cngaes.decrypt_file(sealed, tmp_path / "out", KEY, context=CONTEXT)
    assert names_in(tmp_path) == before
    assert (tmp_path / "out").read_bytes() == b"old"


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_progress_that_raises(
    action: str, error: type[BaseException], tmp_path: Path, temporary: bool
) -> None:
    _, sealed = encrypted(tmp_path, 5 * BATCH)
    (tmp_path / "out").write_bytes(b"old")
    src = tmp_path / "plain" if action == "encrypt" else sealed
    before = names_in(tmp_path)
    for last in (False, True):

        def progress(done: int, total: int | None, last: bool = last) -> None:
            if not last or done == total:
                raise error

        with pytest.raises(error):
            ACTIONS[action](src, tmp_path / "out", KEY, context=CONTEXT, progress=progress)
        assert names_in(tmp_path) == before
        assert (tmp_path / "out").read_bytes() == b"old"
    assert all(thread.name != "cngaes-file" for thread in threading.enumerate())


@posix
@pytest.mark.parametrize("action", ACTIONS)
def test_disk_full(action: str, tmp_path: Path) -> None:
    """A file size limit stands for the full disk: write() fails in the same place."""
    encrypted(tmp_path, 3 * BATCH)
    before = names_in(tmp_path)
    for temporary in ("True", "False"):
        out = run_python(f"""
            import os, resource, signal
            import cngaes, cngaes._atomic
            if not {temporary}: cngaes._atomic._O_TMPFILE = 0
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
            folder = {str(tmp_path)!r}
            src = os.path.join(folder, {"plain" if action == "encrypt" else "sealed"!r})
            try:
                cngaes.{action}_file(src, os.path.join(folder, "out"), {KEY!r}, context={CONTEXT!r})
            except OSError as error:
                print(error.errno, os.path.basename(error.filename))
        """)
        assert out == "27 out\n"  # EFBIG
        assert names_in(tmp_path) == before


@posix
def test_disk_full_for_real(tmp_path: Path) -> None:
    if not Path("/dev/full").exists() or os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small file system is not allowed here")
    try:
        (tmp_path / "plain").write_bytes(pattern(3 * BATCH))
        (folder / "out").write_bytes(b"old")
        with pytest.raises(OSError, match="No space left"):
            cngaes.encrypt_file(tmp_path / "plain", folder / "out", KEY)
        assert names_in(folder) == {"out"}
        assert (folder / "out").read_bytes() == b"old"
    finally:
        subprocess.run(["umount", str(folder)], check=True)


KILLED = """
import os, sys
import cngaes, cngaes._atomic
folder, nameless = sys.argv[1], sys.argv[2] == "True"
if not nameless: cngaes._atomic._O_TMPFILE = 0
print("ready", flush=True)
while True:
    for name in ("one", "two"):
        src, dst = os.path.join(folder, name), os.path.join(folder, "out")
        cngaes.decrypt_file(src, dst, bytes(range(16)), fsync=False)
"""


@posix
def test_killed_at_any_point(tmp_path: Path, temporary: bool) -> None:
    """The old file or the whole new one; from files without a name nothing else is left, either."""
    plains = {name: os.urandom(1) * (2 * BATCH + size) for size, name in enumerate(("one", "two"))}
    for name, plain in plains.items():
        (tmp_path / "plain").write_bytes(plain)
        cngaes.encrypt_file(tmp_path / "plain", tmp_path / name, KEY, fsync=False)
    (tmp_path / "out").write_bytes(plains["one"])
    before = names_in(tmp_path)
    dice = random.Random(7)
    left = 0
    for _ in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path), str(temporary)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(dice.random() * 0.03)
        child.kill()
        child.wait()
        child.stdout.close()
        assert (tmp_path / "out").read_bytes() in plains.values()
        for name in names_in(tmp_path) - before:
            assert name.startswith(".cngaes-")
            left += 1
            (tmp_path / name).unlink()
    # Without a name, only a kill between the last two calls leaves anything.
    assert left <= (1 if temporary else 12)


@posix
def test_interrupted_command(tmp_path: Path) -> None:
    """Ctrl-C while a pipe is read: nothing is left, the status says so."""
    (tmp_path / "key").write_bytes(KEY)
    os.mkfifo(tmp_path / "pipe")
    child = subprocess.Popen(
        [
            *(sys.executable, "-m", "cngaes", "encrypt", tmp_path / "pipe", tmp_path / "out"),
            *("--key-file", tmp_path / "key"),
        ],
        stderr=subprocess.PIPE,
    )
    with (tmp_path / "pipe").open("wb") as pipe:
        pipe.write(pattern(3 * BATCH))
        pipe.flush()
        child.send_signal(signal.SIGINT)
        assert child.stderr is not None
        message = child.stderr.read()
        child.wait()
        child.stderr.close()
    assert (child.returncode, message) == (130, b"interrupted; nothing was written\n")
    assert names_in(tmp_path) == {"key", "pipe"}


@posix
def test_pipes_have_no_total(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    plain = pattern(2 * BATCH + 5)
    seen: list[tuple[int, int | None]] = []
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(plain))
    writer.start()
    cngaes.encrypt_file(
        tmp_path / "pipe", tmp_path / "c", KEY, progress=lambda *now: seen.append(now)
    )
    writer.join()
    assert seen[-1] == (len(plain), None)
    cngaes.decrypt_file(tmp_path / "c", tmp_path / "p", KEY)
    assert (tmp_path / "p").read_bytes() == plain


@pytest.mark.parametrize("change", ["grows", "shrinks", "is rewritten"])
def test_source_that_changes(change: str, tmp_path: Path) -> None:
    src = tmp_path / "src"
    src.write_bytes(pattern(3 * BATCH))

    def progress(done: int, total: int | None) -> None:
        if change == "grows":
            with src.open("ab") as file:
                file.write(b"more")
        elif change == "shrinks":
            os.truncate(src, BATCH)
        else:
            with src.open("r+b") as file:
                file.write(b"other")
            os.utime(src)

    with pytest.raises(cngaes.FileChanged) as caught:
        cngaes.encrypt_file(src, tmp_path / "out", KEY, threads=1, progress=progress)
    assert caught.value.filename == str(src)
    assert names_in(tmp_path) == {"src"}


@pytest.mark.parametrize("dst", ["sealed", "hard", "soft"])
@pytest.mark.parametrize("action", ACTIONS)
def test_dst_that_is_src(action: str, dst: str, tmp_path: Path) -> None:
    _, sealed = encrypted(tmp_path, 100)
    data = sealed.read_bytes()
    if dst == "hard":
        os.link(sealed, tmp_path / dst)
    if dst == "soft":
        with contextlib.suppress(OSError):
            (tmp_path / dst).symlink_to(sealed)
        if not (tmp_path / dst).exists():  # Wine says that it made one, and did not
            pytest.skip("symlinks cannot be made here")
    with pytest.raises(ValueError, match="dst must not be src"):
        ACTIONS[action](sealed, tmp_path / dst, KEY, context=CONTEXT)
    assert sealed.read_bytes() == data


@posix
def test_dst_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "src").write_bytes(b"data")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="dst must be a regular file"):
        cngaes.encrypt_file(tmp_path / "src", tmp_path / "pipe", KEY)
    with pytest.raises(IsADirectoryError):
        cngaes.encrypt_file(tmp_path / "src", tmp_path, KEY)
    with pytest.raises(IsADirectoryError):
        cngaes.encrypt_file(tmp_path, tmp_path / "out", KEY)
    for missing in ("nowhere", "no/where"):
        with pytest.raises(FileNotFoundError):
            cngaes.encrypt_file(tmp_path / missing, tmp_path / "out", KEY)
    with pytest.raises(FileNotFoundError):
        cngaes.encrypt_file(tmp_path / "src", tmp_path / "no" / "where", KEY)
    assert names_in(tmp_path) == {"src", "pipe"}


@posix
def test_links_and_modes(tmp_path: Path, temporary: bool) -> None:
    """A link stays and its target changes; modes are the old file's, else those of src."""
    (tmp_path / "src").write_bytes(b"data")
    (tmp_path / "src").chmod(0o640)
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "target").chmod(0o606)
    (tmp_path / "link").symlink_to("target")
    cngaes.encrypt_file(tmp_path / "src", tmp_path / "link", KEY)
    assert (tmp_path / "link").is_symlink()
    assert stat.S_IMODE((tmp_path / "target").stat().st_mode) == 0o606
    cngaes.decrypt_file(tmp_path / "link", tmp_path / "new", KEY)
    assert (tmp_path / "new").read_bytes() == b"data"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o606 & ~umask
    assert names_in(tmp_path) == {"src", "target", "link", "new"}


def test_bad_arguments(tmp_path: Path) -> None:
    _, sealed = encrypted(tmp_path, 5)
    (tmp_path / "out").write_bytes(b"old")
    before = names_in(tmp_path)
    out = tmp_path / "out"
    for action in ACTIONS.values():
        for key in (b"", bytes(15), bytes(17), bytes(24), bytes(33)):
            with pytest.raises(ValueError, match=f"key must be 16 or 32 bytes, got {len(key)}"):
                action(sealed, out, key)
        with pytest.raises(TypeError, match="key must be bytes-like, not str"):
            action(sealed, out, "0123456789abcdef")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="context must be bytes-like, not str"):
            action(sealed, out, KEY, context="text")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="kdf_hash must be 'sha512' or 'sha256', got 'md5'"):
            action(sealed, out, KEY, kdf_hash="md5")
        with pytest.raises(ValueError, match="threads must be at least 1 or None, got 0"):
            action(sealed, out, KEY, threads=0)
    assert names_in(tmp_path) == before
    assert out.read_bytes() == b"old"


def test_keys_in_any_buffer(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"data")
    key = bytearray(KEY)
    cngaes.encrypt_file(tmp_path / "p", tmp_path / "c", key, context=memoryview(b"x"))
    cngaes.decrypt_file(tmp_path / "c", tmp_path / "q", memoryview(key), context=bytearray(b"x"))
    key[:] = bytes(16)  # nothing holds on to it
    assert (tmp_path / "q").read_bytes() == b"data"


@pytest.mark.parametrize("fsync", [True, False])
@posix
def test_durable(
    fsync: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, temporary: bool
) -> None:
    """The file is on the disk before it gets its name, the name before the call returns."""
    calls: list[str] = []
    real_fsync, real_replace = os.fsync, os.replace

    def note_fsync(fd: int) -> None:
        calls.append("fsync folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "fsync file")
        real_fsync(fd)

    def note_replace(*arguments: object, **options: object) -> None:
        calls.append("replace")
        real_replace(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "replace", note_replace)
    (tmp_path / "p").write_bytes(b"data")
    cngaes.encrypt_file(tmp_path / "p", tmp_path / "c", KEY, fsync=fsync)
    assert calls == (["fsync file", "replace", "fsync folder"] if fsync else ["replace"])


def _write(target: AtomicFile) -> None:
    target.write_at(memoryview(b"new"), 0)
    target.commit()


@posix
@pytest.mark.parametrize("failing", ["fsync", "link", "close", "replace", "pwrite"])
def test_every_call_that_can_fail(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, temporary: bool
) -> None:
    (tmp_path / "out").write_bytes(b"old")
    target = AtomicFile(tmp_path / "out", mode=0o600, fsync=True)
    real = getattr(os, failing)

    def fail(*arguments: object, **options: object) -> None:
        if failing == "close":
            real(*arguments, **options)
            monkeypatch.setattr(os, "close", real)
        raise OSError(5, "planted")

    with target, monkeypatch.context() as patch:
        patch.setattr(os, failing, fail)
        if failing == "link" and not temporary:
            return  # nothing is linked
        with pytest.raises(OSError, match="planted"):
            _write(target)
    assert names_in(tmp_path) == {"out"}
    assert (tmp_path / "out").read_bytes() == b"old"


def test_sealed_sizes_that_cannot_be(tmp_path: Path) -> None:
    _, sealed = encrypted(tmp_path, CHUNK + 5)
    data = sealed.read_bytes()
    for length in (HEADER, HEADER + 15, HEADER + SEALED, HEADER + SEALED + 15):
        sealed.write_bytes(data[:length])
        with pytest.raises(cngaes.InvalidFile, match=r"cut off in chunk [01]: "):
            cngaes.decrypt_file(sealed, tmp_path / "out", KEY, context=CONTEXT)
