"""Hypotheses and what became of them: a table for each, a row for each thing it was tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..explanation import REFUTED, SUPPORTED
from .markup import Markup, join, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..explanation import Verdict

_KINDS = {SUPPORTED: "good", REFUTED: "bad"}


def verdict_list(verdicts: Sequence[Verdict]) -> Markup:
    """Write the outcomes in words, never by colour alone. `NAME: SUBJECT` belongs under NAME."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(verdict.hypothesis.partition(": ")[0], []).append(verdict)
    return tag("div", *(_group(name, each) for name, each in groups.items()), class_="verdicts")


def _group(name: str, verdicts: Sequence[Verdict]) -> Markup:
    predictions = list(dict.fromkeys(verdict.prediction for verdict in verdicts))
    same = len(predictions) == 1
    columns = ["where", *([] if same else ["predicted"]), "observed", "verdict", "because"]
    head = tag("tr", *(tag("th", column, scope="col", class_="text") for column in columns))
    table = tag(
        "table",
        tag("caption", f"Verdicts: {name}"),
        tag("thead", head),
        tag("tbody", *(_row(verdict, same=same) for verdict in verdicts)),
    )
    label = f"Verdicts: {name} (scrolls sideways)"
    return join(
        tag("h4", name),
        tag("p", f"Predicted: {predictions[0]}.") if same else None,
        tag("div", table, class_="scroll", role="region", tabindex="0", aria_label=label),
        between="\n",
    )


def _row(verdict: Verdict, *, same: bool) -> Markup:
    kind = _KINDS.get(verdict.verdict, "unsure")
    texts = [*([] if same else [verdict.prediction]), verdict.observation]
    return tag(
        "tr",
        tag("th", verdict.hypothesis.partition(": ")[2] or "this run", scope="row"),
        *(tag("td", text, class_="text") for text in texts),
        tag("td", tag("span", verdict.verdict, class_=kind), class_="text"),
        tag("td", verdict.reason, class_="text"),
    )
