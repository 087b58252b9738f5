"""Hypotheses and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..explanation import REFUTED, SUPPORTED
from .markup import Markup, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..explanation import Verdict

_KINDS = {SUPPORTED: "good", REFUTED: "bad"}


def verdict_list(verdicts: Sequence[Verdict]) -> Markup:
    """Write one block a hypothesis: the outcome in words, never by colour alone."""
    return tag("div", *(_block(verdict) for verdict in verdicts), class_="verdicts")


def _block(verdict: Verdict) -> Markup:
    return tag(
        "article",
        tag("h4", verdict.hypothesis, " ", tag("span", verdict.verdict,
                                               class_=_KINDS.get(verdict.verdict, "unsure"))),
        tag(
            "dl",
            tag("dt", "Predicted"),
            tag("dd", verdict.prediction),
            tag("dt", "Observed"),
            tag("dd", verdict.observation),
            tag("dt", "Because"),
            tag("dd", verdict.reason),
        ),
    )  # fmt: skip
