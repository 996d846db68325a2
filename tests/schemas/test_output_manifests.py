"""Everything we write fits the schema of its family, and what the platform refuses or reads wrong fits none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from component.outputs.manifest import file_manifest, table_manifest
from tests.schemas.documents import validator
from tests.strategies.output_tables import file_options, tables

LEGACY = validator("output-table-manifest-legacy")
SCHEMA = validator("output-table-manifest-schema")
FILE = validator("output-file-manifest")
CASES = json.loads((Path(__file__).parents[1] / "data" / "output-mapping.json").read_text(encoding="utf-8"))
ODD = {
    "D18 int dest": "a number as destination stops the platform later",
    "D20 webalize": "a number is no name of a column, though it becomes one",
    "D21 pk true": "true reads as no key at all",
    "D42 enclosure empty": "an empty delimiter is refused by Storage",
}
"""Cases whose manifest the platform reads, and that nobody should write."""
COLUMN = {"name": "id", "data_type": {"base": {"type": "INTEGER"}}}


@given(table=tables())
def test_what_we_write_fits_the_schema_of_its_family_and_not_of_the_other(table):
    for family, own, other in (("legacy", LEGACY, SCHEMA), ("schema", SCHEMA, LEGACY)):
        found = table_manifest(table, family)
        own.validate(found)
        assert not other.is_valid(found)


@given(options=file_options)
def test_what_we_write_of_files_fits(options):
    FILE.validate(file_manifest(["a", "b"], options))


BAD = {
    "null in a switch": {"incremental": None},
    "null in another switch": {"write_always": None},
    "null in a text": {"delimiter": None},
    "null for a header": {"has_header": None},
    "a switch that is a number": {"incremental": 1},
    "a switch that is a text": {"write_always": "true"},
    "both families": {"columns": ["id"], "schema": [COLUMN]},
    "a key beside a schema": {"primary_key": ["id"], "schema": [COLUMN]},
    "metadata beside a schema": {"metadata": [{"key": "a", "value": "b"}], "schema": [COLUMN]},
    "source": {"source": "t.csv", "destination": "in.c-x.t"},
    "escaped_by": {"escaped_by": "\\"},
    "a key that is a text": {"primary_key": "id"},
    "metadata as an object": {"metadata": {"a": "b"}},
    "a delimiter of two characters": {"delimiter": "||"},
    "a word that is none": {"deduplication_strategy": "replace"},
    "a column to delete by without values": {"delete_where_column": "id"},
    "both ways to delete": {
        "delete_where_column": "id",
        "delete_where_values": ["1"],
        "delete_where": [{"changed_since": "-7 days"}],
    },
    "a deletion that says nothing": {"delete_where": [{}]},
    "a filter without values": {"delete_where": [{"where_filters": [{"column": "id"}]}]},
    "a filter with two sources": {
        "delete_where": [
            {
                "where_filters": [
                    {
                        "column": "id",
                        "values_from_set": ["1"],
                        "values_from_storage": {"bucket_id": "in.c-x", "table": "t"},
                    }
                ]
            }
        ]
    },
    "an unknown operator": {
        "delete_where": [{"where_filters": [{"column": "a", "operator": "gt", "values_from_set": ["1"]}]}]
    },
    "a description twice": {"description": "a", "table_metadata": {"KBC.description": "b"}},
    "a column without name": {"schema": [{"data_type": COLUMN["data_type"]}]},
    "a type without base": {"schema": [{"name": "id", "data_type": {"snowflake": {"type": "NUMBER"}}}]},
    "a backend that is none": {
        "schema": [{"name": "id", "data_type": {**COLUMN["data_type"], "redshift": {"type": "INT"}}}]
    },
    "null for nullable": {"schema": [{**COLUMN, "nullable": None}]},
    "a column described twice": {"schema": [{**COLUMN, "description": "a", "metadata": {"KBC.description": "b"}}]},
}


@pytest.mark.parametrize("name", BAD)
def test_what_the_platform_refuses_or_reads_wrong_fits_no_family(name):
    assert not LEGACY.is_valid(BAD[name])
    assert not SCHEMA.is_valid(BAD[name])


@pytest.mark.parametrize("good", [{}, {"columns": [], "column_metadata": [], "table_metadata": []}, {"tags": ["a"]}])
def test_the_empty_forms_of_the_platform_fit_the_legacy_family(good):
    LEGACY.validate(good)


@pytest.mark.parametrize(
    "bad", [{"is_public": None}, {"is_encrypted": 1}, {"tags": "a"}, {"source": "x"}, {"notify": "false"}, []]
)
def test_bad_manifests_of_files_do_not_fit(bad):
    assert not FILE.is_valid(bad)


def test_the_samples_of_file_manifests_fit():
    FILE.validate({})
    FILE.validate({"tags": ["a", "xxx"], "is_public": True})


def _manifests():
    """Every manifest of the executed cases that is a JSON object, and whether the platform could read it."""
    for name, case in CASES.items():
        if case["v2026"] is None:
            continue
        for file, content in case["layout"].items():
            if file.endswith(".manifest") and "/" not in file:
                value = content
                if isinstance(content, str):
                    try:
                        value = json.loads(content)
                    except ValueError:
                        continue
                if isinstance(value, dict):
                    error = case["v2026"]["error"] or ""
                    good = "Failed to parse manifest" not in error and name not in ODD
                    yield pytest.param(value, good, id=f"{name}: {file}")


def has_null(node):
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return node is None or any(map(has_null, inner))


@pytest.mark.parametrize(("manifest", "readable"), list(_manifests()))
def test_a_manifest_fits_a_family_if_the_platform_reads_it_right(manifest, readable):
    fits = LEGACY.is_valid(manifest) or SCHEMA.is_valid(manifest)
    assert fits == (readable and not has_null(manifest))
