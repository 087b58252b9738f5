"""What a report says, in all its forms, and that it says nothing but what was measured."""

from __future__ import annotations

import csv
import io
import statistics
from dataclasses import replace
from html import escape

import pytest
from rich.console import Console

from bench_fakes import measure, right, sleeping
from cngaes_bench.article import (
    PUBLISHED_FIRST8,
    PUBLISHED_ON,
    article_cases,
    article_section,
    outputs_section,
)
from cngaes_bench.cases import Case
from cngaes_bench.cells import INTO, Cell
from cngaes_bench.document import (
    Document,
    Section,
    Table,
    to_csv,
    to_markdown,
    to_terminal,
)
from cngaes_bench.measurement import Measurement, Missing
from cngaes_bench.report.page import Part, render
from cngaes_bench.runner import Settings
from cngaes_bench.tables import (
    BaselineError,
    case_section,
    check_baseline,
    csv_text,
    cycles_per_byte,
    document,
)

MIB = 1 << 20
AWKWARD = Document(
    "A | title",
    [Section("<b>", Table(("name", "a\nb"), [["x|y", "1"], ["<i>", "2 & 3"]]), ["a note"])],
)


@pytest.fixture(scope="module")
def article() -> Measurement:
    works = {"cryptography": right, "cpu": right, "pycryptodomex": sleeping(0.001, right)}
    settings = Settings(rounds=3, min_time=0.0, seed=1)
    return measure(works, article_cases(MIB), settings, twins=True)


def test_the_articles_table_has_published_figures_beside_ours(article: Measurement) -> None:
    section = article_section(article)
    assert section.table is not None
    columns = [column.replace("-\n", "").replace("\n", " ") for column in section.table.columns]
    assert columns == [
        "MB/s, best",
        "cryptography here",
        "cryptography publ.*",
        "pycryptodomex here",
        "pycryptodomex publ.*",
        "CNG ctypes publ.*",
        ".NET 9 publ.*",
        "cngaes new",
    ]
    rows = {row[0]: row for row in section.table.rows}
    assert list(rows) == ["AES-128-CBC", "AES-256-CBC", "AES-256-GCM", "SHA-256"]
    gcm = dict(zip(columns, rows["AES-256-GCM"], strict=True))
    assert gcm["cryptography publ.*"] == "67.6"
    assert gcm[".NET 9 publ.*"] == "6143.2"
    assert rows["SHA-256"][4] == "-"
    assert float(gcm["cngaes new"].replace(",", "")) > 0
    assert PUBLISHED_ON in section.notes
    assert "another machine" in PUBLISHED_ON
    assert any("1 MiB of the article's 128" in note for note in section.notes)


def test_our_dotnet_is_named_by_the_version_that_ran(article: Measurement) -> None:
    ours = [
        replace(result, cell=Cell(result.cell.case, "dotnet", INTO), version=".NET 10.0.12")
        for result in article.results
        if result.cell.path == "cryptography"
    ]
    section = article_section(replace(article, results=[*article.results, *ours]))
    assert section.table is not None
    columns = [column.replace("\n", " ") for column in section.table.columns]
    assert columns.index(".NET 10 here") + 1 == columns.index(".NET 9 publ.*")


def test_figures_of_the_table_are_those_of_the_values(article: Measurement) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text([article]))))
    assert len(rows) == len(article.results)
    for row, result in zip(rows, article.results, strict=True):
        assert float(row["min_s"]) == min(result.seconds)
        assert float(row["MBps_best"]) == pytest.approx(MIB / min(result.seconds) / 1e6)
        assert row["sha256"] == result.fingerprint.sha256
        assert int(row["values"]) == len(result.values)


def test_min_median_mean_and_spread_are_all_shown(article: Measurement) -> None:
    [section] = [s for s in document(article).sections if s.title == "aes-256-gcm/encrypt/1MiB"]
    assert section.table is not None
    unit = section.table.columns[1].split()[1]
    assert section.table.columns[1:5] == [f"min {unit}", f"median {unit}", f"mean {unit}", "spread"]
    assert any("Noise floor" in note for note in section.notes)


def test_units_follow_the_values() -> None:
    settings = Settings(rounds=3, min_time=0.0, seed=1)
    measurement = measure({"slow": sleeping(0.002)}, (Case("sha256", "hash", 64),), settings)
    text = to_markdown(document(measurement))
    assert "min ms" in text


def test_the_outputs_are_shown_equal_to_the_published_ones(article: Measurement) -> None:
    table = outputs_section(article).table
    assert table is not None
    rows = {row[0]: row[1:] for row in table.rows}
    gcm = rows["AES-256-GCM"]
    assert gcm[:2] == [PUBLISHED_FIRST8["aes-256-gcm"], "the same"]
    assert gcm[2] == "f767ed31c4c818b8de35df13b71baf88"
    assert gcm[-2:] == ["as recorded", "4 of 4"]
    assert rows["SHA-256"][1] == "other size"


def test_a_wrong_prefix_is_told(article: Measurement) -> None:
    changed = Measurement(1, 0.0, 3, results=[replace(r) for r in article.results])
    for result in changed.results[:3]:
        result.fingerprint = replace(result.fingerprint, first8="00" * 8)
    table = outputs_section(changed).table
    assert table is not None
    assert any("DIFFERENT" in row for row in table.rows)
    assert any("of 4" in row[-1] and row[-1] != "4 of 4" for row in table.rows)


