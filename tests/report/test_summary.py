from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.report.messages.opening import open_log
from component.report.results.summary import (
    ChangeSummary,
    DatasetSummary,
    LossSummary,
    OutputSummary,
    RunSummary,
    render_json,
)
from component.report.results.summary_text import render_text, show_summary

FLIGHTS = DatasetSummary(
    uuid="flights",
    rows_in=336_776,
    rows=336_770,
    rejected=6,
    partitions=12,
    files=24,
    bytes=5_123_456,
    indices=(("carrier", 16), ("dest", 1)),
    mode="overwrite",
    where="file:///data/store",
)
WEATHER = DatasetSummary("weather", 1, 1, 0, 1, 1, 999, (), "append", "out/files/weather.dataset.zip")
RUN = RunSummary(
    datasets=(FLIGHTS, WEATHER),
    outputs=(
        OutputSummary(
            "flights",
            336_770,
            3,
            7_234_567,
            "out.c-main.flights",
            "named in the configuration",
            (LossSummary("dep", "not_finite", 2, "NaN is text"),),
        ),
        OutputSummary("weather", 1, 0, 999, "out.c-tablemill.weather", "named in its manifest"),
    ),
    stages=(("Start Spark", 2.04), ("Mill flights", 71.3)),
    seconds=84.2,
)


LINES = """\
2 datasets, 2 outputs in 1 min 24 s
dataset flights (overwrite): 336,776 rows in, 336,770 written, 6 rejected; 12 partitions, 24 files, 5.1 MB; \
indices: carrier (16 values), dest (1 value); in file:///data/store
dataset weather (append): 1 row in, 1 written, 0 rejected; 1 partition, 1 file, 999 B; \
indices: none; in out/files/weather.dataset.zip
output flights: 336,770 rows, 3 slices, 7.2 MB; to out.c-main.flights (named in the configuration)
output weather: 1 row, one file, 999 B; to out.c-tablemill.weather (named in its manifest)
seconds: Start Spark 2.0 s, Mill flights 1 min 11 s, all 1 min 24 s"""

TABLES = """\
Dataset   Rows in      Rows   Rejected   Partitions   Files     Size
────────────────────────────────────────────────────────────────────
flights   336,776   336,770          6           12      24   5.1 MB
weather         1         1          0            1       1    999 B
flights: overwrite, indices: carrier (16 values), dest (1 value), in file:///data/store
weather: append, indices: none, in out/files/weather.dataset.zip

Output       Rows   Slices     Size   Destination               Why
──────────────────────────────────────────────────────────────────────────────────────────
flights   336,770        3   7.2 MB   out.c-main.flights        named in the configuration
weather         1        -    999 B   out.c-tablemill.weather   named in its manifest

Stage                Time
─────────────────────────
Start Spark         2.0 s
Mill flights   1 min 11 s
all            1 min 24 s"""


def test_the_log_gets_compact_lines():
    assert render_text(RUN, None) == LINES


def test_a_wide_terminal_gets_tables():
    assert render_text(RUN, 100) == TABLES


def test_colours_change_nothing_but_colours():
    coloured = render_text(RUN, 100, colour=True)
    plain = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert plain != coloured
    assert [line.rstrip() for line in plain.splitlines()] == TABLES.splitlines()


def test_a_narrow_terminal_gets_folded_lines():
    folded = render_text(RUN, 50)
    assert all(len(line) <= 50 for line in folded.splitlines())
    assert " ".join(folded.split()) == " ".join(render_text(RUN, None).split())


def test_an_empty_run_shows_its_seconds():
    assert render_text(RunSummary((), (), (), 0.5), 80).splitlines()[-1] == "all     0.5 s"


def test_markup_in_names_is_shown_as_it_is():
    odd = RunSummary((replace(WEATHER, uuid="[red]x[/red]"),), (), (), 0)
    assert "[red]x[/red]: append" in render_text(odd, 100)


def test_the_json_has_every_field_under_its_name():
    assert json.loads(json.dumps(render_json(RUN))) == {
        "datasets": [
            {
                "uuid": "flights",
                "rows_in": 336776,
                "rows": 336770,
                "rejected": 6,
                "partitions": 12,
                "files": 24,
                "bytes": 5123456,
                "indices": [{"column": "carrier", "values": 16}, {"column": "dest", "values": 1}],
                "mode": "overwrite",
                "where": "file:///data/store",
                "changed": None,
                "losses": [],
            },
            {
                "uuid": "weather",
                "rows_in": 1,
                "rows": 1,
                "rejected": 0,
                "partitions": 1,
                "files": 1,
                "bytes": 999,
                "indices": [],
                "mode": "append",
                "where": "out/files/weather.dataset.zip",
                "changed": None,
                "losses": [],
            },
        ],
        "outputs": [
            {
                "name": "flights",
                "rows": 336770,
                "slices": 3,
                "bytes": 7234567,
                "destination": "out.c-main.flights",
                "rule": "named in the configuration",
                "losses": [{"column": "dep", "kind": "not_finite", "cells": 2, "text": "NaN is text"}],
            },
            {
                "name": "weather",
                "rows": 1,
                "slices": 0,
                "bytes": 999,
                "destination": "out.c-tablemill.weather",
                "rule": "named in its manifest",
                "losses": [],
            },
        ],
        "stages": [{"name": "Start Spark", "seconds": 2.04}, {"name": "Mill flights", "seconds": 71.3}],
        "seconds": 84.2,
    }


def test_the_log_shows_the_summary_with_secrets_hidden():
    stream = io.StringIO()
    show_summary(RUN, open_log(stream=stream, secrets=["flights"]))
    assert stream.getvalue() == render_text(RUN, None).replace("flights", "[hidden]") + "\n"


def test_a_summary_of_a_thousand_outputs_is_not_cut():
    outputs = tuple(replace(RUN.outputs[0], name=f"table-{number}") for number in range(1000))
    stream = io.StringIO()
    show_summary(replace(RUN, outputs=outputs), open_log(stream=stream))
    assert stream.getvalue().count("output table-") == 1000
    assert "[trimmed]" not in stream.getvalue()


amounts = st.integers(0, 10**10)


@pytest.mark.parametrize("width", [80, 120])
@given(rows=amounts, size=amounts, name=st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=60))
def test_no_line_of_a_table_is_wider_than_the_terminal_and_no_number_is_cut(width, rows, size, name):
    summary = RunSummary(
        (replace(FLIGHTS, uuid=name, rows_in=rows, rows=rows, bytes=size),),
        (OutputSummary(name, rows, 1000, size, f"out.c-main.{name}", "named in the configuration"),),
        (),
        1.0,
    )
    text = render_text(summary, width)
    assert all(len(line) <= width for line in text.splitlines())
    assert text.count(f"{rows:,}") >= 3


def test_what_became_of_old_rows_is_said_in_lines_tables_and_json():
    changed = ChangeSummary(files_rewritten=2, files_removed=1, rows_replaced=5, rows_added=1_200, rows_deleted=None)
    run = replace(RUN, datasets=(replace(FLIGHTS, mode="upsert", changed=changed),))
    said = "2 files rewritten, 1 removed; 5 rows replaced, 1,200 added, an unknown number deleted;"
    assert said in render_text(run, None)
    assert said in render_text(run, 200)
    assert render_json(run)["datasets"][0]["changed"]["rows_added"] == 1_200
