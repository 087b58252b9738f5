"""SHA-256 and HMAC-SHA-256: NIST SHAVS and RFC 4231 on every kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import vectors
from forms import cuts

if TYPE_CHECKING:
    from collections.abc import Callable

    from engines import Engine


def one_shot(engine: Engine, data: bytes) -> bytes:
    return engine.sha256_digest(data)


def constructor(engine: Engine, data: bytes) -> bytes:
    made = engine.sha256(data)
    assert made.hexdigest() == made.digest().hex()
    return made.digest()


def pieces(engine: Engine, data: bytes) -> bytes:
    made = engine.sha256()
    for start, stop in cuts(len(data)):
        made.update(data[start:stop])
    return made.digest()


def copies(engine: Engine, data: bytes) -> bytes:
    """Each piece goes into a copy; the original, fed with rubbish, must not disturb it."""
    made = engine.sha256()
    for start, stop in cuts(len(data)):
        old, made = made, made.copy()
        old.update(b"rubbish")
        made.update(data[start:stop])
        made.digest()
    return made.digest()


FORMS: dict[str, Callable[[Engine, bytes], bytes]] = {
    "one-shot": one_shot,
    "constructor": constructor,
    "pieces": pieces,
    "copies": copies,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "count"), [("SHA256ShortMsg", 65), ("SHA256LongMsg", 64)])
def test_messages(sha: Engine, name: str, count: int, form: str) -> None:
    cases = vectors.sha256_messages(name)
    assert len(cases) == count
    for case in cases:
        assert FORMS[form](sha, case.message) == case.digest, case.where


@pytest.mark.parametrize("form", FORMS)
def test_monte_carlo(sha: Engine, form: str) -> None:
    """SHAVS section 6.4: 100 times 1000 hashes of the last three digests."""
    digest_of = FORMS[form]
    seed, expected = vectors.sha256_monte_carlo()
    assert len(expected) == 100
    for number, target in enumerate(expected):
        a = b = c = seed
        for _ in range(1000):
            a, b, c = b, c, digest_of(sha, a + b + c)
        assert c == target, f"COUNT = {number}"
        seed = c


def test_hmac_rfc4231(sha: Engine) -> None:
    cases = vectors.hmac_sha256_rfc4231()
    assert len(cases) == 6
    for case in cases:
        assert sha.hmac_sha256(case.key, case.message) == case.digest, case.where
        for view in (bytearray, memoryview):
            assert sha.hmac_sha256(view(case.key), view(case.message)) == case.digest, case.where
