from __future__ import annotations

import json

import pytest

from component.findings import Level
from component.folder.out_listing import OutListing, OutManifest, OutSource, Unseen, UnseenKind
from component.mapping.jobs.resolve import resolve
from component.mapping.platform.model import MappingLayer, Settings

BUCKET = "in.c-main"
NATIVE = {"features": frozenset({"new-native-types"})}


def source(name, head=b"", **given):
    return OutSource(name, size=given.pop("size", 5), head=head, **given)


def findings(sources, *mapping, manifests=None, unseen=(), rules="2026", **settings):
    listing = OutListing(
        "/data",
        tuple(source(one) if isinstance(one, str) else one for one in sources),
        tuple(
            OutManifest(f"{name}.manifest", content if isinstance(content, bytes) else json.dumps(content).encode())
            for name, content in (manifests or {}).items()
        ),
        unseen,
    )
    return resolve(listing, mapping, Settings(**({"bucket": BUCKET} | settings)), rules).findings


def codes(*args, **given):
    """The codes of all findings but the note on what is in no mapping, which nearly every listing has."""
    return [one.code for one in findings(*args, **given) if one.code != "finding.unmapped"]


def entry(name, destination="in.c-main.t", **options):
    return {"source": name, "destination": destination} | options


class TestTogether:
    def test_sources_with_one_destination_are_found(self):
        found = findings(["a", "b", "c"], entry("a"), entry("b", "in.c-x.u"), entry("c"))
        assert [(one.code, one.place) for one in found] == [("finding.shared_destination", "a")]
        assert '"a", "c"' in found[0].text
        assert found[0].level is Level.WARNING

    def test_an_output_on_its_own_input_is_found(self):
        found = findings(["a", "b"], entry("a"), entry("b", "in.c-x.u"), input_tables=frozenset({"in.c-x.u"}))
        assert [(one.code, one.place) for one in found] == [("finding.own_input", "b")]

    def test_separate_tables_give_no_finding(self):
        assert not findings(["a", "b"], entry("a"), entry("b", "in.c-main.T"), input_tables=frozenset({"in.c-x.v"}))

    def test_the_same_finding_is_said_once(self):
        same = [entry("a", "in.c-main.t", incremental=None), entry("a", "in.c-main.u", incremental=None)]
        assert codes(["a"], *same) == ["finding.null_boolean"]

    @pytest.mark.parametrize("rules", ["seed", "2017", "2026"])
    def test_every_rule_set_has_them(self, rules):
        assert "finding.id_stage" in codes(["a"], entry("a", "foo.c-bar.baz"), rules=rules, bucket=None)


class TestUnmapped:
    def test_a_file_that_nobody_names_is_found(self):
        (found,) = findings(["a"])
        assert (found.code, found.place, found.level) == ("finding.unmapped", "a", Level.NOTE)

    def test_a_manifest_is_enough_where_nothing_is_mapped(self):
        assert not findings(["a"], manifests={"a": {}})

    def test_a_manifest_is_not_enough_where_others_are_mapped(self):
        assert [one.place for one in findings(["a", "b"], entry("b"), manifests={"a": {}})] == ["a"]


class TestIds:
    @pytest.mark.parametrize(
        ("destination", "code"),
        [
            ("foo.c-bar.baz", "finding.id_stage"),
            ("sys.c-bar.baz", "finding.id_stage"),
            ("IN.c-bar.baz", "finding.id_stage"),
            ("in..t", "finding.id_empty"),
            ("..", "finding.id_empty"),
            ("in.c-x.t ", "finding.id_characters"),
            ("in.c-žluť.t", "finding.id_characters"),
            ("in.c-x.t\n", "finding.id_characters"),
            ("in.c-x." + "t" * 97, "finding.id_length"),
            ("in.c-" + "x" * 95 + ".t", "finding.id_length"),
            ("in.main.t", "finding.id_bucket"),
        ],
    )
    def test_what_storage_refuses_is_found(self, destination, code):
        assert codes(["a"], entry("a", destination)) == [code]

    @pytest.mark.parametrize("destination", ["in.c-x.t", "out.c-X_y-1." + "t" * 96, "in.c-" + "x" * 94 + ".0"])
    def test_what_storage_takes_is_not(self, destination):
        assert codes(["a"], entry("a", destination)) == []

    def test_a_gz_name_taken_for_an_id_is_found(self):
        assert codes(["a.csv.gz"]) == ["finding.gz_name"]
        assert codes(["a.csv.gz"], manifests={"a.csv.gz": {"destination": "a"}}) == []


class TestColumns:
    @pytest.mark.parametrize(
        ("columns", "code"),
        [
            (["a b", "a-b"], "finding.column_repeated"),
            (["a", "A"], "finding.column_repeated"),
            (["a", "b" * 65], "finding.column_length"),
        ],
    )
    def test_columns_that_storage_refuses_are_found(self, columns, code):
        assert codes(["a"], manifests={"a": {"columns": columns}}) == [code]
        assert codes(["a"], manifests={"a": {"schema": [{"name": name} for name in columns]}}, **NATIVE) == [code]

    def test_a_column_without_a_name_is_found(self):
        assert codes(["a"], manifests={"a": {"columns": ["a", "---"]}}) == ["finding.column_empty"]

    def test_a_key_of_no_column_is_found(self):
        assert codes(["a"], manifests={"a": {"columns": ["x"], "primary_key": ["y"]}}) == ["finding.key_unknown"]
        assert codes(["a"], manifests={"a": {"columns": ["x"], "primary_key": ["x"]}}) == []
        assert codes(["a"], manifests={"a": {"primary_key": ["y"]}}) == []


