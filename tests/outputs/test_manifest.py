import pytest
from hypothesis import given

from component.outputs.manifest import OutputTable, family_for, file_manifest, table_manifest, untold_types
from component.plan.options import FileOptions, TableOptions
from component.tables.types import BASE_TYPES, Column, TypeName
from tests.strategies.output_tables import file_options

COLUMNS = (
    Column("id", TypeName.INTEGER),
    Column("price", TypeName.NUMERIC, "12,2"),
    Column("code", nullable=False),
    *(Column(kind.value, kind) for kind in BASE_TYPES),
)


def manifest(family="legacy", *, header=False, primary_key=("id",), **options):
    table = OutputTable(
        COLUMNS,
        "out.c-x.t",
        primary_key=primary_key,
        incremental=True,
        header=header,
        options=TableOptions(**options),
    )
    return table_manifest(table, family)


def column(family, name, **options):
    found = manifest(family, **options)
    if family == "legacy":
        return {item["key"]: item["value"] for item in found["column_metadata"][name]}
    return next(one for one in found["schema"] if one["name"] == name)


@pytest.mark.parametrize(
    ("support", "family"), [(None, "legacy"), ("none", "legacy"), ("hints", "schema"), ("authoritative", "schema")]
)
def test_the_project_s_support_of_types_decides_about_the_family(support, family):
    assert family_for(support) == family
    assert family_for(support, "auto") == family


@pytest.mark.parametrize("configured", ["legacy", "schema"])
@pytest.mark.parametrize("support", [None, "authoritative"])
def test_a_configured_family_wins(support, configured):
    assert family_for(support, configured) == configured


def test_the_legacy_family_names_columns_and_tells_types_as_metadata():
    found = manifest()
    assert list(found) == ["destination", "incremental", "primary_key", "columns", "column_metadata"]
    assert (found["destination"], found["incremental"], found["primary_key"]) == ("out.c-x.t", True, ["id"])
    assert found["columns"] == [column.name for column in COLUMNS]
    assert found["column_metadata"]["price"] == [
        {"key": "KBC.datatype.basetype", "value": "NUMERIC"},
        {"key": "KBC.datatype.length", "value": "12,2"},
        {"key": "KBC.datatype.nullable", "value": "1"},
    ]


@pytest.mark.parametrize(("name", "nullable"), [("id", False), ("code", False), ("price", True)])
def test_a_key_column_and_one_without_nulls_are_not_nullable(name, nullable):
    assert column("legacy", name)["KBC.datatype.nullable"] == ("1" if nullable else "0")
    assert column("schema", name)["nullable"] is nullable


def test_a_file_with_a_header_has_no_legacy_columns_since_they_would_make_it_headless():
    found = manifest(header=True)
    assert "columns" not in found
    assert "has_header" not in found
    assert list(found["column_metadata"]) == [column.name for column in COLUMNS]


def test_a_header_that_is_asked_for_by_name_is_said_beside_the_columns():
    found = manifest(header=True, has_header=True)
    assert found["has_header"] is True
    assert found["columns"] == [column.name for column in COLUMNS]


def test_the_schema_family_says_everything_in_the_schema():
    found = manifest("schema")
    assert list(found) == ["destination", "incremental", "schema"]
    assert found["schema"][0] == {
        "name": "id",
        "data_type": {"base": {"type": "INTEGER"}},
        "nullable": False,
        "primary_key": True,
    }
    assert found["schema"][1]["data_type"] == {"base": {"type": "NUMERIC", "length": "12,2"}}
    assert manifest("schema", header=True)["has_header"] is True
    assert manifest("schema", has_header=False)["has_header"] is False


def test_metadata_of_a_table_are_a_list_or_a_map():
    asked = {"metadata": {"owner": "me", "team": ""}, "description": "All of it"}
    legacy, schema = manifest(**asked), manifest("schema", **asked)
    assert legacy["metadata"] == [{"key": "owner", "value": "me"}, {"key": "team", "value": ""}]
    assert schema["table_metadata"] == {"owner": "me", "team": ""}
    assert "metadata" not in schema
    assert legacy["description"] == schema["description"] == "All of it"


