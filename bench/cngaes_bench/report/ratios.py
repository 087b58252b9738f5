"""All ratios that the page's own control may ask for, worked out here and not in the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..stats import compare
from ..tables import BASELINES, baseline, ratio_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..measurement import Measurement, Result

_MOST_CHOICES = 12
AUTOMATIC = ""  # the choice of each case by itself


def choices(measurements: Sequence[Measurement], wanted: str | None) -> list[str]:
    """Offer the paths that most cases have, usual baselines first."""
    counts: dict[str, int] = {}
    for measurement in measurements:
        for result in measurement.results:
            if not result.cell.again:
                counts[result.cell.way] = counts.get(result.cell.way, 0) + 1

    def rank(way: str) -> tuple[bool, int, int]:
        usual = BASELINES.index(way) if way in BASELINES else len(BASELINES)
        return way != wanted, usual, -counts[way]

    return sorted(counts, key=rank)[:_MOST_CHOICES]


def ratios_json(
    measurements: Sequence[Measurement], ways: Sequence[str], wanted: str | None
) -> str:
    """Write, for each case and each choice, the heading and two cells of every row."""
    cases: dict[str, object] = {}
    for number, measurement in enumerate(measurements):
        for case in dict.fromkeys(result.cell.case for result in measurement.results):
            results = [r for r in measurement.results if r.cell.case == case and not r.cell.again]
            usual = baseline(measurement, case, wanted)
            of_case: dict[str, object] = {AUTOMATIC: _column(measurement, usual, results)}
            for way in ways:
                base = next((r for r in results if r.cell.way == way), None)
                if base is not None:
                    of_case[way] = _column(measurement, base, results)
            cases[f"{number}-{case.name}"] = of_case
    return json.dumps(cases, separators=(",", ":"))


def _column(
    measurement: Measurement, base: Result | None, results: Sequence[Result]
) -> dict[str, object]:
    if base is None:
        return {"title": "ratio", "rows": {r.cell.way: ["-", "-"] for r in results}}
    rows = {}
    for result in results:
        comparison = compare(measurement, base, result)
        verdict = comparison.verdict if comparison else "-"
        rows[result.cell.way] = [ratio_text(comparison), verdict]
    return {"title": f"times {base.cell.path}\n/{base.cell.placement} [95 %]", "rows": rows}
