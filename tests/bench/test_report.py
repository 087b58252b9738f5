"""The page of HTML: complete, escaped, usable without sight, and made of the JSON's numbers."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import pairwise, product
from typing import TYPE_CHECKING

import pytest

from cngaes_bench import results
from cngaes_bench.explanation import Verdict
from cngaes_bench.measurement import Measurement, Missing
from cngaes_bench.report import palette
from cngaes_bench.report.cli import main
from cngaes_bench.report.page import Part, render
from cngaes_bench.stats import compare
from cngaes_bench.tables import BaselineError, ratio_text
from report_pages import KIB, MIB, Page, explained, made

if TYPE_CHECKING:
    from pathlib import Path

WAYS = {"cpu/into": 0.001, "cpu/new": 0.002, "cryptography/into": 0.003, "kernel/into": 0.0009}
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&<!--"


def page_of(measurement: Measurement, wanted: str | None = None) -> Page:
    return Page(html_of(measurement, wanted))


def html_of(measurement: Measurement, wanted: str | None = None) -> str:
    return render([Part("out.json", measurement, results.to_text(measurement))], wanted)


@pytest.fixture(scope="module")
def full() -> Measurement:
    return explained(made(WAYS, sizes=(KIB, MIB)))


def test_everything_is_there(full: Measurement) -> None:
    page = page_of(full)
    words = page.words()
    for heading in ("Machine", "What explains it", "Speed by size", "Cost of a call",
                    "How it was measured", "Raw data", "aes-256-gcm/encrypt/1MiB"):  # fmt: skip
        assert heading in page.words("h3"), heading
    figures = page.words("figcaption")
    for title in ("Time of a call in every round", "Cycles a byte against the bound",
                  "Where the time goes", "Speed by size", "Cost of a call"):  # fmt: skip
        assert title in figures, title
    assert full.command in words
    assert "Every path was measured" in words
    for outcome in ("supported", "refuted", "cannot tell"):
        assert outcome in page.words("span")


def test_nothing_is_fetched_from_elsewhere(full: Measurement) -> None:
    page = page_of(full)
    for _, attributes in page.elements:
        assert not {"src", "srcset", "action", "onload", "onerror", "onclick"} & set(attributes)
        target = attributes.get("href") or "#"
        assert target.startswith("#") or target == "data:,"
    assert not re.search(r"@import|url\(", page.words("style"))


def test_a_listener_and_a_keyboard_find_their_way(full: Measurement) -> None:
    page = page_of(full)
    ids = {attributes.get("id") for _, attributes in page.elements}
    assert page.all("html")[0]["lang"] == "en"
    for landmark in ("header", "nav", "main", "footer"):
        assert len(page.all(landmark)) == 1, landmark
    first_link = page.all("a")[0]
    assert first_link["class"] == "skip"
    for link in page.all("a"):
        assert (link["href"] or "")[1:] in ids
    levels = [int(name[1]) for name, _ in page.elements if re.fullmatch("h[1-6]", name)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.all("th")
    assert all(th["scope"] in ("col", "row") for th in page.all("th"))
    assert len(page.all("caption")) == len(page.all("table"))
    for scroller in (a for a in page.all("div") if a.get("class") == "scroll"):
        assert scroller["tabindex"] == "0"
        assert scroller["role"] == "region"
        assert scroller["aria-label"]


def test_every_picture_has_words_and_numbers(full: Measurement) -> None:
    page = page_of(full)
    pictures, ids = page.all("svg"), {a.get("id") for _, a in page.elements}
    assert len(pictures) == 2 * len(page.all("figure"))  # for wide and for narrow screens
    for picture in pictures:
        assert picture["role"] == "img"
        assert set((picture["aria-labelledby"] or "").split()) <= ids
    assert len(page.all("details")) == len(page.all("figure"))
    assert "cpu/into: median" in page.words("desc")


@pytest.mark.parametrize("scheme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_colours_have_contrast(scheme: dict[str, str]) -> None:
    for name, ground in product(palette.TEXT, ("paper", "panel")):
        assert contrast(scheme[name], scheme[ground]) >= 4.5, (name, ground)
    for name in palette.GRAPHICS:
        assert contrast(scheme[name], scheme["paper"]) >= 3, name
    # Steps of the page faults are told apart by how light they are.
    steps = [contrast(scheme[f"passes-{i}"], scheme["paper"]) for i in range(5)]
    assert steps == sorted(steps)
    assert all(b / a > 1.3 for a, b in pairwise(steps))


def contrast(one: str, other: str) -> float:
    """Contrast of two colours by WCAG 2.2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    lights = sorted((luminance(one), luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def test_contrast_is_computed_as_wcag_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_nothing_from_a_file_becomes_markup(full: Measurement) -> None:
    evil = replace(full)
    evil.results = [replace(r, version=HOSTILE) for r in full.results]
    evil.results[1] = replace(
        evil.results[1],
        cell=replace(evil.results[1].cell, path=HOSTILE.replace("/", "|")),
        details={"kernel": HOSTILE},
    )
    evil.machine = {HOSTILE: HOSTILE, "cpu": HOSTILE, "cpu_design": HOSTILE}
    evil.notes, evil.command = [HOSTILE], HOSTILE
    evil.lost = [Missing(HOSTILE, HOSTILE)]
    assert full.explanation is not None
    evil.explanation = replace(
        full.explanation,
        verdicts=(Verdict(HOSTILE, HOSTILE, HOSTILE, "supported", HOSTILE),),
    )
    html = render([Part(HOSTILE, evil, json.dumps({"a": HOSTILE}))])
    page = Page(html)
    assert not page.all("img")
    assert len(page.all("script")) == 3  # the ratios, our own script, the raw data
    assert not any("onerror" in attributes for _, attributes in page.elements)
    assert HOSTILE in page.words()
    assert "<!--" not in html


def test_dots_stand_where_the_values_are() -> None:
    """And the numbers under the picture are those values; a value that changes moves its dot."""
    measurement = made(WAYS)
    value = measurement.results[0].values[0]
    measurement.results[0].values[0] = replace(value, seconds=value.seconds * 1.5)
    page = page_of(measurement)
    shown = [result for result in measurement.results if not result.cell.again]
    values = [value.seconds * 1e9 for result in shown for value in result.values]
    assert page.column("ns a call") == [f"{value:,.1f}" for value in values]
    circles = [dot for dot in page.all("circle") if (dot["class"] or "").startswith("passes")]
    dots = [float(dot["cx"] or 0) for dot in circles if float(dot["cy"] or 0) > 30]
    drawn = dots[: len(values)]  # the wide picture, without its legend
    first, last = values.index(min(values)), values.index(max(values))
    scale = (drawn[last] - drawn[first]) / math.log(values[last] / values[first])
    for x, number in zip(drawn, values, strict=True):
        assert x == pytest.approx(drawn[first] + scale * math.log(number / values[first]), abs=0.11)


def test_bars_of_a_waterfall_stand_on_one_another(full: Measurement) -> None:
    page = page_of(full)
    assert full.explanation is not None
    waterfall = full.explanation.waterfalls[0]
    engine, faults, total, measured, residual = (
        (float(bar["x"] or 0), float(bar["width"] or 0)) for bar in page.all("rect")[:5]
    )
    scale = measured[1] / waterfall.measured.value
    for bar, term in zip((engine, faults), waterfall.terms, strict=True):
        assert bar[1] == pytest.approx(term.predicted.value * scale, abs=0.2)
    assert faults[0] == pytest.approx(engine[0] + engine[1], abs=0.2)
    assert total[1] == pytest.approx(waterfall.predicted.value * scale, abs=0.2)
    # Predicted too much: the bar of the residual goes back to where the measured one ends.
    assert waterfall.residual.value < 0
    assert residual[0] == pytest.approx(measured[0] + measured[1], abs=0.2)
    assert residual[1] == pytest.approx(-waterfall.residual.value * scale, abs=0.2)


def test_the_chosen_baseline_is_what_ratios_refer_to(full: Measurement) -> None:
    page = page_of(full, "cpu/new")
    assert "times cpu\n/new [95 %]" in page.words("th")
    with pytest.raises(BaselineError, match="there are: cpu/into, cpu/new"):
        html_of(full, "cpu/typical")


def test_ratios_of_the_pages_control_are_those_of_the_suite(full: Measurement) -> None:
    page = page_of(full)
    text = next(t for name, t in page.text if name == "script" and t.startswith('{"0-'))
    of_case = json.loads(text)["0-aes-256-gcm/encrypt/1MiB"]
    assert set(of_case) == {"", *WAYS}
    by_way = {r.cell.way: r for r in full.results if r.cell.case.size == MIB}
    for base, way in product(WAYS, WAYS):
        comparison = compare(full, by_way[base], by_way[way])
        assert comparison is not None
        assert of_case[base]["rows"][way] == [ratio_text(comparison), comparison.verdict]


def test_time_that_others_had_is_told(full: Measurement) -> None:
    page = page_of(full)
    assert "by the wall clock" in page.words("text")
    assert "had the CPU for 20% of the time" in page.words("p")


def test_a_waterfall_that_lacks_a_probe_says_which() -> None:
    page = page_of(explained(made(WAYS), missing=("copy bandwidth",)))
    assert "there is no value of copy bandwidth" in page.words("p")
    assert "predicted (not whole)" in page.words("text")


def test_without_an_explanation_there_is_no_word_of_one() -> None:
    page = page_of(made(WAYS))
    assert "Where the time goes" not in page.words()
    assert "What explains it" not in page.words()


@pytest.mark.parametrize(
    "measurement",
    [
        made({"cpu/into": 0.001, "cryptography/into": 0.002}, rounds=1),
        made({"cpu/into": 0.001}, sizes=(16, KIB), rounds=2, faults=None),
        made({"cpu/into": 5e-9, "pycryptodomex/new/per-call": 9.0, "cpu/inplace/t64": 1.0}),
        made({"hashlib/new": 0.001}, algorithm="sha256"),
    ],
    ids=["one round", "nothing counted", "nine orders of magnitude", "hash"],
)
def test_odd_measurements_make_whole_pages(measurement: Measurement) -> None:
    page = page_of(measurement)
    places = ("x", "y", "cx", "cy", "x1", "x2", "y1", "y2")
    for kind in ("circle", "line", "rect", "text"):
        for attributes, name in product(page.all(kind), places):
            assert float(attributes.get(name) or 0) >= 0
    assert "nan" not in page.words("td", "text")
    if measurement.rounds == 1:
        assert "one round" in page.words("td")


def test_without_a_clock_or_a_known_cpu_there_is_no_bound() -> None:
    measurement = made(WAYS)
    measurement.machine.pop("cpu_design")
    page = page_of(measurement)
    assert "No bound: the instructions of this CPU have not been timed" in page.words("p")
    assert "reference" not in [attributes.get("class") for attributes in page.all("line")]
    for result in measurement.results:
        for value in result.values:
            value.extras.pop("clock_mhz", None)
    assert "Cycles a byte" not in page_of(measurement).words("figcaption")


# The command.


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: Measurement) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "out.json"
    results.write(full, path)
    return path


def test_the_command_writes_three_forms(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(written), str(written), "-o", "a.html", "--md", "a.md", "--csv", "a.csv"]) == 0
    assert capsys.readouterr().out.count("written: ") == 3
    folder = written.parent
    page = Page((folder / "a.html").read_text(encoding="utf-8"))
    assert page.words("h2").count("out.json") == 2
    raw = [t for name, t in page.text if name == "script" and '"benchmarks"' in t]
    assert [json.loads(text) for text in raw] == [json.loads(written.read_text())] * 2
    assert (folder / "a.md").read_text(encoding="utf-8").count("# cngaes bench\n") == 2
    text = (folder / "a.csv").read_bytes()
    assert text.count(b"\r\n") == text.count(b"\n") == 1 + 2 * 10


