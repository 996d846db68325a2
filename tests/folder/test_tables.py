from __future__ import annotations

import pytest

from component.errors import UserError
from component.folder.layout import DataFolder
from component.folder.manifest import TableManifest
from component.folder.tables import HeaderMode, header_mode, input_tables, is_gzip, orphaned_manifests


def by_name(folder):
    return {table.name: table for table in input_tables(folder)}


def test_plain_and_sliced_tables_are_found_by_name(writer, folder, gzipped):
    writer.table("weather.csv", b"a\n1\n", {"id": "in.c-x.weather", "columns": ["a"]})
    writer.sliced("flights", {"part2": b"2\n", "part1.gz": gzipped("1\n")}, {"columns": ["a"]})
    flights, weather = input_tables(folder)
    assert (flights.name, flights.sliced, weather.name, weather.sliced) == ("flights", True, "weather.csv", False)
    assert [part.name for part in flights.slices] == ["part1.gz", "part2"]
    assert [is_gzip(part.path) for part in flights.slices] == [True, False]
    assert weather.manifest == TableManifest(id="in.c-x.weather", columns=("a",))
    assert (weather.size, weather.slices[0].path) == (4, folder.in_tables / "weather.csv")
    assert flights.warnings == weather.warnings == ()


def test_a_name_is_kept_as_it_is(writer, folder):
    writer.table("in.c-main.flights", b"", {"id": "x"})
    assert list(by_name(folder)) == ["in.c-main.flights"]


def test_a_missing_manifest_is_a_warning(writer, folder):
    writer.table("a.csv")
    (table,) = input_tables(folder)
    assert table.manifest is None
    assert table.warnings == ("The table 'a.csv' has no manifest: its types and keys are not known.",)


def test_leftovers_inside_a_sliced_table_are_warnings(writer, folder):
    writer.sliced("a", {"part1": b"", "part1.manifest": b"{}"}, {"columns": ["x"]})
    (table,) = input_tables(folder)
    assert [part.name for part in table.slices] == ["part1"]
    assert table.warnings == ("The manifest 'part1.manifest' inside the sliced 'a' is ignored.",)


def test_dot_files_and_directories_named_like_manifests_are_no_tables(writer, folder):
    writer.table(".DS_Store")
    (folder.in_tables / "a.csv.manifest").mkdir()
    writer.table("a.csv")
    assert list(by_name(folder)) == ["a.csv"]
    assert orphaned_manifests(folder) == ()


def test_no_folder_is_no_tables(tmp_path):
    assert input_tables(DataFolder(tmp_path)) == ()
    assert orphaned_manifests(DataFolder(tmp_path)) == ()


def test_a_manifest_without_its_table_is_a_warning(writer, folder):
    writer.table("gone.csv.manifest", b"{}")
    writer.table("a.csv")
    assert list(by_name(folder)) == ["a.csv"]
    assert orphaned_manifests(folder) == (
        "The manifest 'gone.csv.manifest' in in/tables has no table beside it and is ignored.",
    )


@pytest.mark.parametrize(("stage", "place"), [("s3", "an S3 bucket"), ("abs", "Azure Blob Storage")])
def test_a_staged_table_is_refused(writer, folder, stage, place):
    writer.table("far.csv", None, {"id": "x", stage: {"isSliced": True}})
    with pytest.raises(UserError, match=f"lies in {place}") as caught:
        input_tables(folder)
    assert (caught.value.code, caught.value.place.table) == ("source.manifest", "far.csv")


ID = {"id": "in.c-x.a"}
COLUMNS = {"columns": ["a", "b"]}
SCHEMA = {"schema": [{"name": "a"}]}


@pytest.mark.parametrize(
    ("manifest", "plain", "sliced"),
    [
        (None, "first_line", None),
        (ID, "first_line", None),
        ({**ID, **COLUMNS}, "first_line", "manifest"),
        ({**ID, **SCHEMA}, "first_line", "manifest"),
        ({**ID, **COLUMNS, "has_header": True}, "first_line", "skip_first_line"),
        ({**ID, **COLUMNS, "has_header": False}, "manifest", "manifest"),
        ({**ID, "has_header": True}, "first_line", "first_line"),
        ({**ID, "has_header": False}, None, None),
        ({}, "first_line", None),
        (COLUMNS, "manifest", "manifest"),
        (SCHEMA, "manifest", "manifest"),
        ({**COLUMNS, "has_header": True}, "skip_first_line", "skip_first_line"),
        ({**COLUMNS, "has_header": False}, "manifest", "manifest"),
        ({**COLUMNS, "has_header": None}, "manifest", "manifest"),
        ({"has_header": True}, "first_line", "first_line"),
    ],
)
def test_where_the_column_names_are(writer, folder, manifest, plain, sliced):
    writer.table("plain", b"", manifest)
    writer.sliced("sliced", {"part1": b""}, manifest)
    tables = by_name(folder)
    for name, expected in (("plain", plain), ("sliced", sliced)):
        if expected is not None:
            assert header_mode(tables[name]) is HeaderMode(expected)
        else:
            with pytest.raises(UserError) as caught:
                header_mode(tables[name])
            assert (caught.value.code, caught.value.place.table) == ("source.manifest", name)
            assert f'Add "columns" to {name}.manifest' in caught.value.remedy
