from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from component.errors import UserError
from component.folder.manifest import FileManifest, TableManifest, manifest_path
from component.tables.types import Column, TypeName
from tests.strategies.json_values import changed, values
from tests.strategies.manifests import manifests

in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
KEYS = (
    "id",
    "columns",
    "schema",
    "column_metadata",
    "primary_key",
    "delimiter",
    "has_header",
    "s3",
    "key",
    "value",
    "name",
)


@pytest.fixture
def read(tmp_path):
    def read(manifest, kind=TableManifest):
        path = tmp_path / "flights.csv.manifest"
        path.write_text(json.dumps(manifest), encoding="utf-8")
        return kind.read(path)

    return read


@in_one_folder
@given(pair=manifests())
def test_the_columns_of_a_manifest_come_back_with_their_types(read, pair):
    manifest, columns = pair
    found = read(manifest)
    assert found.columns == tuple(column.name for column in columns)
    assert found.typed == columns
    assert found.raw == manifest


@in_one_folder
@given(manifest=changed(manifests().map(lambda pair: pair[0]), KEYS) | values)
def test_whatever_is_in_a_manifest_it_is_read_or_refused_clearly(read, manifest):
    try:
        found = read(manifest)
    except UserError as error:
        found = error
    assert isinstance(found, TableManifest) or found.code in {"source.manifest", "column.duplicate"}


def test_an_empty_manifest_says_nothing(read):
    assert read({}) == read([]) == TableManifest()


def test_a_manifest_of_2017_is_read(read):
    found = read(
        {
            "id": "in.c-docker-demo.data",
            "uri": "https://connection.keboola.com/v2/storage/tables/in.c-docker-demo.data",
            "name": "data",
            "primary_key": [],
            "indexed_columns": [],
            "created": "2015-01-25T01:35:14+0100",
            "rows_count": 400,
            "data_size_bytes": 81920,
            "is_alias": False,
            "columns": ["id", "name"],
            "attributes": [],
            "metadata": [],
            "column_metadata": [],
        }
    )
    assert (found.id, found.name, found.columns) == ("in.c-docker-demo.data", "data", ("id", "name"))
    assert (found.typed, found.primary_key, found.is_output_style) == ((), (), False)


def test_a_manifest_of_a_processor_is_read(read):
    found = read(
        {"destination": "in.c-a.b", "columns": ["a"], "primary_key": ["a"], "delimiter": "\t", "enclosure": "'"}
    )
    assert found.is_output_style
    assert (found.destination, found.columns, found.primary_key) == ("in.c-a.b", ("a",), ("a",))
    assert (found.delimiter, found.enclosure, found.has_header) == ("\t", "'", None)


def test_types_of_the_schema_come_before_metadata_column_by_column(read):
    found = read(
        {
            "columns": ["a", "b", "c"],
            "schema": [{"name": "b", "data_type": {"base": {"type": "DATE"}}}, {"name": "a"}],
            "column_metadata": {
                "a": [{"key": "KBC.datatype.basetype", "value": "INTEGER"}],
                "b": [{"key": "KBC.datatype.basetype", "value": "STRING"}],
                "x": [{"key": "KBC.datatype.basetype", "value": "STRING"}],
            },
        }
    )
    assert found.columns == ("a", "b", "c")
    assert found.typed == (Column("a", TypeName.INTEGER), Column("b", TypeName.DATE))


def test_metadata_alone_give_types_but_no_file_order(read):
    found = read({"id": "x", "column_metadata": {"b": {"KBC.datatype.basetype": "DATE"}}})
    assert (found.columns, found.typed) == ((), (Column("b", TypeName.DATE),))


def test_metadata_of_columns_named_by_numbers_survive_php(read):
    by_position = [[{"key": "KBC.datatype.basetype", "value": "DATE"}], []]
    found = read({"columns": [0, "1"], "column_metadata": by_position})
    assert (found.columns, found.typed) == (("0", "1"), (Column("0", TypeName.DATE),))


def test_the_primary_key_may_be_in_the_schema(read):
    schema = [{"name": "a", "primary_key": True}, {"name": "b"}, {"name": "c", "primary_key": True}]
    assert read({"schema": schema}).primary_key == ("a", "c")
    assert read({"schema": schema, "primary_key": ["b"]}).primary_key == ("b",)


def test_empty_and_repeated_key_columns_are_dropped(read):
    assert read({"primary_key": ["a", "", "a", "b"]}).primary_key == ("a", "b")


def test_empty_delimiter_and_enclosure_say_nothing(read):
    found = read({"delimiter": "", "enclosure": ""})
    assert (found.delimiter, found.enclosure) == (None, None)


@pytest.mark.parametrize("key", ["delimiter", "enclosure"])
@pytest.mark.parametrize("text", ["||", "\n", "§"])
def test_a_delimiter_is_one_ascii_character(read, key, text):
    with pytest.raises(UserError, match=f"{key} must be one ASCII character") as caught:
        read({key: text})
    assert caught.value.code == "source.manifest"


def test_a_column_that_is_named_twice_is_refused(read):
    with pytest.raises(UserError, match="names the column 'a' twice") as caught:
        read({"columns": ["a", "b", "a"]})
    assert (caught.value.code, caught.value.place.table) == ("column.duplicate", "flights.csv")


def test_a_schema_entry_without_name_is_refused(read):
    with pytest.raises(UserError, match=r"schema\[1\]\.name must be the name of a column, but is null"):
        read({"schema": [{"name": "a"}, {}]})


def test_a_file_manifest_is_read(read):
    manifest = {
        "id": 75807542,
        "name": "fooBar.jpg",
        "created": "2015-11-02T09:11:37+0100",
        "is_public": False,
        "is_sliced": True,
        "tags": ["a", "b"],
        "max_age_days": None,
        "size_bytes": 563416,
    }
    expected = FileManifest(75807542, "fooBar.jpg", ("a", "b"), True, "2015-11-02T09:11:37+0100", 563416)
    assert read(manifest, FileManifest) == expected


def test_a_file_manifest_of_a_processor_has_only_tags(read):
    assert read({"tags": ["a"], "is_permanent": True}, FileManifest) == FileManifest(tags=("a",))


def test_a_manifest_is_beside_what_it_describes(tmp_path):
    assert manifest_path(tmp_path / "a.csv") == tmp_path / "a.csv.manifest"
