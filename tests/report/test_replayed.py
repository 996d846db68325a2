from __future__ import annotations

import io
import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from component.findings import Finding, Level
from component.report.results.replayed import Landing, OutputDifference, Replay, Replayed, Row, Status, render_json
from component.report.results.replayed_junit import render_junit
from component.report.results.replayed_text import show_run, show_total
from component.report.words.masking import Masking, masked

ROWS = (
    Row("expected", "t.csv", 12, (("id", "1"), ("name", None)), ("name",)),
    Row("actual", "part-2", 3, (("id", "1"), ("name", "[/red]x")), ("name",)),
)
DIFFERENT = Replayed(
    "group/case",
    Status.DIFFERENT,
    seconds=1.25,
    exit_code=0,
    remarks=(
        Finding(Level.WARNING, "replay.stderr", "out", "It wrote to stderr."),
        Finding(Level.NOTE, "replay.state", "", "It left no state."),
    ),
    differences=(OutputDifference("tables/t.csv", "rows", "Rows differ: 1 missing and 1 extra.", ROWS),),
    landings=(Landing("out/tables/t.csv", "out.c-a.t", "manifest"),),
    compared=("tables/t.csv",),
    stdout="hello",
    stderr="careful",
)
EQUAL = Replayed("good", Status.EQUAL, exit_code=0, compared=("tables/t.csv", "files/f"))
REFUSED = Replayed("gaps", Status.REFUSED, message="The folder lacks a.#b.")
FAILED = Replayed(
    "bad", Status.FAILED, exit_code=1, remarks=(Finding(Level.ERROR, "replay.exit_code", "", "It ended."),)
)


def text_of(*runs, width=100):
    stream = io.StringIO()
    console = Console(file=stream, width=width, markup=False, highlight=False, emoji=False)
    for run in runs:
        show_run(run, console, single=len(runs) == 1)
    show_total(Replay(runs), console)
    return stream.getvalue()


def test_a_single_run_is_shown_whole():
    text = text_of(DIFFERENT)
    for part in (
        "different  group/case, exit code 0, 1.2 s",
        "warning out: It wrote to stderr.",
        "note It left no state.",
    ):
        assert part in text
    assert "differs tables/t.csv: Rows differ: 1 missing and 1 extra." in text
    words = " ".join(text.split())
    assert "expected t.csv 12 1 null" in words
    assert "actual part-2 3 1 [/red]x" in words
    assert "out/tables/t.csv   out.c-a.t     manifest" in text


def test_of_several_runs_the_good_ones_take_a_line_each():
    text = text_of(EQUAL, DIFFERENT, REFUSED, FAILED)
    assert text.splitlines()[0] == "equal  good, exit code 0"
    assert "  The folder lacks a.#b." in text
    assert "error It ended." in text
    assert text.splitlines()[-1] == "4 cases: 1 equal, 1 different, 1 failed, 1 refused"


@pytest.mark.parametrize("width", [20, 40, 200])
def test_any_width_will_do(width):
    assert all(len(line) <= width for line in text_of(DIFFERENT, EQUAL, REFUSED, FAILED, width=width).splitlines())


def test_json_says_everything():
    value = json.loads(json.dumps(render_json(Replay((DIFFERENT,)))))
    assert value == {
        "exit_code": 1,
        "runs": [
            {
                "name": "group/case",
                "status": "different",
                "seconds": 1.25,
                "exit_code": 0,
                "message": "",
                "remarks": [
                    {
                        "level": "warning",
                        "code": "replay.stderr",
                        "place": "out",
                        "text": "It wrote to stderr.",
                        "remedy": "",
                    },
                    {"level": "note", "code": "replay.state", "place": "", "text": "It left no state.", "remedy": ""},
                ],
                "differences": [
                    {
                        "place": "tables/t.csv",
                        "kind": "rows",
                        "text": "Rows differ: 1 missing and 1 extra.",
                        "rows": [
                            {
                                "side": "expected",
                                "slice": "t.csv",
                                "row": 12,
                                "cells": {"id": "1", "name": None},
                                "changed": ["name"],
                            },
                            {
                                "side": "actual",
                                "slice": "part-2",
                                "row": 3,
                                "cells": {"id": "1", "name": "[/red]x"},
                                "changed": ["name"],
                            },
                        ],
                    }
                ],
                "landings": [{"source": "out/tables/t.csv", "destination": "out.c-a.t", "rule": "manifest"}],
                "compared": ["tables/t.csv"],
                "stdout": "hello",
                "stderr": "careful",
            }
        ],
    }


@pytest.mark.parametrize(
    ("runs", "code"), [((EQUAL,), 0), ((EQUAL, FAILED), 1), ((REFUSED,), 1), ((DIFFERENT,), 1), ((), 1)]
)
def test_the_exit_code_is_zero_when_all_is_well(runs, code):
    assert Replay(runs).exit_code == code


def test_junit_counts_failures_and_errors():
    suites = ET.fromstring(render_junit(Replay((EQUAL, DIFFERENT, REFUSED, FAILED))))
    (suite,) = suites
    assert (suites.tag, suite.tag) == ("testsuites", "testsuite")
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "4",
        "failures": "2",
        "errors": "1",
        "skipped": "0",
        "time": "1.250",
    }
    cases = list(suite)
    assert [(case.get("classname"), case.get("name")) for case in cases] == [
        ("tablemill replay", "good"),
        ("group", "case"),
        ("tablemill replay", "gaps"),
        ("tablemill replay", "bad"),
    ]
    assert [[part.tag for part in case] for case in cases] == [
        [],
        ["failure", "system-out", "system-err"],
        ["error"],
        ["failure"],
    ]
    failure = cases[1][0]
    assert failure.get("message") == "tables/t.csv: Rows differ: 1 missing and 1 extra."
    assert "  actual part-2 row 3: id='1', name='[/red]x'" in (failure.text or "")
    assert cases[2][0].get("message") == "The folder lacks a.#b."


@given(text=st.text(st.characters()))
def test_junit_is_xml_whatever_is_in_it(text):
    run = Replayed(text, Status.FAILED, remarks=(Finding(Level.ERROR, "c", text, text),), stdout=text, stderr=text)
    (suite,) = ET.fromstring(render_junit(Replay((run,))))
    assert suite[0].tag == "testcase"


def test_every_text_of_a_result_is_masked_and_its_own_words_are_not():
    secret = "different"
    shown = masked(replace(DIFFERENT, stdout=f"is {secret}", message=secret), Masking([secret, "1"]))
    assert shown.status is Status.DIFFERENT
    assert (shown.stdout, shown.message) == ("is [hidden]", "[hidden]")
    assert shown.differences[0].rows[0].cells == (("id", "[hidden]"), ("name", None))
    assert shown.differences[0].rows[0].number == 12
