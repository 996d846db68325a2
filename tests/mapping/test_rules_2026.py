from __future__ import annotations

import json

import pytest

from component.folder.out_listing import OutListing, OutManifest, OutSource
from component.mapping.platform.model import DataTypes, Feature, FirstLine, MappingLayer, Origin, Rule, Settings
from component.mapping.rules.y2026 import resolve_2026

BUCKET = "in.c-main"
RAW = MappingLayer.RAW


def outputs(*sources, **manifests):
    """Files by name (a name that ends in `/` is a directory), and the manifests of some."""
    listed = tuple(OutSource(name.rstrip("/"), sliced=name.endswith("/"), size=1) for name in sources)
    found = tuple(OutManifest(f"{name}.manifest", json.dumps(content).encode()) for name, content in manifests.items())
    return OutListing("/data", listed, found)


def resolve(listing, *mapping, **settings):
    return resolve_2026(listing, mapping, Settings(**({"bucket": BUCKET} | settings)))


def entry(source, destination="in.c-main.x", **options):
    return {"source": source, "destination": destination} | options


def only_load(listing, *mapping, **settings):
    resolution = resolve(listing, *mapping, **settings)
    assert resolution.error is None
    (load,) = resolution.loads
    return load


class TestSources:
    def test_every_orphaned_manifest_is_named(self):
        resolution = resolve(outputs("a", b={}, c={}))
        assert resolution.error.code == "mapping.orphaned_manifest"
        assert resolution.error.text == 'Found orphaned table manifest: "b.manifest", "c.manifest"'
        assert not resolution.loads

    def test_orphans_fail_even_a_failed_job(self):
        assert resolve(outputs(b={}), failed_job=True).error.code == "mapping.orphaned_manifest"

    def test_every_missing_source_is_named_with_its_repetitions(self):
        resolution = resolve(outputs("a"), entry("b"), entry("A"), entry("b"))
        assert resolution.error.code == "mapping.source_missing"
        assert resolution.error.text == 'Table sources not found: "b", "A", "b"'

    def test_missing_sources_do_not_fail_a_failed_job(self):
        resolution = resolve(outputs("a"), entry("b"), entry("a", write_always=True), failed_job=True)
        assert resolution.error is None
        assert [load.source for load in resolution.loads] == ["a"]

    def test_each_mapping_of_a_source_is_a_load(self):
        resolution = resolve(outputs("a", "b"), entry("b", "in.c-x.1"), entry("a", "in.c-x.2"), entry("b", "in.c-x.3"))
        assert [(load.source, load.destination) for load in resolution.loads] == [
            ("a", "in.c-x.2"),
            ("b", "in.c-x.1"),
            ("b", "in.c-x.3"),
        ]

    def test_loads_before_an_error_are_kept(self):
        resolution = resolve(outputs("a", "b.b", "c"))
        assert [load.source for load in resolution.loads] == ["a"]
        assert resolution.error.code == "mapping.invalid_destination"
        assert resolution.error.source == "b.b"

    def test_a_table_that_needs_no_file_is_no_source(self):
        assert not resolve(outputs(), {"destination": "in.c-x.t", "unload_strategy": "direct-grant"}).error

    def test_an_empty_default_bucket_is_none(self):
        assert resolve(outputs("a"), bucket="").error.code == "mapping.no_destination"


