from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.folder.out_listing import OutListing, OutManifest, OutSource
from component.mapping.platform.model import FirstLine, MappingLayer, Origin, Rule, Settings
from component.mapping.rules.y2017 import resolve_2017

BUCKET = "in.c-main"


def outputs(*sources, **manifests):
    """Files by name (a name that ends in `/` is a directory), and the manifests of some."""
    listed = tuple(OutSource(name.rstrip("/"), sliced=name.endswith("/"), size=1) for name in sources)
    found = tuple(
        OutManifest(f"{name}.manifest", content if isinstance(content, bytes) else json.dumps(content).encode())
        for name, content in manifests.items()
    )
    return OutListing("/data", listed, found)


def resolve(listing, *mapping, **settings):
    return resolve_2017(listing, mapping, Settings(**({"bucket": BUCKET} | settings)))


def entry(source, destination="in.c-x.t", **options):
    return {"source": source, "destination": destination} | options


def only_load(listing, *mapping, **settings):
    resolution = resolve(listing, *mapping, **settings)
    assert resolution.error is None
    (load,) = resolution.loads
    return load


class TestSources:
    def test_the_first_missing_source_is_named_before_orphans(self):
        resolution = resolve(outputs("a", c={}), entry("b"), entry("d"))
        assert resolution.error.code == "mapping.source_missing_2017"
        assert resolution.error.text == "Table source 'b' not found."

    def test_the_first_orphan_is_named(self):
        resolution = resolve(outputs("a", b={}, c={}))
        assert resolution.error.code == "mapping.orphaned_manifest_2017"
        assert resolution.error.text == "Found orphaned table manifest: 'b.manifest'"

    def test_of_several_mappings_the_last_one_wins(self):
        assert only_load(outputs("a"), entry("a", "in.c-x.1"), entry("a", "in.c-x.2"), bucket=None).destination == (
            "in.c-x.2"
        )

    @pytest.mark.parametrize(("source", "name"), [(5, "5"), ("1e1", "10"), ("5.0", "5"), (" 7", "7")])
    def test_numbers_are_compared_as_numbers(self, source, name):
        assert only_load(outputs(name), entry(source), bucket=None).destination == "in.c-x.t"

    def test_the_feature_of_slicing_is_unknown(self):
        assert only_load(outputs("a"), entry("a"), entry("a"), features=frozenset({"output-mapping-slice"}))

    def test_loads_before_an_error_are_kept(self):
        resolution = resolve(outputs("a", "b.b", "c"))
        assert [load.source for load in resolution.loads] == ["a"]
        assert resolution.error.source == "b.b"

    def test_a_failed_job_maps_nothing_and_complains_about_nothing(self):
        resolution = resolve(outputs("a", c={}), entry("b"), failed_job=True)
        assert (resolution.loads, resolution.error, resolution.log) == ((), None, ())


class TestDestinations:
    """The quirks q1 and q2 of reference keboola 6.5, and what is around them."""

    @pytest.mark.parametrize(
        ("name", "bucket", "mapped", "manifest", "destination", "rule"),
        [
            ("in.c-z.a.csv", None, True, "in.c-y.m", "in.c-x.t", Rule.MAPPING),
            ("in.c-z.a.csv", None, True, None, "in.c-x.t", Rule.MAPPING),
            ("in.c-z.a.csv", None, False, "in.c-y.m", "in.c-y.m", Rule.MANIFEST),
            ("in.c-z.a.csv", None, False, "", "in.c-z.a", Rule.FILE_NAME),
            ("in.c-z.a.csv", None, False, None, "in.c-z.a", Rule.FILE_NAME),
            ("a.csv", BUCKET, True, "in.c-y.m", "in.c-x.t", Rule.MAPPING),  # q1: here the mapping wins over the bucket
            (
                "a.csv",
                BUCKET,
                True,
                None,
                "in.c-main.a",
                Rule.FILE_NAME_IN_BUCKET,
            ),  # q2: without a manifest it does not
            ("a.csv", BUCKET, False, "in.c-y.m", "in.c-main.a", Rule.FILE_NAME_IN_BUCKET),
        ],
    )
    def test_bucket_mapping_and_manifest(self, name, bucket, mapped, manifest, destination, rule):
        manifests = {} if manifest is None else {name: {"destination": manifest}}
        mapping = [entry(name)] if mapped else []
        load = only_load(outputs(name, **manifests), *mapping, bucket=bucket)
        assert (load.destination, load.rule) == (destination, rule)

    def test_what_was_overridden_is_said(self):
        load = only_load(outputs("a", a={"destination": "in.c-y.m"}))
        assert [(one.origin, one.value) for one in load.overrode] == [("manifest", "in.c-y.m")]

    @pytest.mark.parametrize("empty", ["", "0", None, 0, False])
    def test_an_empty_destination_is_none(self, empty):
        assert only_load(outputs("in.c-z.a.csv"), entry("in.c-z.a.csv", empty), bucket=None).destination == "in.c-z.a"
        listing = outputs("in.c-z.a", **{"in.c-z.a": {"destination": empty}})
        assert only_load(listing, bucket=None).destination == "in.c-z.a"

    @pytest.mark.parametrize("name", ["a", "a.b", "a.b.c.d", "out.c-data.my.table.csv"])
    def test_a_name_must_have_exactly_three_parts(self, name):
        error = resolve(outputs(name), bucket=None).error
        assert error.code == "mapping.table_name_2017"
        shown = name.removesuffix(".csv")
        assert error.text == (
            f"CSV file '{shown}' file name is not a valid table identifier, either set output mapping for '{name}' "
            "or make sure that the file name is a valid Storage table identifier."
        )

    def test_a_mapping_without_destination_beside_a_manifest_has_none(self):
        error = resolve(outputs("in.c-z.a", **{"in.c-z.a": {}}), {"source": "in.c-z.a"}, bucket=None).error
        assert error.text.startswith("CSV file '' file name is not a valid table identifier")

    def test_a_number_is_a_bad_destination_and_no_crash(self):
        assert resolve(outputs("a", a={"destination": 5}), bucket=None).error.text.startswith("CSV file '5' file name")

    def test_branches_are_unknown(self):
        assert only_load(outputs("a"), branch="7").destination == "in.c-main.a"


