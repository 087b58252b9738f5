"""From a measurement to its explanation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..explanation import Explanation
from ..model import fits
from .hypotheses import HYPOTHESES
from .verdicts import Evidence, judge

if TYPE_CHECKING:
    from ..measurement import Measurement


def explain(measurement: Measurement) -> Explanation:
    """Predict, fit and judge. The same data gives the same answer, to the last digit."""
    # A result that was lost half way has fewer rounds, none has nothing to say.
    kept = [result for result in measurement.results if result.values]
    evidence = Evidence.of(replace(measurement, results=kept))
    return Explanation(
        tuple(prediction.waterfall for prediction in evidence.predictions),
        fits(evidence.prices),
        judge(HYPOTHESES, evidence),
        evidence.prices.values(),
    )