class TestMappingLayers:
    def test_a_real_job_clears_the_key_of_a_manifest(self):
        listing = outputs("a", a={"primary_key": ["Id"], "columns": ["Id"]})
        load = only_load(listing, entry("a"))
        assert load.options == {"columns": ["Id"]}
        assert load.provenance == {"primary_key": Origin.MAPPING, "columns": Origin.MANIFEST}
        assert only_load(listing, entry("a"), mapping_layer=RAW).options["primary_key"] == ["Id"]

    def test_an_invalid_entry_stops_a_real_job_at_once(self):
        resolution = resolve(outputs("a"), entry("a", incremental="yes"))
        assert (resolution.error.code, resolution.error.reason) == ("mapping.entry", "mapping.node.type")
        assert resolution.error.text.startswith('Invalid type for path "table.incremental". Expected "bool"')

    def test_an_invalid_raw_entry_stops_its_table(self):
        resolution = resolve(outputs("a", "b"), entry("b", incremental="yes"), mapping_layer=RAW)
        assert [load.source for load in resolution.loads] == ["a"]
        assert (resolution.error.code, resolution.error.reason) == ("mapping.merged", "mapping.node.type")
        assert resolution.error.text.startswith(
            'Failed to prepare mapping configuration for table b: Invalid type for path "table.incremental".'
        )

    @pytest.mark.parametrize("value", ["text", None, 5, {}, {"source": 5}, {"source": None}])
    def test_a_raw_entry_without_a_source_is_an_application_error(self, value):
        assert resolve_2026(outputs("a"), [value], Settings(mapping_layer=RAW)).error.code == "mapping.application"

    def test_a_number_as_source_is_an_application_error(self):
        assert resolve(outputs("5"), entry(5)).error.code == "mapping.application"

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"source": 5}, "Cannot assign int to property {entry}::$source of type string"),
            ({"columns": "a"}, "Cannot assign string to property {entry}::$columns of type array"),
            ({"delimiter": 5}, "Cannot assign int to property {entry}::$delimiter of type string"),
            ({"enclosure": [], "delimiter": 1.5}, "Cannot assign float to property {entry}::$delimiter of type string"),
        ],
    )
    @pytest.mark.parametrize("failed_job", [False, True])
    def test_an_entry_that_cannot_be_held_stops_even_a_failed_job_before_any_table(self, options, text, failed_job):
        mapping = [{"source": "b", **options}]
        settings = Settings(bucket="in.c-main", mapping_layer=RAW, failed_job=failed_job)
        resolution = resolve_2026(outputs("a", "b"), mapping, settings)
        assert resolution.error.text == text.format(
            entry="Keboola\\OutputMapping\\Mapping\\MappingFromRawConfiguration"
        )
        assert (resolution.loads, resolution.log) == ((), ())

    @pytest.mark.parametrize("options", [{"columns": None}, {"delimiter": None, "enclosure": None}, {"tags": 5}])
    def test_what_it_can_hold_is_judged_with_the_table(self, options):
        resolution = resolve_2026(outputs("a"), [{"source": "a", **options}], Settings(mapping_layer=RAW))
        assert resolution.error.code == "mapping.no_destination"

    def test_an_entry_that_nests_too_deep_is_refused(self):
        deep = []
        for _ in range(600):
            deep = [deep]
        assert resolve(outputs("a"), entry("a", table_metadata=deep)).error.reason == "mapping.json"

    def test_a_schema_and_old_options_are_refused_after_the_merge(self):
        resolution = resolve(outputs("a", a={"schema": [{"name": "x"}]}), entry("a", columns=["x"]))
        assert resolution.error.code == "mapping.merged"
        assert resolution.error.text == (
            'Failed to prepare mapping configuration for table a: Invalid configuration for path "table": '
            'Only one of "schema" or "columns" can be defined.'
        )


class TestOptions:
    def test_only_what_differs_from_the_defaults_is_shown(self):
        load = only_load(
            outputs("a"),
            entry("a", incremental=False, delimiter=",", tags=[], has_header=False, description=None),
            mapping_layer=RAW,
        )
        assert load.options == {"has_header": False, "description": None}

    def test_empty_maps_are_the_platforms_empty_lists(self):
        assert only_load(outputs("a", a={"table_metadata": {}, "metadata": [{}]})).options == {
            "table_metadata": [],
            "metadata": [[]],
        }

    def test_an_option_written_with_a_dash_is_the_same_option(self):
        load = only_load(outputs("a", a={"primary-key": ["Id"]}))
        assert load.options == {"primary_key": ["Id"]}
        load = only_load(outputs("a"), entry("a", **{"primary-key": ["Id"]}), mapping_layer=RAW)
        assert load.options == {"primary_key": ["Id"]}
        assert load.provenance == {"primary_key": Origin.MAPPING}

    def test_warnings_come_in_the_order_of_mapping_and_manifest(self):
        listing = outputs("a", a={"columns": ["m f"]})
        assert resolve(listing, entry("a", primary_key=["m p", ""])).log == (
            'warning: Column name "m p" was webalized to "m_p"',
            'warning: Column name "m f" was webalized to "m_f"',
            "warning: Found empty column name in key array.",
        )

    def test_the_rule_and_what_it_overrode_are_said(self):
        load = only_load(outputs("a", a={"destination": "y"}), entry("a"))
        assert load.rule is Rule.MAPPING
        assert [(one.origin, one.value) for one in load.overrode] == [("manifest", "y"), ("default_bucket", BUCKET)]


