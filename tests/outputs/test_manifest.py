import pytest

from component.outputs.manifest import family_for, file_manifest, table_manifest
from component.tables.types import Column, TypeName

COLUMNS = (
    Column("id", TypeName.INTEGER, nullable=False),
    Column("price", TypeName.NUMERIC, "12,2"),
    *(Column(kind.value, kind) for kind in TypeName),
)


def manifest(family="legacy", **facts):
    asked = {"destination": "out.c-x.t", "primary_key": ("id",), "incremental": True, "has_header": False, **facts}
    return table_manifest(COLUMNS, family=family, **asked)


@pytest.mark.parametrize(
    ("support", "family"), [(None, "legacy"), ("none", "legacy"), ("hints", "schema"), ("authoritative", "schema")]
)
def test_the_project_s_support_of_types_decides_about_the_family(support, family):
    assert family_for(support) == family


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
    assert found["column_metadata"]["id"][-1] == {"key": "KBC.datatype.nullable", "value": "0"}


def test_a_file_with_a_header_has_no_legacy_columns_since_they_would_make_it_headless():
    found = manifest(has_header=True)
    assert "columns" not in found
    assert list(found["column_metadata"]) == [column.name for column in COLUMNS]


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
    assert manifest("schema", has_header=True)["has_header"] is True


@pytest.mark.parametrize("family", ["legacy", "schema"])
def test_every_type_has_the_platform_s_word(family):
    text = str(manifest(family))
    assert all(f"'{kind.value.upper()}'" in text for kind in TypeName)


@pytest.mark.parametrize("family", ["legacy", "schema"])
@pytest.mark.parametrize("has_header", [False, True])
def test_there_is_never_a_null_nor_a_switch_that_is_no_boolean_nor_both_families(family, has_header):
    found = manifest(family, has_header=has_header, primary_key=())

    def values(node):
        for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield value
            yield from values(value)

    assert None not in list(values(found))
    assert isinstance(found["incremental"], bool)
    assert ("schema" in found) != ("column_metadata" in found)


def test_a_file_says_all_its_switches_and_each_tag_once():
    assert file_manifest(["a", "b", "a"]) == {
        "tags": ["a", "b"],
        "is_public": False,
        "is_permanent": False,
        "is_encrypted": True,
        "notify": False,
    }