class TestOptions:
    def test_a_mapping_replaces_the_manifest_whole(self):
        load = only_load(outputs("a", a={"delimiter": ";", "columns": ["x"]}), entry("a", incremental=True))
        assert load.options == {"incremental": True}
        assert load.provenance == {"incremental": Origin.MAPPING}

    def test_slices_with_columns_only_in_the_manifest_of_a_mapped_table_fail(self):
        error = resolve(outputs("a/", a={"columns": ["x"]}), entry("a")).error
        assert error.text == "Sliced file 'a': columns specification missing."

    def test_columns_keep_their_names_and_make_a_file_headless(self):
        load = only_load(outputs("a", a={"columns": ["My col", "_timestamp"]}))
        assert load.options == {"columns": ["My col", "_timestamp"]}
        assert load.header is FirstLine.HEADLESS
        assert load.provenance == {"columns": Origin.MANIFEST}
        assert only_load(outputs("a")).header is FirstLine.HEADER

    def test_dashes_in_names_of_described_columns_become_underscores(self):
        load = only_load(outputs("a", a={"column_metadata": {"a-b": [{"key": "k", "value": 1}]}}))
        assert load.options == {"column_metadata": {"a_b": [{"key": "k", "value": 1}]}}

    def test_the_key_loses_empty_and_equal_names_before_blanks(self):
        resolution = resolve(outputs("a", a={"primary_key": ["Id", "", "Id", "Id ", None]}))
        assert resolution.loads[0].options == {"primary_key": {"0": "Id", "3": "Id"}}
        assert resolution.log == ("warning: Empty primary key found",) * 2

    def test_a_name_of_blanks_is_complained_about_once_it_is_trimmed(self):
        resolution = resolve(outputs("a", a={"primary_key": [" "]}))
        assert resolution.loads[0].options == {"primary_key": [""]}
        assert resolution.log == ("warning: Empty primary key found",)

    @pytest.mark.parametrize("name", ["schema", "write_always", "has_header", "distribution_key", "tags", "source"])
    def test_options_of_later_years_are_unknown(self, name):
        error = resolve(outputs("a", a={name: []})).error
        assert (error.code, error.reason) == ("mapping.manifest_2017", "mapping.node.unknown")
        assert error.text.startswith(
            f'Failed to read table manifest from file a.manifest Unrecognized option "{name}" under "table".'
        )

    @pytest.mark.parametrize("escape", ["\\", ""])
    def test_escaped_by_is_accepted_and_takes_no_part_in_the_load(self, escape):
        assert only_load(outputs("a", a={"escaped_by": escape})).options == {}
        assert only_load(outputs("a"), entry("a", escaped_by=escape)).options == {}


class TestBadInput:
    @pytest.mark.parametrize("where", ["mapping", "manifest"])
    def test_column_metadata_that_its_own_parser_refuses_again_is_an_error(self, where):
        options = {"column_metadata": [{"name": "0", "value": [{"key": "k", "value": "v"}]}]}
        mapping, manifests = ([entry("a", **options)], {}) if where == "mapping" else ([], {"a": options})
        error = resolve(outputs("a", **manifests), *mapping).error
        assert (error.code, error.reason) == ("mapping.options_2017", "mapping.node.attribute")
        assert error.text == "Failed to write manifest for table a."

    @pytest.mark.parametrize("layer", MappingLayer)
    def test_an_entry_with_unknown_options_stops_the_job_at_once(self, layer):
        resolution = resolve(outputs("a", "b"), entry("b", has_header=True), mapping_layer=layer)
        assert not resolution.loads
        assert resolution.error.code == "mapping.entry"
        assert resolution.error.text.startswith('Unrecognized option "has_header" under "table".')

    @pytest.mark.parametrize("value", [{}, {"destination": "x"}])
    def test_an_entry_needs_a_source(self, value):
        assert resolve(outputs("a"), value).error.text == 'The child config "source" under "table" must be configured.'

    @pytest.mark.parametrize(("data", "text"), [(b"", "Syntax error"), (b"\xef\xbb\xbf{}", "Syntax error")])
    def test_a_manifest_that_is_no_json_is_reported_bare(self, data, text):
        error = resolve(outputs("a", a=data)).error
        assert (error.code, error.text) == ("mapping.manifest_json_2017", text)

    def test_a_scalar_is_no_manifest_and_null_is_an_empty_one(self):
        assert resolve(outputs("a", a=b"5")).error.text.startswith(
            'Failed to read table manifest from file a.manifest Invalid type for path "table".'
        )
        assert only_load(outputs("a", a=b"null")).destination == "in.c-main.a"


names = st.lists(st.sampled_from(["", " ", "a", "b", "a "]), max_size=5)


@given(key=names)
def test_a_cleaned_key_has_the_names_that_were_there_in_their_order(key):
    options = only_load(outputs("a", a={"primary_key": key})).options
    cleaned = options.get("primary_key", [])
    kept = list(cleaned.values()) if isinstance(cleaned, dict) else cleaned
    assert kept == [name.strip() for name in dict.fromkeys(key) if name]