class TestHeader:
    @pytest.mark.parametrize(
        ("source", "manifest", "features", "header"),
        [
            ("a", {}, (), FirstLine.HEADER),
            ("a", {"columns": ["x"]}, (), FirstLine.HEADLESS),
            ("a", {"columns": ["x"], "has_header": True}, (), FirstLine.HEADER),
            ("a", {"schema": [{"name": "x"}]}, (), FirstLine.HEADER),
            ("a", {"schema": [{"name": "x"}]}, (Feature.NATIVE_TYPES,), FirstLine.HEADLESS),
            ("a/", {"columns": ["x"]}, (), FirstLine.HEADLESS),
            ("a/", {"schema": [{"name": "x"}]}, (), FirstLine.HEADLESS),
        ],
    )
    def test_columns_make_a_file_headless(self, source, manifest, features, header):
        assert only_load(outputs(source, a=manifest), features=frozenset(features)).header is header


class TestProject:
    def test_a_branch_prefixes_the_bucket(self):
        assert only_load(outputs("a"), branch="7").destination == "in.c-7-main.a"

    def test_a_branch_refuses_a_destination_of_four_parts(self):
        assert resolve(outputs("a.b"), branch="7").error.text == 'Invalid destination: "in.c-main.a.b"'

    def test_hints_move_types_to_metadata(self):
        manifest = {"schema": [{"name": "x", "data_type": {"base": {"type": "DATE"}}}]}
        load = only_load(outputs("a", a=manifest), data_types=DataTypes.HINTS)
        assert load.options["schema"][0]["metadata"]["KBC.datatype.basetype"] == "DATE"
        assert only_load(outputs("a", a=manifest)).options["schema"][0]["data_type"] == {"base": {"type": "DATE"}}

    def test_staging_files_get_system_tags_after_their_own(self):
        load = only_load(
            outputs("a", a={"tags": ["own"]}),
            features=frozenset({Feature.STAGING_TAGS}),
            component_id="keboola.tablemill",
            config_id="12",
            config_row_id="3",
            branch="7",
        )
        assert load.options["tags"] == [
            "own",
            "componentId: keboola.tablemill",
            "configurationId: 12",
            "configurationRowId: 3",
            "branchId: 7",
        ]
        assert load.provenance["tags"] is Origin.MERGED

    def test_system_tags_alone_come_from_the_platform(self):
        tagged = {"features": frozenset({Feature.STAGING_TAGS}), "component_id": "x"}
        assert only_load(outputs("a"), **tagged).provenance["tags"] is Origin.PLATFORM
        assert "tags" not in only_load(outputs("a"), component_id="x").options
        assert "tags" not in only_load(outputs("a"), features=frozenset({Feature.STAGING_TAGS})).options

    def test_the_slicing_feature_refuses_two_mappings_of_a_source(self):
        resolution = resolve(outputs("a"), entry("a"), entry("a"), features=frozenset({Feature.SLICING}))
        assert resolution.error.code == "mapping.several_destinations"


class TestFailedJob:
    def test_only_tables_marked_write_always_are_loaded(self):
        listing = outputs("a", "b", "c", b={"write_always": True})
        resolution = resolve(listing, entry("c", write_always=True), failed_job=True)
        assert [load.source for load in resolution.loads] == ["b", "c"]
        assert resolution.error is None

    def test_errors_of_a_table_are_swallowed_and_kept(self):
        resolution = resolve(outputs("a", "b"), entry("b", write_always=True), failed_job=True, bucket=None)
        assert [load.source for load in resolution.loads] == ["b"]
        assert [error.source for error in resolution.swallowed] == ["a"]

    def test_a_manifest_that_does_not_parse_is_not_swallowed(self):
        assert resolve(outputs("a", a={"x": 1}), failed_job=True).error.code == "mapping.manifest"

    def test_a_table_that_failed_a_check_is_loaded_all_the_same(self):
        resolution = resolve(outputs("a/", a={"write_always": True}), failed_job=True)
        assert [load.source for load in resolution.loads] == ["a"]
        assert [error.code for error in resolution.swallowed] == ["mapping.slices_without_columns"]

    def test_unless_its_destination_is_no_id(self):
        resolution = resolve(outputs("a.b", **{"a.b": {"write_always": True}}), failed_job=True)
        assert [error.code for error in resolution.swallowed] == ["mapping.invalid_destination"]
        assert resolution.error.code == "mapping.table_id"
        assert resolution.error.text == "Value is not a valid table ID"
