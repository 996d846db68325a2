from __future__ import annotations

import io

from rich.console import Console

from component.findings import Finding, Level
from component.report.results.checked import (
    CheckedColumn,
    CheckedDataset,
    CheckedSource,
    CheckReport,
    render_check_json,
)
from component.report.results.checked_tables import SHOWN_ROWS, show_check
from component.report.words.findings import sorted_findings
from component.report.words.masking import Masking, masked


def finding(level, code="folder.junk", text="Text"):
    return Finding(level, code, "place", text, "Remedy.")


def source(columns):
    return CheckedSource("s", "csv", True, 2, 10, True, ";", '"', "in the manifest", None, (), columns)


def shown(report, width=160):
    file = io.StringIO()
    show_check(report, Console(file=file, width=width, highlight=False, markup=False, emoji=False))
    return file.getvalue()


def test_the_worst_comes_first_and_nothing_twice():
    note, warning, error = finding(Level.NOTE), finding(Level.WARNING), finding(Level.ERROR)
    assert sorted_findings([note, warning, error, note]) == (error, warning, note)


def test_the_last_line_counts():
    report = CheckReport("/data", sorted_findings([finding(Level.ERROR), finding(Level.NOTE)]))
    assert shown(report).splitlines()[-1] == "1 error, 1 note."
    assert shown(CheckReport("/data")) == "Nothing is wrong.\n"


def test_wide_tables_are_cut_for_people_only():
    columns = tuple(CheckedColumn(f"c{number}", "integer", number > 0) for number in range(20))
    report = CheckReport("/data", sources=(source(columns),))
    text = shown(report, width=400)
    assert "c0 integer not null, c1 integer" in text
    assert "and 12 more" in text
    assert "csv, 2 slices, gzip, delimiter ';'" in text
    assert len(render_check_json(report)["sources"][0]["columns"]) == 20


def test_long_tables_are_cut_for_people_only_and_findings_never():
    datasets = tuple(CheckedDataset(f"d{number}", "s", "overwrite", (), (), (), ()) for number in range(SHOWN_ROWS + 2))
    findings = tuple(finding(Level.NOTE, text=f"Text {number}") for number in range(SHOWN_ROWS + 2))
    report = CheckReport("/data", findings, datasets=datasets)
    text = shown(report)
    assert f"d{SHOWN_ROWS - 1} " in text
    assert f"d{SHOWN_ROWS} " not in text
    assert "and 2 more datasets; --format json lists them all" in text
    assert f"Text {SHOWN_ROWS + 1}." in text
    assert len(render_check_json(report)["datasets"]) == SHOWN_ROWS + 2


def test_a_secret_is_hidden_in_every_text_but_not_in_codes_and_levels():
    secret = "folder"
    report = CheckReport(
        "/a/folder",
        (Finding(Level.NOTE, "folder.junk", "folder", "a folder", "no folder"),),
        (source((CheckedColumn("folder", "integer"),)),),
    )
    value = render_check_json(masked(report, Masking([secret])))
    assert value["folder"] == "/a/[hidden]"
    assert value["findings"][0] == {
        "level": "note",
        "code": "folder.junk",
        "place": "[hidden]",
        "text": "a [hidden]",
        "remedy": "no [hidden]",
    }
    assert value["sources"][0]["columns"][0]["name"] == "[hidden]"
