"""Hypotheses held against data: supported, refuted, or cannot tell; and only if all runs agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..explanation import CANNOT_TELL, REFUTED, SUPPORTED, Outcome, Verdict
from .terms import Prediction, Prices, predict

if TYPE_CHECKING:
    from ..explanation import Interval
    from ..measurement import Measurement, Value

MIN_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """What one set of data says about a hypothesis, for one subject (a result, a pair, or all)."""

    subject: str
    outcome: Outcome
    observation: str
    reason: str
    fact: bool = False  # known without any values, so that rounds do not matter


@dataclass(frozen=True)
class Evidence:
    """What a hypothesis may look at: one run, or all runs together."""

    measurement: Measurement
    prices: Prices
    predictions: Sequence[Prediction]
    one_of_many: bool = False  # one of several runs, whose agreement is looked at later

    @classmethod
    def of(cls, measurement: Measurement, *, one_of_many: bool = False) -> Evidence:
        """Work everything out."""
        prices = Prices(measurement)
        return cls(measurement, prices, predict(prices), one_of_many)

    @property
    def cpus(self) -> int:
        """CPUs that the measured process could use."""
        text = self.measurement.machine.get("cpus", "")
        return int(text) if text.isdigit() else 1

    @property
    def rounds(self) -> int:
        """Rounds behind every interval."""
        return self.prices.resampler.rounds


Test = Callable[[Evidence], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A name, what would be seen if it held, what is needed to look, and how to look."""

    name: str
    prediction: str
    needs: str
    test: Test


def hypothesis(name: str, prediction: str, needs: str) -> Callable[[Test], Hypothesis]:
    """Make a function a hypothesis. It yields a finding for each subject that the data has."""
    return lambda test: Hypothesis(name, prediction, needs, test)


def by_share(share: Interval, much: float, little: float) -> Outcome:
    """Supported when surely at least `much`, refuted when surely at most `little`."""
    if share.low >= much:
        return SUPPORTED
    if share.high <= little:
        return REFUTED
    return CANNOT_TELL


def percent(share: Interval) -> str:
    """Write a share and its interval."""
    return f"{share.value:.0%} [{share.low:.0%}, {share.high:.0%}]"


def judge(hypotheses: Sequence[Hypothesis], evidence: Evidence) -> tuple[Verdict, ...]:
    """Hold every hypothesis against all data, and against each run by itself."""
    count = evidence.measurement.runs
    runs = [
        Evidence.of(only_run(evidence.measurement, number), one_of_many=True)
        for number in range(count)
        if count > 1
    ]
    return tuple(verdict for each in hypotheses for verdict in _judge_one(each, evidence, runs))


def only_run(measurement: Measurement, run: int) -> Measurement:
    """Leave the values of one run."""

    def kept(values: Sequence[Value]) -> list[Value]:
        return [value for value in values if value.run == run]

    results = [replace(each, values=kept(each.values)) for each in measurement.results]
    probes = [replace(each, values=kept(each.values)) for each in measurement.probes]
    return replace(
        measurement,
        runs=1,
        results=[each for each in results if each.values],
        probes=[each for each in probes if each.values],
    )


def _judge_one(each: Hypothesis, evidence: Evidence, runs: Sequence[Evidence]) -> Iterator[Verdict]:
    findings = list(each.test(evidence))
    if not findings:
        nothing = f"this run has no {each.needs}"
        yield Verdict(each.name, each.prediction, "-", CANNOT_TELL, nothing)
        return
    of_runs = [{one.subject: one for one in each.test(run)} for run in runs]
    for finding in findings:
        settled = _settled(finding, evidence, [run.get(finding.subject) for run in of_runs])
        yield Verdict(
            f"{each.name}: {settled.subject}" if settled.subject else each.name,
            each.prediction,
            settled.observation,
            settled.outcome,
            settled.reason,
        )


def _settled(finding: Finding, evidence: Evidence, of_runs: Sequence[Finding | None]) -> Finding:
    """Keep a finding that enough rounds and all runs bear out."""
    if finding.outcome == CANNOT_TELL:
        return finding
    if evidence.rounds < MIN_ROUNDS and not finding.fact:
        why = f"{evidence.rounds} round(s): an interval needs {MIN_ROUNDS} at least"
        return replace(finding, outcome=CANNOT_TELL, reason=why)
    others = {one.outcome if one else CANNOT_TELL for one in of_runs}
    if others <= {finding.outcome}:
        return finding
    spread = "; ".join(
        f"run {number}: {one.outcome}, {one.observation}" if one else f"run {number}: no data"
        for number, one in enumerate(of_runs, start=1)
    )
    return replace(finding, outcome=CANNOT_TELL, reason=f"not reproduced: {spread}")
