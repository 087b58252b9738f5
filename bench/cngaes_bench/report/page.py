"""One page of HTML that needs nothing from elsewhere."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

from ..article import article_section, is_article, outputs_section
from ..tables import (
    calls_section,
    case_section,
    check_baseline,
    closing_sections,
    machine_section,
    small_section,
    title,
)
from .charts.calls import call_figures
from .charts.cycles import cycles_figure
from .charts.figure import to_figure
from .charts.rounds import rounds_figure
from .charts.sizes import size_figures
from .charts.waterfalls import waterfall_figure
from .grid import to_table
from .markup import Markup, join, raw, script_json, tag
from .palette import variables
from .ratios import AUTOMATIC, choices, ratios_json
from .verdicts import verdict_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..cases import Case
    from ..document import Section
    from ..measurement import Measurement
    from .charts.figure import Figure

_NO_ID = re.compile(r"[^a-z0-9]+")
TITLE = "cngaes benchmark report"


@dataclass(frozen=True, slots=True)
class Part:
    """One result file: what it is called, what was read from it, and its text."""

    name: str
    measurement: Measurement
    json: str
    sections: list[Section] = field(default_factory=list)  # what else there is to say about it


@dataclass(frozen=True, slots=True)
class _Entry:
    """A heading with its content; entries make the list of contents."""

    title: str
    id: str
    body: Markup


def render(parts: Sequence[Part], wanted: str | None = None) -> str:
    """Write the page; `wanted` is the baseline as path/placement. Raises BaselineError."""
    measurements = [part.measurement for part in parts]
    check_baseline(measurements, wanted)
    chapters = [(part, _chapter(number, part, wanted)) for number, part in enumerate(parts)]
    body = join(
        tag("a", "Skip to the results", class_="skip", href="#main"),
        _header(parts),
        _contents(chapters),
        tag(
            "main", *(_part(n, *pair) for n, pair in enumerate(chapters)), id="main", tabindex="-1"
        ),
        tag("footer", tag("p", "Made by ", tag("code", "python -m cngaes report"), ".")),
        _controls(measurements, wanted),
        between="\n",
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{_title(parts)}: {_cpu(parts[0])}"),
        # No request leaves the page, not even for an icon.
        tag("link", rel="icon", href="data:,"),
        tag("style", variables(), _resource("page.css")),
    )
    page = tag("html", head, "\n", tag("body", body), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def _header(parts: Sequence[Part]) -> Markup:
    machines = dict.fromkeys(_machine(part) for part in parts)
    return tag(
        "header",
        tag("h1", _title(parts)),
        *(tag("p", machine, class_="lead") for machine in machines),
        tag(
            "p",
            "Every path was measured in the same rounds, in a new order each round, and its whole "
            "output was checked first. All charts are drawn from the numbers at the end.",
        ),
        tag(
            "p",
            tag("label", "Ratios refer to ", for_="baseline"),
            tag("select", id="baseline"),
            tag("span", "", id="baseline-said", role="status"),
            class_="control",
            hidden=True,
        ),
    )


def _title(parts: Sequence[Part]) -> str:
    return ", and ".join(dict.fromkeys(title(part.measurement, TITLE) for part in parts))


def _cpu(part: Part) -> str:
    return part.measurement.machine.get("cpu", "unknown CPU")


def _machine(part: Part) -> str:
    """Name what it was measured on in one line; all of it stands in the section Machine."""
    facts = part.measurement.machine
    names = ("cpu_design", "os", "python")
    version = facts.get("cngaes")
    words = [_cpu(part), *(facts[name] for name in names if name in facts)]
    return ", ".join([*words, *([f"cngaes {version}"] if version else [])])


def _contents(chapters: Sequence[tuple[Part, list[_Entry]]]) -> Markup:
    lists = []
    for part, entries in chapters:
        items = [tag("li", tag("a", entry.title, href=f"#{entry.id}")) for entry in entries]
        lists.append(join(tag("p", part.name), tag("ul", *items)))
    return tag("nav", tag("h2", "Contents"), *lists, aria_label="Contents")


def _part(number: int, part: Part, entries: Sequence[_Entry]) -> Markup:
    name = f"part-{number}"
    sections = [
        tag("section", tag("h3", entry.title, id=entry.id), entry.body, aria_labelledby=entry.id)
        for entry in entries
    ]
    return tag("section", tag("h2", part.name, id=name), *sections, aria_labelledby=name)


def _chapter(number: int, part: Part, wanted: str | None) -> list[_Entry]:
    measurement = part.measurement
    prefix, count = f"p{number}", itertools.count(1)

    def entry(title: str, *pieces: Markup | None) -> _Entry:
        return _Entry(
            title, f"{prefix}-{_NO_ID.sub('-', title.lower())}", join(*pieces, between="\n")
        )

    def plain(section: Section) -> _Entry:
        return entry(section.title, *_plain(section))

    def figures(drawn: Sequence[Figure]) -> list[Markup]:
        return [to_figure(figure, f"{prefix}-figure-{next(count)}") for figure in drawn]

    entries = [plain(section) for section in part.sections]
    if is_article(measurement):
        entries += [plain(article_section(measurement)), plain(outputs_section(measurement))]
    explanation = measurement.explanation
    if explanation is not None and explanation.verdicts:
        entries.append(entry("What explains it", verdict_list(explanation.verdicts)))
    for case in dict.fromkeys(result.cell.case for result in measurement.results):
        section = case_section(measurement, case, wanted)
        drawn = _case_figures(measurement, case)
        table = _case_table(number, case, measurement, section)
        entries.append(entry(section.title, table, *_notes(section), *figures(drawn)))
    if sizes := size_figures(measurement):
        entries.append(entry("Speed by size", *figures(sizes)))
    if explanation is not None and explanation.fits:
        entries.append(entry("Cost of a call", *figures(call_figures(explanation.fits))))
    elif (calls := calls_section(measurement)) is not None:
        entries.append(plain(calls))
    if (small := small_section(measurement)) is not None:
        entries.append(plain(small))
    entries += [plain(section) for section in closing_sections(measurement)]
    entries.append(plain(machine_section(measurement)))
    entries.append(entry("Raw data", _raw_data(number, part)))
    return entries


def _case_figures(measurement: Measurement, case: Case) -> list[Figure]:
    results = [r for r in measurement.results if r.cell.case == case and not r.cell.again]
    names = {result.cell.name for result in results}
    found = [rounds_figure(measurement, results)]
    if (cycles := cycles_figure(measurement, results)) is not None:
        found.append(cycles)
    if (explanation := measurement.explanation) is not None:
        found += [
            waterfall_figure(waterfall, explanation)
            for waterfall in explanation.waterfalls
            if waterfall.result_name in names
        ]
    return found


def _case_table(number: int, case: Case, measurement: Measurement, section: Section) -> Markup:
    assert section.table is not None
    ways = [r.cell.way for r in measurement.results if r.cell.case == case and not r.cell.again]
    table = to_table(section.table, section.title, rows=ways, marks=("ratio", "verdict"))
    return tag("div", table, data_case=f"{number}-{case.name}")


def _plain(section: Section) -> list[Markup]:
    table = [to_table(section.table, section.title)] if section.table is not None else []
    return [*table, *_notes(section)]


def _notes(section: Section) -> list[Markup]:
    return [tag("p", note, class_="note") for note in section.notes]


def _raw_data(number: int, part: Part) -> Markup:
    command = part.measurement.command or "unknown"
    return join(
        tag("p", "Made by this command:"),
        tag("pre", tag("code", command), tabindex="0"),
        tag(
            "p",
            "The whole file stands in the source of this page, in the element ",
            tag("code", f"raw-{number}"),
            ". ",
            tag("code", "python -m pyperf"),
            " reads it.",
        ),
        tag("p", tag("button", "Save the JSON", type="button", data_save=f"raw-{number}",
                     data_name=part.name), hidden=True, class_="control"),
        tag("script", script_json(part.json), type="application/json", id=f"raw-{number}"),
    )  # fmt: skip


def _controls(measurements: Sequence[Measurement], wanted: str | None) -> Markup:
    """Write what a reader may change; without scripts the page is whole, and stays as it is."""
    ways = choices(measurements, wanted)
    return join(
        tag("script", script_json(ratios_json(measurements, ways, wanted)),
            type="application/json", id="ratios", data_automatic=AUTOMATIC),
        tag("script", _resource("page.js")),
    )  # fmt: skip


def _resource(name: str) -> Markup:
    return raw(resources.files(__package__).joinpath(name).read_text("ascii"))