def test_the_default_name_is_that_of_the_file(written: Path) -> None:
    assert main([str(written)]) == 0
    assert written.with_suffix(".html").exists()
    assert main([str(written)]) == 2  # not replaced unasked
    assert main([str(written), "--force"]) == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "not a pyperf file"),
        ("", "not a pyperf file"),
        ("[1, 2]", "not a pyperf file"),
        ('{"version":"1.0","benchmarks":[{"runs":[{"values":[1.0]}],"metadata":{"name":"x"}}]}',
         "not one of `python -m cngaes bench`"),
        ("cut", "not a pyperf file"),
        ("old", "older version"),
    ],
)  # fmt: skip
def test_files_that_are_not_ours_are_refused(
    text: str | None, why: str, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = written.with_name("bad.json")
    if text == "cut":
        text = written.read_text()[:-200]
    if text == "old":
        text = written.read_text().replace('"cngaes_schema":2', '"cngaes_schema":1')
    if text is not None:
        bad.write_text(text)
    assert main([str(written), str(bad), "-o", "x.html"]) == 2
    error = capsys.readouterr().err
    assert why in error
    assert "bad.json" in error
    assert not written.with_name("x.html").exists()


def test_an_unknown_baseline_writes_nothing(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(written), "--baseline", "gpu/into"]) == 2
    assert "there are: cpu/into" in capsys.readouterr().err
    assert not written.with_suffix(".html").exists()
