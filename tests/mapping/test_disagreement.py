from __future__ import annotations

import json

from hypothesis import given

from component.folder.out_listing import FileListing, OutFile, OutListing, OutManifest, OutSource
from component.mapping.jobs.disagreement import Answer, Aspect, compare
from component.mapping.jobs.job import JobPart, OutputMapping
from component.mapping.jobs.resolve import RULE_SETS
from component.mapping.platform.model import Settings
from tests.strategies import mapping_files, output_mapping

NO_FILES = FileListing("/data")


def outputs(*sources, **manifests):
    """Files by name, and the manifests of some."""
    listed = tuple(OutSource(name, size=1) for name in sources)
    found = tuple(OutManifest(f"{name}.manifest", json.dumps(content).encode()) for name, content in manifests.items())
    return OutListing("/data", listed, found)


def entry(source, destination="in.c-x.t", **options):
    return {"source": source, "destination": destination} | options


def disagreements(tables, *mapping, files=NO_FILES, file_mapping=(), **settings):
    return compare(tables, files, OutputMapping(mapping, tuple(file_mapping)), Settings(**settings)).disagreements


def test_every_rule_set_is_asked():
    resolutions = compare(outputs(), NO_FILES, OutputMapping(), Settings()).resolutions
    assert [one.rules for one in resolutions] == list(RULE_SETS)


def test_where_all_say_the_same_there_is_nothing():
    assert not disagreements(outputs("a", "b", b={"destination": "in.c-y.m"}), entry("a", incremental=True))


def test_another_destination_is_said_by_rule_set():
    (found,) = disagreements(outputs("a"), entry("a"), bucket="in.c-main")
    assert (found.part, found.source, found.aspect) == (JobPart.TABLES, "a", Aspect.DESTINATION)
    assert found.answers == (
        Answer("seed", ("in.c-main.a",)),
        Answer("2017", ("in.c-main.a",)),
        Answer("2026", ("in.c-x.t",)),
    )


def test_another_number_of_loads_is_another_destination():
    (found,) = disagreements(outputs("a"), entry("a"), entry("a", "in.c-x.u"))
    assert [answer.value for answer in found.answers] == [
        ("in.c-x.t", "in.c-x.u"),
        ("in.c-x.u",),
        ("in.c-x.t", "in.c-x.u"),
    ]


def test_other_options_and_headers_are_said():
    found = disagreements(outputs("a", a={"columns": ["x"]}), entry("a"))
    assert [one.aspect for one in found] == [Aspect.OPTIONS, Aspect.HEADER]
    assert [answer.value for answer in found[0].answers] == [({},), ({},), ({"columns": ["x"]},)]
    assert [answer.value for answer in found[1].answers] == [("header",), ("header",), ("headless",)]


def test_an_error_that_not_all_have_is_said():
    (found,) = disagreements(outputs("a", a={"destination": "in.c-x.t", "description": "d"}))
    assert (found.source, found.aspect) == ("a", Aspect.ERROR)
    texts = {answer.rules: answer.value for answer in found.answers}
    assert texts["seed"] is None
    assert texts["2026"] is None
    assert texts["2017"].startswith("Failed to read table manifest from file a.manifest")


def test_the_same_error_in_other_words_is_no_disagreement():
    assert not disagreements(outputs("a"))
    assert not disagreements(outputs(), entry("b"))


def test_an_error_about_the_job_is_said_once():
    (found,) = disagreements(outputs("a"), entry("a", tags=["x"]))
    assert (found.part, found.source, found.aspect) == (JobPart.TABLES, None, Aspect.ERROR)
    assert [answer.value is None for answer in found.answers] == [True, False, True]


def test_a_source_that_a_rule_set_does_not_reach_has_no_answer_of_it():
    tables = outputs("a", "b", a={"destination": "in.c-x.t", "tags": ["x"]}, b={"destination": "in.c-x.b"})
    assert [(one.source, one.aspect) for one in disagreements(tables)] == [("a", Aspect.ERROR)]


def test_a_load_that_others_do_not_have_is_a_destination():
    (found,) = disagreements(outputs("a", a={"destination": "in.c-x.t", "write_always": True}), failed_job=True)
    assert found.aspect is Aspect.DESTINATION
    assert [answer.value for answer in found.answers] == [(), (), ("in.c-x.t",)]


def test_files_are_compared_by_their_tags_and_flags():
    files = FileListing("/data", (OutFile("f"),))
    (found,) = disagreements(outputs(), files=files, component_id="foo")
    assert (found.part, found.source, found.aspect) == (JobPart.FILES, "f", Aspect.OPTIONS)
    assert [answer.value[0]["tags"] for answer in found.answers] == [[], [], ["componentId: foo"]]
    assert not disagreements(outputs(), files=files)


def test_errors_about_files_are_compared():
    files = FileListing("/data", (OutFile("5"),))
    (found,) = disagreements(outputs(), files=files, file_mapping=[{"source": 5}])
    assert (found.part, found.source, found.aspect) == (JobPart.FILES, None, Aspect.ERROR)


@given(
    tables=output_mapping.listings(),
    files=mapping_files.listings(),
    table_mapping=output_mapping.mappings(),
    file_mapping=mapping_files.mappings(),
    settings=output_mapping.settings,
)
def test_disagreements_are_real(tables, files, table_mapping, file_mapping, settings):
    output = OutputMapping(tuple(table_mapping), tuple(file_mapping))
    for found in compare(tables, files, output, settings).disagreements:
        assert len(found.answers) > 1
        values = [answer.value for answer in found.answers]
        assert any(value != values[0] for value in values)
        assert len({answer.rules for answer in found.answers}) == len(values)
