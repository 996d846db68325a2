from __future__ import annotations

import pytest

from component.errors import UserError
from component.folder.layout import DataFolder
from component.folder.manifest import TableManifest
from component.folder.tables import (
    HeaderMode,
    header_mode,
    input_tables,
    is_gzip,
    orphaned_manifests,
    staged_secrets,
)


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


S3 = {
    "s3": {
        "isSliced": True,
        "region": "eu-central-1",
        "bucket": "b",
        "key": "exports/1.csvmanifest",
        "credentials": {"access_key_id": "key", "secret_access_key": "secret", "session_token": "token"},
    }
}


def test_a_manifest_alone_is_a_table_when_it_names_a_bucket(writer, folder):
    writer.table("far", None, {"id": "in.c-x.far", "columns": ["a"], **S3})
    writer.table("b.csv", b"a\n")
    near, far = input_tables(folder)
    assert (near.name, far.name, far.sliced, far.slices, far.warnings) == ("b.csv", "far", True, (), ())
    assert far.staged is not None
    assert far.staged.bucket.url(far.staged.key) == "s3://b/exports/1.csvmanifest"
    assert orphaned_manifests(folder) == ()


def test_what_lies_in_the_folder_too_is_read_from_there(writer, folder):
    writer.table("far", b"a\n", {"id": "in.c-x.far", **S3})
    (table,) = input_tables(folder)
    assert (table.staged, table.sliced) == (None, False)
    assert table.warnings == (
        "The table 'far' is read from the folder; its manifest also names s3://b/exports/1.csvmanifest.",
    )


def test_all_credentials_of_a_folder_are_known_to_be_hidden(writer, folder):
    signed = "BlobEndpoint=https://a.blob.core.windows.net;SharedAccessSignature=sp=r&sig=a%2Bb"
    writer.table("one", None, {"id": "x", **S3})
    writer.table("two", b"", {"abs": {"credentials": {"sas_connection_string": signed, "expiration": "2030-01-01"}}})
    writer.file("3_three", None, {"s3": {"credentials": {"access_key_id": "other", "session_token": None}}})
    writer.table("broken", b"", ["s3"])
    (folder.in_tables / "worse.manifest").write_bytes(b"{")
    secrets = {"key", "secret", "token", signed, "sp=r&sig=a%2Bb", "a+b", "other"}
    assert staged_secrets(folder) == secrets


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