def test_metadata_of_a_column_go_over_what_follows_from_its_type():
    asked = {"column_metadata": {"id": {"KBC.datatype.nullable": "1", "unit": "m"}}}
    assert column("legacy", "id", **asked) == {
        "KBC.datatype.basetype": "INTEGER",
        "KBC.datatype.nullable": "1",
        "unit": "m",
    }
    assert column("schema", "id", column_metadata={"id": {"unit": "m"}})["metadata"] == {"unit": "m"}


def test_the_description_of_a_column_is_said_once():
    asked = {"column_metadata": {"id": {"KBC.description": "Its number"}}}
    found = column("schema", "id", **asked)
    assert found["description"] == "Its number"
    assert "metadata" not in found
    assert column("legacy", "id", **asked)["KBC.description"] == "Its number"


def test_a_distribution_key_is_a_list_or_a_mark_of_its_columns():
    assert manifest(distribution_key=("price",))["distribution_key"] == ["price"]
    found = manifest("schema", distribution_key=("price",))
    assert "distribution_key" not in found
    assert [one["name"] for one in found["schema"] if one.get("distribution_key")] == ["price"]


def test_a_configured_type_of_a_backend_is_added_and_a_configured_base_type_replaces_all():
    snowflake = {"snowflake": {"type": "TIMESTAMP_TZ"}}
    found = column("schema", "timestamp", data_types={"timestamp": snowflake})["data_type"]
    assert found == {"base": {"type": "TIMESTAMP"}, "bigquery": {"type": "DATETIME"}, **snowflake}
    base = {"base": {"type": "STRING", "length": "30", "default": "never"}}
    assert column("schema", "timestamp", data_types={"timestamp": base})["data_type"] == base
    legacy = column("legacy", "timestamp", data_types={"timestamp": base})
    assert (legacy["KBC.datatype.basetype"], legacy["KBC.datatype.length"]) == ("STRING", "30")
    assert legacy["KBC.datatype.default"] == "never"


def test_a_legacy_manifest_has_room_for_the_type_of_one_backend():
    both = {"snowflake": {"type": "NUMBER", "length": "20,4"}, "bigquery": {"type": "BIGNUMERIC"}}
    one = {"price": {"snowflake": both["snowflake"]}}
    said = column("legacy", "price", data_types=one)
    assert said["KBC.datatype.type"] == "NUMBER"
    assert said["KBC.datatype.length"] == "20,4"
    assert said["KBC.datatype.basetype"] == "NUMERIC"
    assert "KBC.datatype.type" not in column("legacy", "price", data_types={"price": both})
    for types, family, told in ((one, "legacy", 0), ({"price": both}, "legacy", 1), ({"price": both}, "schema", 0)):
        table = OutputTable(COLUMNS, "t", options=TableOptions(data_types=types))
        assert sum("'price'" in text for text in untold_types(table, family)) == told


@pytest.mark.parametrize("family", ["legacy", "schema"])
def test_every_type_has_the_platform_s_word(family):
    text = str(manifest(family))
    assert all(f"'{kind.value.upper()}'" in text for kind in BASE_TYPES)


def test_a_table_says_each_tag_once():
    table = OutputTable(COLUMNS, "t", tags=("a", "b", "a"))
    assert table_manifest(table, "legacy")["tags"] == ["a", "b"]


def test_a_file_says_all_its_switches_and_each_tag_once():
    assert file_manifest(["a", "b", "a"]) == {
        "tags": ["a", "b"],
        "is_public": False,
        "is_permanent": False,
        "is_encrypted": True,
        "notify": False,
    }


@given(options=file_options)
def test_a_file_has_the_switches_that_are_configured(options):
    found = file_manifest([], options)
    assert FileOptions(**{key: value for key, value in found.items() if key != "tags"}) == options