class TestOptions:
    @pytest.mark.parametrize(
        ("sliced", "effect"), [(True, "loaded without columns"), (False, "its types do not count")]
    )
    def test_a_schema_that_the_project_does_not_read_is_found(self, sliced, effect):
        given = {"manifests": {"a": {"schema": [{"name": "x"}]}}}
        found = [one for one in findings([source("a", sliced=sliced)], **given) if one.code == "finding.schema_unread"]
        assert [(one.level, effect in one.text) for one in found] == [(Level.WARNING, True)]
        assert "finding.schema_unread" not in codes([source("a", sliced=sliced)], **given, **NATIVE)
        assert "finding.schema_unread" not in codes(["a"], manifests={"a": {"columns": ["x"]}})

    def test_an_escape_character_that_2017_ignored_is_found(self):
        assert "finding.option_ignored" in codes(["a"], manifests={"a": {"escaped_by": "!"}}, rules="2017")
        assert "finding.option_ignored" in codes(["a"], entry("a", escaped_by="!"), rules="2017")
        assert "finding.option_ignored" not in codes(["a"], entry("a", escaped_by=""), rules="2017")

    def test_a_mapping_that_clears_the_key_of_a_manifest_is_found(self):
        given = {"manifests": {"a": {"primary_key": ["Id"]}}}
        assert codes(["a"], entry("a"), **given) == ["finding.key_cleared"]
        assert codes(["a"], entry("a"), mapping_layer=MappingLayer.RAW, **given) == []
        assert codes(["a"], entry("a", primary_key=["Id"]), **given) == []
        assert codes(["a"], **given) == []

    @pytest.mark.parametrize("name", ["incremental", "write_always", "has_header"])
    def test_a_null_boolean_is_found(self, name):
        assert codes(["a"], manifests={"a": {name: None}}) == ["finding.null_boolean"]
        assert codes(["a"], entry("a", **{name: None})) == ["finding.null_boolean"]
        assert codes(["a"], manifests={"a": {name: False, "description": None}}) == []

    def test_a_null_boolean_in_a_schema_is_found(self):
        (found,) = findings(["a"], manifests={"a": {"schema": [{"name": "x", "nullable": None}]}}, **NATIVE)
        assert found.code == "finding.null_boolean"
        assert '"schema[].nullable"' in found.text

    def test_a_default_that_does_not_override_is_found(self):
        given = {"manifests": {"a": {"incremental": True, "delimiter": ";"}}}
        (found,) = findings(["a"], entry("a", incremental=False, delimiter=","), **given)
        assert found.code == "finding.default_ignored"
        assert '"incremental", "delimiter"' in found.text
        assert codes(["a"], entry("a"), **given) == []

    @pytest.mark.parametrize("rules", ["2017", "seed"])
    def test_a_manifest_that_counts_for_nothing_is_found(self, rules):
        given = {"manifests": {"a": {"delimiter": ";"}}, "rules": rules}
        assert codes(["a"], entry("a", incremental=True), **given) == ["finding.manifest_ignored"]
        assert codes(["a"], **given) == []

    def test_several_mappings_are_found_where_the_last_one_wins(self):
        two = [entry("a"), entry("a", "in.c-main.u")]
        assert codes(["a"], *two, rules="2017") == ["finding.several_mappings"]
        assert codes(["a"], *two) == []


class TestNames:
    @pytest.mark.parametrize(
        ("mapped", "difference"),
        [
            ("Table.CSV", "case"),
            ("table", "the suffix"),
            ("table.csv.gz", "the suffix"),
            (" table.csv", "blanks"),
            ("table.csv\t", "blanks"),
            (" Table.csv", "blanks and case"),
            ("Table ", "blanks and case and the suffix"),
        ],
    )
    def test_a_near_miss_says_the_difference(self, mapped, difference):
        found = [one for one in findings(["table.csv"], entry(mapped)) if one.code == "finding.near_miss"]
        assert [one.place for one in found] == [mapped]
        assert f"they differ in {difference}." in found[0].text

    def test_another_unicode_form_is_a_near_miss(self):
        found = [one for one in findings(["a\u0301.csv"], entry("\u00e1.csv")) if one.code == "finding.near_miss"]
        assert "they differ in the Unicode form." in found[0].text

    def test_another_name_is_none(self):
        assert codes(["table.csv"], entry("tables.csv")) == []

    def test_a_mapping_of_an_invisible_file_is_found(self):
        unseen = (Unseen(".x.csv", UnseenKind.DOT),)
        assert codes([], entry(".x.csv"), unseen=unseen) == ["finding.invisible_source", "finding.dot_file"]

    def test_a_manifest_that_nearly_fits_is_found(self):
        (found,) = [one for one in findings(["t.csv"], manifests={"t": {}}) if one.code != "finding.unmapped"]
        assert (found.code, found.place) == ("finding.manifest_near_miss", "t")
        assert '"t.manifest"' in found.text

    def test_a_manifest_in_upper_case_is_found(self):
        assert "finding.manifest_case" in codes(["t.csv", "t.csv.MANIFEST"])

    @pytest.mark.parametrize(
        ("kind", "code", "level"),
        [
            (UnseenKind.DOT, "finding.dot_file", Level.NOTE),
            (UnseenKind.VERSION_CONTROL, "finding.version_control", Level.WARNING),
            (UnseenKind.MANIFEST_FOLDER, "finding.manifest_folder", Level.WARNING),
            (UnseenKind.FOLDER, "finding.nested_folder", Level.WARNING),
        ],
    )
    def test_what_the_platform_does_not_see_is_found(self, kind, code, level):
        (found,) = findings([], unseen=(Unseen("x", kind),))
        assert (found.code, found.place, found.level) == (code, "x", level)
