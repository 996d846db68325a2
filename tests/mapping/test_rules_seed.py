"""One test for each rule of the documentation of 2017 that says where an output table lands (reference keboola 6.6)."""

from __future__ import annotations

import json

import pytest

from component.folder.out_listing import OutListing, OutManifest, OutSource
from component.mapping.platform.model import FirstLine, Origin, Rule, Settings
from component.mapping.rules.seed import resolve_seed

BUCKET = "out.c-my-app-12"


def outputs(*sources, **manifests):
    """Files by name (a name that ends in `/` is a directory), and the manifests of some."""
    listed = tuple(OutSource(name.rstrip("/"), sliced=name.endswith("/"), size=1) for name in sources)
    found = tuple(OutManifest(f"{name}.manifest", json.dumps(content).encode()) for name, content in manifests.items())
    return OutListing("/data", listed, found)


def resolve(listing, *mapping, **settings):
    return resolve_seed(listing, mapping, Settings(**settings))


def entry(source, destination="in.c-x.t", **options):
    return {"source": source, "destination": destination} | options


def only_load(listing, *mapping, **settings):
    resolution = resolve(listing, *mapping, **settings)
    assert resolution.error is None
    (load,) = resolution.loads
    return load


class TestDefaultBucket:
    """First rule, and section "Default Bucket"."""

    def test_all_tables_are_uploaded_to_it(self):
        resolution = resolve(outputs("a.csv", "b"), entry("b"), bucket=BUCKET)
        assert [load.destination for load in resolution.loads] == [f"{BUCKET}.a", f"{BUCKET}.b"]
        assert {load.rule for load in resolution.loads} == {Rule.FILE_NAME_IN_BUCKET}

    def test_the_file_name_without_csv_is_the_table_name(self):
        assert only_load(outputs("data.csv"), bucket=BUCKET).destination == f"{BUCKET}.data"
        assert only_load(outputs("data.tsv"), bucket="b").destination == "b.data.tsv"

    def test_destinations_in_mapping_and_manifest_are_overridden(self):
        listing = outputs("a.csv", **{"a.csv": {"destination": "in.c-y.m"}})
        load = only_load(listing, entry("a.csv"), bucket=BUCKET)
        assert load.destination == f"{BUCKET}.a"
        assert [(one.origin, one.value) for one in load.overrode] == [("mapping", "in.c-x.t"), ("manifest", "in.c-y.m")]

    def test_a_name_that_makes_no_table_id_is_an_error(self):
        error = resolve(outputs("a.b.csv"), bucket=BUCKET).error
        assert (error.code, error.source) == ("mapping.invalid_destination", "a.b.csv")
        assert f'"{BUCKET}.a.b"' in error.text

    def test_an_empty_one_is_none(self):
        assert resolve(outputs("a"), bucket="").error.code == "mapping.file_name_dots"


class TestMapping:
    """Second rule."""

    def test_a_source_that_matches_the_file_name_gives_the_destination(self):
        load = only_load(outputs("a.csv"), entry("a.csv"))
        assert (load.destination, load.rule) == ("in.c-x.t", Rule.MAPPING)

    def test_the_name_must_match_exactly(self):
        for name in ("A.csv", "a", "a.csv "):
            assert resolve(outputs("a.csv"), entry(name)).error.code == "mapping.source_missing"

    def test_every_mapping_that_matches_no_file_is_an_error(self):
        error = resolve(outputs("in.c-x.a"), entry("b"), entry("in.c-x.a"), entry("c")).error
        assert error.text == 'Table sources not found: "b", "c"'

    def test_it_goes_before_the_manifest_which_then_counts_for_nothing(self):
        load = only_load(outputs("a", a={"destination": "in.c-y.m", "delimiter": ";"}), entry("a", incremental=True))
        assert load.destination == "in.c-x.t"
        assert load.options == {"incremental": True}
        assert load.provenance == {"incremental": Origin.MAPPING}

    def test_a_destination_that_is_no_table_id_is_an_error(self):
        assert resolve(outputs("in.c-x.a"), entry("in.c-x.a", "t")).error.code == "mapping.no_destination"

    def test_without_a_destination_the_file_name_decides(self):
        listing = outputs("in.c-z.a", **{"in.c-z.a": {"destination": "in.c-y.m"}})
        assert only_load(listing, entry("in.c-z.a", "")).destination == "in.c-z.a"


