"""What we write in a manifest is what the platform reads from it, for any table and any options."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from component.folder.out_listing import OutListing, OutManifest, OutSource
from component.mapping.jobs.resolve import resolve
from component.mapping.platform.model import DataTypes, Feature, FirstLine, Settings
from component.outputs.manifest import manifest_text, table_manifest
from component.tables.types import TypeName
from tests.strategies.output_tables import tables

NATIVE = frozenset({Feature.NATIVE_TYPES.value})
SETTINGS = {
    "legacy": Settings(bucket="out.c-main"),
    "schema": Settings(bucket="out.c-main", data_types=DataTypes.AUTHORITATIVE, features=NATIVE),
    "hints": Settings(bucket="out.c-main", data_types=DataTypes.HINTS, features=NATIVE),
}


def load(table, family, settings, *, sliced=False):
    """The load that the platform makes of a manifest of ours."""
    data = manifest_text(table_manifest(table, family)).encode()
    listing = OutListing("/data", (OutSource("t", sliced and not table.header, 1),), (OutManifest("t.manifest", data),))
    resolution = resolve(listing, [], SETTINGS[settings], "2026")
    assert resolution.error is None
    assert [line for line in resolution.log if "webalized" in line] == []
    return resolution.loads[0]


def pairs(items: Any) -> dict[str, Any]:
    return {item["key"]: item["value"] for item in items}


def maps(value: Any) -> dict[str, Any]:
    """PHP's empty map is an empty list."""
    return value or {}


def columns_of(table):
    return [column.name for column in table.columns]


def hold_common(table, found):
    asked, read = table.options, found.options
    assert found.destination == f"out.c-{'x' if table.destination.startswith('out') else 'main'}.t"
    assert found.header is (FirstLine.HEADER if table.header else FirstLine.HEADLESS)
    assert read.get("incremental", False) is table.incremental
    assert read.get("delimiter", ",") == (asked.delimiter or ",")
    assert read.get("enclosure", '"') == (asked.enclosure or '"')
    assert read.get("write_always", False) is asked.write_always
    assert read.get("tags", []) == list(dict.fromkeys(table.tags))
    assert read.get("delete_where_operator", "eq") == (asked.delete_where_operator or "eq")
    assert read.get("delete_where_values", []) == list(asked.delete_where_values)
    assert read.get("delete_where", []) == list(asked.delete_where)
    for key in ("deduplication_strategy", "delete_where_column", "description", "manifest_type"):
        assert read.get(key) == getattr(asked, key)


@given(table=tables(), sliced=st.booleans())
def test_a_legacy_manifest_reads_back_as_it_was_meant(table, sliced):
    found = load(table, "legacy", "legacy", sliced=sliced)
    hold_common(table, found)
    read, asked = found.options, table.options
    assert read.get("columns", []) == ([] if table.header and not asked.has_header else columns_of(table))
    assert read.get("primary_key", []) == list(table.primary_key)
    assert read.get("distribution_key", []) == list(asked.distribution_key)
    assert pairs(read.get("metadata", [])) == asked.metadata
    for column in table.columns:
        metadata = pairs(read["column_metadata"][column.name])
        assert asked.column_metadata.get(column.name, {}).items() <= metadata.items()
        key = column.name in table.primary_key
        assert metadata["KBC.datatype.nullable"] == ("1" if column.nullable and not key else "0")
        base = asked.data_types.get(column.name, {}).get("base")
        assert metadata["KBC.datatype.basetype"] == (base["type"] if base else column.type.upper())


@given(table=tables(), sliced=st.booleans())
def test_a_schema_manifest_reads_back_as_it_was_meant(table, sliced):
    found = load(table, "schema", "schema", sliced=sliced)
    hold_common(table, found)
    read, asked = found.options, table.options
    assert "columns" not in read
    assert "primary_key" not in read
    assert "distribution_key" not in read
    assert maps(read.get("table_metadata")) == asked.metadata
    schema = read["schema"]
    assert [column["name"] for column in schema] == columns_of(table)
    assert [c["name"] for c in schema if c["primary_key"]] == [n for n in columns_of(table) if n in table.primary_key]
    flagged = {column["name"] for column in schema if column["distribution_key"]}
    assert flagged == set(asked.distribution_key)
    for column, said in zip(table.columns, schema, strict=True):
        assert maps(said.get("metadata")) == asked.column_metadata.get(column.name, {})
        assert said["nullable"] is (column.nullable and column.name not in table.primary_key)
        configured = asked.data_types.get(column.name, {})
        assert configured.items() <= said["data_type"].items()
        if "base" not in configured:
            assert said["data_type"]["base"]["type"] == column.type.upper()
            assert ("length" in said["data_type"]["base"]) >= (column.type is TypeName.NUMERIC)


@given(table=tables())
def test_hints_are_read_from_a_schema_manifest_too(table):
    hold_common(table, load(table, "schema", "hints"))


@given(table=tables(), family=st.sampled_from(("legacy", "schema")))
def test_there_is_never_a_null_nor_a_switch_that_is_no_boolean_and_bytes_depend_on_nothing_else(table, family):
    found = table_manifest(table, family)

    def values(node):
        for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield value
            yield from values(value)

    assert not any(value is None for value in values(found))
    for key in ("incremental", "write_always", "has_header"):
        assert isinstance(found.get(key, False), bool)
    assert manifest_text(found) == manifest_text(table_manifest(table, family))
    assert not ({"columns", "column_metadata", "metadata", "primary_key", "distribution_key"} & set(found)) or (
        "schema" not in found
    )