@pytest.mark.parametrize(
    ("width", "columns"), [(40, ["a", "c"]), (44, ["a", "b", "c"]), (200, ["a", "b", "c", "d"])]
)
def test_a_narrow_terminal_goes_without_what_it_can_miss(width: int, columns: list[str]) -> None:
    row = ["x" * 30, "1", "2" * 6, "3" * 50]
    table = Table(["a", "b", "c", "d"], [row], optional=("d", "b"))
    assert [table.columns[i] for i in table.fitting(width)] == columns


def test_an_article_fits_eighty_characters(article: Measurement) -> None:
    table = article_section(article).table
    assert table is not None
    console = Console(width=80, file=io.StringIO(), record=True)
    to_terminal(Document("t", [Section("s", table)]), console)
    assert "AES-256-GCM " in console.export_text()


def test_cycles_need_a_clock(article: Measurement) -> None:
    result = article.results[0]
    cycles = cycles_per_byte(result)
    assert cycles is None or cycles > 0
    for value in result.values:
        value.extras.pop("clock_mhz", None)
    assert cycles_per_byte(result) is None


def test_losses_and_interruptions_are_visible(article: Measurement) -> None:
    changed = Measurement(1, 0.0, 3, results=article.results, interrupted=True)
    changed.lost = [Missing("a/b", "it died"), Missing("a/c", "it died")]
    changed.unsupported = [Missing("d", "no such thing")]
    text = to_markdown(document(changed))
    for words in ("it died", "a/b, a/c", "no such thing", "Interrupted", "not again after"):
        assert words in text


def test_markdown_escapes_what_would_break_a_table() -> None:
    text = to_markdown(AWKWARD)
    assert "<b>" not in text
    assert "<i>" not in text
    assert "2 &amp; 3" in text
    assert "| x\\|y | 1 |" in text
    assert "| name | a b |" in text
    assert "|---|---:|" in text


def test_the_terminal_shows_the_same_cells(article: Measurement) -> None:
    report = document(article)
    console = Console(width=220, force_terminal=True, record=True, file=io.StringIO())
    to_terminal(report, console)
    text = console.export_text()
    for section in report.sections:
        for row in section.table.rows if section.table else ():
            assert row[0].split("\n")[0][:100] in text


def test_csv_is_rfc_4180_and_leaves_missing_fields_empty() -> None:
    text = to_csv(("a", "b"), [(None, 1.5), ('x,"y"', True), ("two\nlines", "")])
    assert text == 'a,b\r\n,1.5\r\n"x,""y""",True\r\n"two\nlines",\r\n'


def test_csv_keeps_every_digit_and_names_units(article: Measurement) -> None:
    text = csv_text([article, article])
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["file"] for row in rows] == ["1"] * len(article.results) + ["2"] * len(
        article.results
    )
    units = ("_s", "MBps", "bytes", "mhz", "cycles_per_byte", "of_median")
    numbers = ("min_s", "bytes", "MBps_best", "clock_mhz", "cycles_per_byte", "spread_of_median")
    assert all(any(unit in name for unit in units) for name in numbers)
    assert set(numbers) <= set(rows[0])
    for row, result in zip(rows, article.results, strict=False):
        assert float(row["mean_s"]) == statistics.fmean(result.seconds)


def test_a_baseline_of_ones_own(article: Measurement) -> None:
    case = article.results[0].cell.case
    section = case_section(article, case, "pycryptodomex/new")
    assert section.table is not None
    verdicts = {row[0]: row[-1] for row in section.table.rows}
    assert verdicts["pycryptodomex/new"] == "baseline"
    assert verdicts["cpu/new"] != "baseline"
    with pytest.raises(BaselineError, match=r"cpu/into.*there are: .*cpu/new"):
        check_baseline([article], "cpu/into")


def test_one_kib_a_hundred_thousand_times() -> None:
    from synthetic import measurement as made
    from synthetic import result

    found = made(
        result("sha256/hash/1KiB/cpu/new", [800.0, 1000.0, 1200.0]),
        result("sha256/hash/64B/cpu/new", 100.0),
    )
    (section,) = [s for s in document(found).sections if "hundred thousand" in s.title]
    assert section.table is not None
    assert [list(row) for row in section.table.rows] == [
        ["sha256/hash", "cpu/new", "80.0", "100.0", "1"]
    ]


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({}, "cngaes bench"),
        (
            {"wine_version": "8.0 (its bcrypt.dll is not Windows' CNG)"},
            "cngaes bench, under Wine 8.0: not Windows' own CNG",
        ),
        (
            {"emulated": "arm64 code on an x86_64 machine"},
            (
                "cngaes bench, EMULATED (arm64 code on an x86_64 machine): "
                "the times say nothing about a machine"
            ),
        ),
    ],
)
def test_the_title_says_what_nobody_may_overlook(
    article: Measurement, facts: dict[str, str], words: str
) -> None:
    there = replace(article, machine={"cpu": "any", **facts})
    assert to_markdown(document(there)).startswith(f"# {words}\n")
    heading = escape(words.replace("cngaes bench", "cngaes benchmark report", 1))
    assert f"<h1>{heading}</h1>" in render([Part("a", there, "{}")])


def test_paths_that_compute_nothing_say_so() -> None:
    case = Case("aes-256-gcm", "encrypt", 16)
    works = {"cng-noop": right, "cpu": right}
    measurement = measure(works, (case,), Settings(rounds=2, min_time=0.0, seed=1))
    text = to_markdown(document(measurement))
    assert "functions that compute NOTHING" in text
    assert "checked for 1 of 1 entries" in text
