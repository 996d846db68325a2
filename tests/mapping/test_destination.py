from __future__ import annotations

import pytest

from component.mapping.platform.model import Candidate, RefusedError, Rule
from component.mapping.rules.destination import Chosen, branch_destination, choose_destination, is_table_id, table_name

FALLBACK = (
    'warning: Source table "{}" has neither manifest file nor mapping set, falling back to the source name as a '
    "destination.This behaviour was DEPRECATED and will be removed in the future."
)


def choose(source="t.csv", mapping=None, manifest=None, bucket=None):
    log = []
    return choose_destination(source, mapping, manifest, bucket, log), log


def refused(**given):
    with pytest.raises(RefusedError) as caught:
        choose(**given)
    return caught.value.error


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("t.csv", "t"),
        ("t", "t"),
        (".csv", ".csv"),
        ("t.csv.csv", "t.csv"),
        ("t.CSV", "t.CSV"),
        ("t.csv.gz", "t.csv.gz"),
    ],
)
def test_one_final_csv_is_cut_from_a_file_name(name, table):
    assert table_name(name) == table


@pytest.mark.parametrize("text", ["in.c-main.t", "..", "in..t", " in.c-main.t ", "foo.bar.baz"])
def test_a_table_id_has_two_dots(text):
    assert is_table_id(text)
    assert not is_table_id(f"{text}.x")


def test_a_mapping_decides_over_everything():
    chosen, log = choose("in.c-f.t.csv", "in.c-main.a", "in.c-main.b", "out.c-x")
    assert chosen == Chosen(
        "in.c-main.a",
        Rule.MAPPING,
        (
            Candidate("manifest", "in.c-main.b"),
            Candidate("default_bucket", "out.c-x"),
            Candidate("file_name", "in.c-f.t"),
        ),
    )
    assert not log


@pytest.mark.parametrize("mapping", ["t", "in.c-main.t.x", "in.t", " "])
def test_a_mapping_needs_a_whole_id_even_with_a_default_bucket(mapping):
    error = refused(mapping=mapping, bucket="in.c-main", manifest="in.c-main.t")
    assert (error.code, error.source) == ("mapping.no_destination", "t.csv")
    assert error.text == 'Failed to resolve destination for output table "t.csv".'


@pytest.mark.parametrize("mapping", [None, "", "0"])
def test_an_empty_destination_in_the_mapping_is_none(mapping):
    assert choose(mapping=mapping, bucket="in.c-main")[0].destination == "in.c-main.t"


def test_a_whole_id_in_the_manifest_needs_no_bucket():
    chosen, log = choose(manifest="in.c-main.x", bucket="out.c-b")
    assert chosen == Chosen("in.c-main.x", Rule.MANIFEST, (Candidate("default_bucket", "out.c-b"),))
    assert not log


def test_a_bare_name_in_the_manifest_is_completed_by_the_bucket():
    chosen, _ = choose("in.c-f.t", manifest="x", bucket="out.c-b")
    assert chosen == Chosen("out.c-b.x", Rule.MANIFEST_IN_BUCKET, (Candidate("file_name", "in.c-f.t"),))


def test_a_bare_name_keeps_its_csv():
    assert choose(manifest="x.csv", bucket="out.c-b")[0].destination == "out.c-b.x.csv"


def test_a_zero_in_the_manifest_is_a_name():
    assert choose(manifest="0", bucket="out.c-b")[0].destination == "out.c-b.0"


def test_a_file_name_that_is_an_id_decides_with_a_warning():
    chosen, log = choose("in.c-f.t.csv", bucket="out.c-b")
    assert chosen == Chosen("in.c-f.t", Rule.FILE_NAME, (Candidate("default_bucket", "out.c-b"),))
    assert log == [FALLBACK.format("in.c-f.t.csv")]


def test_a_file_name_is_completed_by_the_bucket():
    assert choose(manifest="", bucket="out.c-b") == (Chosen("out.c-b.t", Rule.FILE_NAME_IN_BUCKET, ()), [])


@pytest.mark.parametrize(("source", "manifest"), [("t.csv", None), ("t.csv", "x"), ("a.b.csv", None), ("a.b.c.d", "")])
def test_without_bucket_an_incomplete_name_has_no_destination(source, manifest):
    assert refused(source=source, manifest=manifest).code == "mapping.no_destination"


@pytest.mark.parametrize(
    ("mapping", "manifest", "text"),
    [
        ("in.c-main.t", 5, "Argument #3 ($destinationFromManifest) must be of type ?string, int given"),
        (["x"], None, "Argument #4 ($destinationFromMapping) must be of type ?string, array given"),
        (False, 1.5, "Argument #3 ($destinationFromManifest) must be of type ?string, float given"),
    ],
)
def test_a_destination_that_is_no_text_is_a_fault_of_the_platform(mapping, manifest, text):
    error = refused(mapping=mapping, manifest=manifest)
    assert error.code == "mapping.destination_type"
    assert text in error.text


class TestBranch:
    @pytest.mark.parametrize(
        ("destination", "rewritten"),
        [
            ("in.c-main.t", "in.c-123-main.t"),
            ("in.main.t", "in.123-main.t"),
            ("..", ".123-."),
            ("in.c-.t", "in.c-123-.t"),
        ],
    )
    def test_the_bucket_gets_the_branch_id(self, destination, rewritten):
        assert branch_destination(destination, "123", "t") == rewritten

    def test_the_main_branch_changes_nothing(self):
        assert branch_destination("anything", None, "t") == "anything"

    @pytest.mark.parametrize("destination", ["a.b", "a.b.c.d"])
    def test_other_part_counts_are_refused(self, destination):
        with pytest.raises(RefusedError) as caught:
            branch_destination(destination, "123", "t")
        assert caught.value.error.text == f'Invalid destination: "{destination}"'
