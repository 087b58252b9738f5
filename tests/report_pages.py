"""Measurements made for reports, and pages taken apart."""

from __future__ import annotations

from html.parser import HTMLParser

from cngaes_bench.cases import Case
from cngaes_bench.cells import Cell
from cngaes_bench.explanation import (
    Break,
    Explanation,
    Fit,
    FitPoint,
    Interval,
    Outcome,
    ProbeValue,
    Term,
    Verdict,
    Waterfall,
)
from cngaes_bench.measurement import Measurement, Result, Value
from cngaes_bench.outputs import Fingerprint

KIB, MIB = 1 << 10, 1 << 20
MACHINE = {"cpu": "A CPU", "cpu_design": "Zen 3", "page_size": "4096 B", "os": "An OS"}


def made(
    times: dict[str, float],
    *,
    sizes: tuple[int, ...] = (MIB,),
    rounds: int = 5,
    algorithm: str = "aes-256-gcm",
    faults: int | None = 256,
) -> Measurement:
    """A measurement in which `times` maps ways to seconds a MiB, with an A/A pair a case."""
    results = []
    direction = "hash" if algorithm == "sha256" else "encrypt"
    for size in sizes:
        case = Case(algorithm, direction, size)
        names = [*times, f"{next(iter(times))}/again"]
        for place, name in enumerate(names):
            cell = Cell.parse(f"{case.name}/{name}")
            seconds = times[name.removesuffix("/again")] * size / MIB
            result = Result(cell, Fingerprint("00" * 8, "11" * 16, "22" * 32), "1.0")
            for number in range(rounds):
                extras: dict[str, int | float | str] = {"clock_mhz": 3000.0}
                if faults is not None:
                    extras["page_faults"] = faults * place
                wobble = 1 + 0.001 * ((number * 7 + place * 3) % 5)
                result.values.append(Value(seconds * wobble, 1, 0, number, place, extras))
            results.append(result)
    measurement = Measurement(1, 0.0, rounds, results=results, machine=dict(MACHINE))
    measurement.command = "python -m cngaes bench --case x"
    return measurement


def interval(value: float, width: float = 0.02) -> Interval:
    ends = sorted((value * (1 - width), value * (1 + width)))
    return Interval(ends[0], value, ends[1])


def explained(measurement: Measurement, *, missing: tuple[str, ...] = ()) -> Measurement:
    """Add an explanation with one waterfall a case, one fit, and one verdict of each outcome."""
    waterfalls = []
    for result in measurement.results:
        if result.cell.again:
            continue
        measured = result.seconds[0] * 1e9
        terms = (
            Term("engine", "the engine", interval(measured * 0.6), None, None, "kernel"),
            Term("faults", "page faults", interval(measured * 0.5), 256.0,
                 interval(measured * 0.5 / 256), "fault"),
        )  # fmt: skip
        total = sum(term.predicted.value for term in terms)
        waterfalls.append(
            Waterfall(
                result.cell.name,
                interval(measured * 1.25),
                interval(measured),
                terms,
                interval(total),
                interval(measured - total),
                missing,
            )
        )
    cell = measurement.results[0].cell
    fit = Fit(f"{cell.case.algorithm}/{cell.case.direction}", cell.path, cell.placement, cell.key,
              1, Interval(-5.0, 80.0, 90.0), interval(0.3), (Break(KIB, 0.1, 0.3, "L1"),),
              (FitPoint(KIB, 400.0, 0.01),), None)  # fmt: skip
    outcomes: tuple[Outcome, ...] = ("supported", "refuted", "cannot tell")
    verdicts = tuple(
        Verdict(f"hypothesis {outcome}", "predicted words", "observed words", outcome, "a reason")
        for outcome in outcomes
    )
    probe = ProbeValue("fault", "a page fault", "page fault", interval(700.0), 9)
    measurement.explanation = Explanation(tuple(waterfalls), (fit,), verdicts, (probe,))
    return measurement


class Page(HTMLParser):
    """Collects elements and text, and checks that tags close in order and ids are unique."""

    VOID = ("meta", "link", "br", "hr", "input")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[tuple[str, str]] = []  # the element it stands in, and the text
        self.tables: list[list[list[str]]] = []
        self.feed(html)
        self.close()
        assert self.open == []
        ids = [attributes["id"] for _, attributes in self.elements if "id" in attributes]
        assert len(ids) == len(set(ids))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append((self.open[-1] if self.open else "", data))
        if self.open and self.open[-1] in ("th", "td"):
            self.tables[-1][-1][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    def words(self, *within: str) -> str:
        """All text, or that of some kinds of elements."""
        return "\n".join(text for name, text in self.text if not within or name in within)

    def column(self, title: str) -> list[str]:
        """Cells of a column of the first table that has it."""
        table = next(table for table in self.tables if title in table[0])
        return [row[table[0].index(title)] for row in table[1:]]
