from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from component.folder.out_listing import FileListing, OutFile, OutListing, OutManifest, OutSlice, OutSource
from component.mapping.jobs.disagreement import Answer, Aspect, Disagreement
from component.mapping.jobs.job import JobPart, OutputMapping, resolve_job
from component.mapping.platform.file_model import FileRule
from component.mapping.platform.model import Candidate, Load, Origin, Rule, Settings
from component.report.results.resolution import (
    RULE_WORDS,
    ResolutionReport,
    disagreement_words,
    form_words,
    option_words,
    render_resolution_json,
    source_words,
    verdict_words,
    why_words,
)
from component.report.results.resolution_tables import MOST_ROWS, show_resolution

PLAIN = OutSource("a.csv", size=1234)
SLICED = OutSource("s", sliced=True, size=20, slices=(OutSlice("1", 10), OutSlice("2", 10)))


def report(sources, manifests=(), files=(), disagreements=(), mapping=None, **settings):
    tables = OutListing("/data", tuple(sources), tuple(manifests))
    listing = FileListing("/data", tuple(files))
    job = resolve_job(tables, listing, OutputMapping.read(mapping or {}), Settings(**settings))
    return ResolutionReport(job, tables, listing, tuple(disagreements))


def shown(value, width=160):
    file = io.StringIO()
    show_resolution(value, Console(file=file, width=width, highlight=False, markup=False, emoji=False))
    return file.getvalue()


@pytest.mark.parametrize("rule", [*Rule, *FileRule])
def test_every_rule_has_words(rule):
    assert RULE_WORDS[rule]


def test_words_of_a_load():
    load = Load(
        "a.csv",
        False,
        "in.c-a.b",
        {"incremental": True, "columns": ["x" * 100]},
        Rule.MAPPING,
        (Candidate("manifest", "in.c-a.c"), Candidate("file_name", "a")),
        {"incremental": Origin.MANIFEST, "primary_key": Origin.MAPPING},
    )
    assert why_words(load) == "output mapping, over manifest in.c-a.c, file name a"
    incremental, columns, key = option_words(load)
    assert incremental == "incremental = true (manifest)"
    assert columns.endswith("…")
    assert key == "primary_key reset to its default (mapping)"


def test_words_of_a_source():
    assert (form_words(PLAIN), form_words(SLICED)) == ("plain, 1.2 kB", "2 slices, 20 B")


@pytest.mark.parametrize(
    ("aspect", "values", "said"),
    [
        (Aspect.DESTINATION, (("in.c-a.b",), ()), "seed: in.c-a.b; 2017: nothing"),
        (Aspect.OPTIONS, (({"incremental": True},), ({},)), 'seed: {"incremental": true}; 2017: nothing'),
        (Aspect.ERROR, (None, "No."), "seed: no error; 2017: No."),
        (Aspect.HEADER, (("header",), ("headless",)), "seed: header; 2017: headless"),
    ],
)
def test_words_of_a_disagreement(aspect, values, said):
    answers = tuple(Answer(rules, value) for rules, value in zip(("seed", "2017"), values, strict=True))
    words = disagreement_words(Disagreement(JobPart.TABLES, "a.csv", aspect, answers))
    assert words == f"rule sets disagree on a.csv ({aspect.value}): {said}"


LONG = {f"option_number_{number}": ["in", "every", "rule", "set"] for number in range(9)}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (({**LONG, "a": 1}, {**LONG, "a": 1}, {**LONG, "a": 2}), 'seed, 2017: {"a": 1}; 2026: {"a": 2}'),
        (({**LONG, "a": 1}, LONG, {**LONG, "a": 1}), 'seed, 2026: {"a": 1}; 2017: nothing'),
        (
            ({"a": "x" * 70 + "1"}, {"a": "x" * 70 + "2"}, {"a": "x" * 70 + "2"}),
            f'seed: {{"a": "{"x" * 70}1"}}; 2017, 2026: {{"a": "{"x" * 70}2"}}',
        ),
    ],
    ids=["grouped", "missing", "beyond the cut"],
)
def test_each_outcome_is_said_once_and_by_what_it_differs(values, said):
    answers = tuple(Answer(rules, (value,)) for rules, value in zip(("seed", "2017", "2026"), values, strict=True))
    words = disagreement_words(Disagreement(JobPart.TABLES, "a.csv", Aspect.OPTIONS, answers))
    assert words == f"rule sets disagree on a.csv (options): {said}"


def test_what_was_looked_at_is_said():
    there = report([PLAIN])
    assert source_words(there) == (
        "These are the 1 table and 0 files in out. To see what a run would make of the configuration, empty it first."
    )
    made = "/d/out is empty: these are the 1 table and 0 files that a run of the configuration would make."
    assert source_words(replace(there, predicted=True, out="/d/out")) == made
    assert source_words(report([])) == "out is empty, and the configuration makes no outputs."


def test_json_says_sizes_and_slices_beside_what_the_resolver_says():
    manifest = OutManifest("s.manifest", b'{"columns": ["x"], "destination": "in.c-a.s"}')
    value = render_resolution_json(report([SLICED], [manifest], [OutFile("f", 5)], component_id="c"))
    load = value["loads"][0]
    assert (load["bytes"], load["slices"], load["header"], load["sliced"]) == (20, 2, "headless", True)
    assert value["files"][0]["bytes"] == 5
    assert value["files"][0]["tags"] == ["componentId: c"]
    assert value["order"] == ["files", "tables"]


def test_what_a_job_does_not_get_to_is_shown_and_not_counted():
    value = report([PLAIN], mapping={"files": [{"source": "gone"}]}, bucket="in.c-a")
    text = shown(value)
    assert "Tables (the job stops before these)" in text
    assert "refused: File 'gone' not found." in text
    assert verdict_words(value.job).startswith("Rule set 2026 refuses the outputs.")
    assert render_resolution_json(value)["loads"] == []


def test_what_was_done_before_an_error_is_said():
    value = report([OutSource("in.c-a.a"), OutSource("z")], files=[OutFile("f")])
    told = "Rule set 2026 refuses the outputs, after 1 file upload and 1 table load."
    assert verdict_words(value.job).startswith(told)


def test_the_last_line_counts_what_was_found():
    value = report([OutSource("in.c-a.x", size=9), OutSource("foo.c-a.x", size=9)])
    assert verdict_words(value.job).endswith("Found besides: 1 error, 2 notes.")
    assert shown(value).splitlines()[-1] == verdict_words(value.job)


def test_errors_that_a_failed_job_ignores_are_shown():
    manifest = OutManifest("a.csv.manifest", b'{"destination": "x", "write_always": true}')
    value = report([PLAIN], [manifest], failed_job=True)
    assert "ignored, the job has failed: Failed to resolve destination" in shown(value)
    assert render_resolution_json(value)["swallowed"][0]["code"] == "mapping.no_destination"


def test_many_tables_are_lines():
    sources = [OutSource(f"in.c-a.t{number}", size=10) for number in range(MOST_ROWS + 1)]
    lines = shown(report(sources), width=60).splitlines()
    assert "in.c-a.t7 (plain, 10 B) to in.c-a.t7 by file name (deprecated); first line: names" in lines


def test_messages_are_not_folded():
    lines = shown(report([OutSource("x" * 100)]), width=60).splitlines()
    told = f'refused: Failed to resolve destination for output table "{"x" * 100}". [mapping.no_destination]'
    assert told in lines
