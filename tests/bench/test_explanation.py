"""Explanations as data: what is written is read again, and nothing else is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cngaes_bench.explanation import (
    BadExplanationError,
    Break,
    Explanation,
    Fit,
    FitPoint,
    Interval,
    ProbeValue,
    Term,
    Verdict,
    Waterfall,
)

ONE = Interval(0.9, 1.0, 1.25)
NAME = "aes-256-gcm/encrypt/128MiB/cpu-ctypes/typical"
TERM = Term("faults", "page faults", ONE, 2.0, Interval(0.4, 0.5, 0.6), "fault")
WHOLE = Explanation(
    (Waterfall(NAME, ONE, ONE, (TERM,), ONE, Interval(-1, 0, 1), ("engine of cpu-ctypes",)),),
    (Fit("sha256/hash", "cpu", "new", "reused", 1, ONE, ONE, (Break(1 << 21, 1.0, 2.0, "L2"),),
         (FitPoint(16, 5.0, -0.1),), None),),
    (Verdict("h", "p", "o", "cannot tell", "r"),),
    (ProbeValue("fault", "first touch of a page", "page", ONE, 9),),
)  # fmt: skip


def test_round_trip() -> None:
    text = WHOLE.to_json()
    assert "\n" not in text
    assert Explanation.from_json(text) == WHOLE
    assert Explanation.from_json(Explanation().to_json()) == Explanation()


def changed(*path: str | int, to: Any) -> str:
    data = json.loads(WHOLE.to_json())
    place = data
    for step in path[:-1]:
        place = place[step]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WHOLE.to_json()[:-20], "not JSON"),
        ("[]", "schema 1"),
        (changed("schema", to=0), "schema 1"),
        (changed("fits", to=None), "has not the fields"),
        (changed("fits", 0, "colour", to="red"), "fits"),
        (changed("waterfalls", to={}), "waterfalls is no list"),
        (changed("waterfalls", 0, "measured", "value", to="1"), r"waterfalls\[0\].measured.value"),
        (changed("waterfalls", 0, "measured", "low", to=True), r"measured.low is True"),
        (changed("waterfalls", 0, "terms", 0, "predicted", "value", to=1.1), "make no sum"),
        (changed("waterfalls", 0, "residual", "low", to=2), "upside down"),
        (changed("verdicts", 0, "verdict", to="true"), "not one of supported, refuted"),
        (WHOLE.to_json().replace("1.25", "NaN"), "made of numbers"),
    ],
)
def test_what_is_not_an_explanation_says_where(text: str, why: str) -> None:
    with pytest.raises(BadExplanationError, match=why):
        Explanation.from_json(text)


def test_intervals() -> None:
    assert Interval(90, 100, 105).width == pytest.approx(0.15)
    assert Interval(1, 2, 3).scaled(-2) == Interval(-6, -4, -2)
    with pytest.raises(ValueError, match="upside down"):
        Interval(2, 2, 1)