class TestManifest:
    """Third rule."""

    def test_it_gives_the_destination_where_there_is_no_mapping(self):
        load = only_load(outputs("a", a={"destination": "in.c-y.m", "columns": ["x"]}))
        assert (load.destination, load.rule) == ("in.c-y.m", Rule.MANIFEST)
        assert load.provenance == {"columns": Origin.MANIFEST}

    def test_without_a_destination_the_file_name_decides(self):
        assert only_load(outputs("in.c-z.a.csv", **{"in.c-z.a.csv": {}})).destination == "in.c-z.a"

    def test_a_bare_name_is_an_error_without_a_default_bucket(self):
        assert resolve(outputs("in.c-z.a", **{"in.c-z.a": {"destination": "m"}})).error.code == "mapping.no_destination"

    def test_one_without_its_file_is_an_error(self):
        error = resolve(outputs("in.c-z.a", b={}, c={})).error
        assert error.text == 'Found orphaned table manifest: "b.manifest", "c.manifest"'

    def test_it_can_specify_another_enclosure_and_delimiter(self):
        options = {"delimiter": "\t", "enclosure": "'"}
        assert only_load(outputs("a", a={"destination": "in.c-y.m"} | options)).options == options

    def test_what_cannot_be_read_is_an_error(self):
        listing = OutListing("/data", (OutSource("a"),), (OutManifest("a.manifest", b"{"),))
        assert resolve(listing).error.text == (
            'Failed to parse manifest file "/data/out/tables//a.manifest" as "json": Syntax error'
        )


class TestFileName:
    """Fourth and fifth rule."""

    def test_it_is_the_destination_where_nothing_else_is(self):
        load = only_load(outputs("out.c-data.my-table.csv"))
        assert (load.destination, load.rule) == ("out.c-data.my-table", Rule.FILE_NAME)

    def test_that_is_not_deprecated(self):
        assert resolve(outputs("out.c-data.my-table.csv")).log == ()

    @pytest.mark.parametrize(("name", "dots"), [("a.csv", 0), ("c-data.a", 1), ("out.c-data.my.table.csv", 3)])
    def test_without_exactly_two_dots_it_is_an_error_that_says_why(self, name, dots):
        error = resolve(outputs(name)).error
        assert error.text.startswith(f'Failed to resolve destination for output table "{name}".')
        assert error.text.endswith(f"with exactly two dots, but it has {dots}.")

    def test_all_files_are_uploaded_not_only_those_named_in_mappings_or_manifests(self):
        listing = outputs("a", "b", "in.c-z.c", b={"destination": "in.c-y.b"})
        resolution = resolve(listing, entry("a"))
        assert [load.source for load in resolution.loads] == ["a", "b", "in.c-z.c"]

    def test_loads_before_an_error_are_kept(self):
        resolution = resolve(outputs("in.c-z.a", "junk"))
        assert [load.source for load in resolution.loads] == ["in.c-z.a"]


EXAMPLE = {"source": "myfile.csv", "destination": "in.c-mybucket.table", "columns": ["col1", "col2", "col3"]}


class TestSlices:
    """Section "Sliced Tables"."""

    def test_the_example_is_accepted_with_a_warning_about_source(self):
        resolution = resolve(outputs("myfile.csv/", **{"myfile.csv": EXAMPLE}))
        (load,) = resolution.loads
        assert (load.destination, load.sliced) == ("in.c-mybucket.table", True)
        assert load.options == {"columns": ["col1", "col2", "col3"]}
        assert [line.split('has the key "source"')[0] for line in resolution.log] == [
            'warning: The manifest of "myfile.csv" '
        ]

    def test_slices_cannot_have_headers(self):
        assert only_load(outputs("a/", a={"destination": "in.c-y.m", "columns": ["x"]})).header is FirstLine.HEADLESS

    def test_their_columns_come_from_the_manifest_or_from_the_mapping(self):
        assert only_load(outputs("a/"), entry("a", columns=["x"])).options == {"columns": ["x"]}
        error = resolve(outputs("in.c-z.a/")).error
        assert error.text == 'Sliced file "in.c-z.a" columns specification missing.'

    def test_a_schema_names_columns_too(self):
        assert only_load(outputs("a/", a={"destination": "in.c-y.m", "schema": [{"name": "x"}]}))


def test_columns_make_a_file_headless():
    assert only_load(outputs("a"), entry("a", columns=["x"])).header is FirstLine.HEADLESS
    assert only_load(outputs("a"), entry("a")).header is FirstLine.HEADER


def test_a_failed_job_uploads_nothing():
    resolution = resolve(outputs("a", b={}), entry("c"), failed_job=True)
    assert (resolution.loads, resolution.error) == ((), None)


@pytest.mark.parametrize("value", ["text", 5, {"source": "a", "wrong": 1}, {"destination": "in.c-x.t"}])
def test_an_entry_that_cannot_be_read_is_an_error(value):
    assert resolve(outputs("a"), value).error.code == "mapping.entry"
