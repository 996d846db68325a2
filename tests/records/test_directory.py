from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from component.errors import UserError
from component.records.directory import DirectoryOptions, is_records, open_directory, read_directory
from component.records.format_file import FormatType
from component.records.places import LocalListing, open_listing
from component.records.schema_fields import parse_field
from component.records.types import column_of_field
from component.records.waiting import Patience
from component.tables.types import TypeName
from tests.records.listings import bucket_listing
from tests.records.making import SCHEMA, make_directory

CASES = Path(__file__).parents[1] / "data" / "records" / "cases"
MOVED = "manifest.moved"


def read(root, **options):
    return read_directory(LocalListing(root), DirectoryOptions(**options))


def refused(root, **options):
    with pytest.raises(UserError) as error:
        read(root, **options)
    assert error.value.place.table == root.name
    return error.value


def codes(directory):
    return [one.code for one in directory.findings]


@pytest.mark.parametrize("case", sorted(CASES.glob("*.expected.json")), ids=lambda path: path.name.split(".")[0])
def test_a_directory_of_the_client_is_what_it_was_meant_to_be(case):
    meant = json.loads(case.read_text(encoding="utf-8"))
    directory = read(case.with_name(case.name.removesuffix(".expected.json")))
    fields = [{"type": kind, "constraints": {"required": False}} for kind in meant["types"]]
    plain = [column_of_field(parse_field(name, field)[0]) for name, field in zip(meant["columns"], fields, strict=True)]
    assert [(one.name, one.type) for one in directory.schema.columns] == [(one.name, one.type) for one in plain]
    assert [one.attribute("logical") for one in directory.schema.columns] == [one.attribute("logical") for one in plain]
    assert codes(directory) == [MOVED]
    assert len(directory.files) == (2 if "two-files" in case.name else 1)
    assert directory.size == sum(file.location.stat().st_size for file in directory.files)


def test_what_a_directory_is(tmp_path):
    root = make_directory(tmp_path / "r", variant="csv", hints={"header-row": False})
    directory = read(root)
    assert directory.format is FormatType.DELIMITED
    assert directory.dialect.quoting == "minimal"
    assert directory.schema.names == ("id", "s")
    assert [column.type for column in directory.schema.columns] == [TypeName.INTEGER, TypeName.STRING]
    assert directory.findings == ()
    assert directory.url == f"{root.as_uri()}/"


def test_parquet_has_no_dialect(tmp_path):
    root = make_directory(tmp_path / "r", {"data001.parquet": b"PAR1"})
    (root / "_format_delimited").rename(root / "_format_parquet")
    directory = read(root)
    assert (directory.format, directory.dialect) == (FormatType.PARQUET, None)


def test_hidden_and_other_files_are_ignored(tmp_path):
    root = make_directory(tmp_path / "r")
    for name in ("_SUCCESS", "._format_delimited.crc", ".data001.csv.crc", "_whatever"):
        (root / name).write_bytes(b"x")
    assert read(root).findings == ()


def test_a_directory_without_rows_has_no_files(tmp_path):
    directory = read(make_directory(tmp_path / "r", {}))
    assert (directory.files, directory.size, directory.schema.names) == ((), 0, ("id", "s"))


def test_without_manifest_a_directory_is_not_whole(tmp_path):
    root = make_directory(tmp_path / "r")
    (root / "_manifest").unlink()
    assert refused(root).code == "records.incomplete"


def test_a_manifest_that_was_not_renamed_is_none(tmp_path):
    root = make_directory(tmp_path / "r")
    (root / "_manifest").rename(root / "manifest")
    error = refused(root)
    assert error.code == "records.incomplete"
    assert "renamed" in str(error)


def test_a_manifest_is_waited_for_and_the_wait_ends(tmp_path):
    root = make_directory(tmp_path / "r")
    (root / "_manifest").rename(root / "late")
    patience = Patience(0.05, 0.01)
    assert "after 0.05 seconds" in str(refused(root, patience=patience))
    late = Patience(10, sleep=lambda _: (root / "late").rename(root / "_manifest"))
    assert len(read(root, patience=late).files) == 1


def test_a_missing_directory_is_no_directory(tmp_path):
    assert refused(tmp_path / "nothing").code == "records.incomplete"


def test_two_formats_are_refused(tmp_path):
    root = make_directory(tmp_path / "r")
    (root / "_format_parquet").touch()
    assert refused(root).code == "records.format"


@pytest.mark.parametrize(
    ("name", "code"),
    [("_manifest", "records.manifest"), ("_format_delimited", "records.format"), ("_schema.json", "records.schema")],
)
def test_broken_json_is_refused_with_its_file(tmp_path, name, code):
    root = make_directory(tmp_path / "r")
    (root / name).write_bytes(b'{"entries": [')
    error = refused(root)
    assert error.code == code
    assert name in str(error)


@pytest.mark.parametrize(
    ("hints", "word"), [({"field-delimiter": '"'}, '"'), ({"field-delimiter": "||"}, "||"), ({"speed": 5}, "speed")]
)
def test_hints_that_cannot_be_are_refused(tmp_path, hints, word):
    error = refused(make_directory(tmp_path / "r", hints=hints))
    assert error.code == "records.hint"
    assert word in str(error).replace("\\", "")


def test_an_unknown_variant_is_refused(tmp_path):
    assert refused(make_directory(tmp_path / "r", variant="excel")).code == "records.hint"


def test_hints_of_the_reader_count_and_lax_is_passed_on(tmp_path):
    root = make_directory(tmp_path / "r", hints={"speed": 5})
    directory = read(root, lax=True, hints={"field-delimiter": "|"})
    assert directory.dialect.field_delimiter == "|"
    assert codes(directory) == ["hint.unknown"]


def test_without_schema_a_directory_is_refused(tmp_path):
    error = refused(make_directory(tmp_path / "r", schema=None))
    assert error.code == "records.schema"
    assert "lax" in str(error)


def test_a_schema_that_is_a_folder_is_called_that(tmp_path):
    root = make_directory(tmp_path / "r", schema=None)
    (root / "_schema.json").mkdir()
    error = refused(root)
    assert error.code == "records.schema"
    assert "_schema.json is a folder" in str(error)
    assert "Put the file itself there" in error.remedy


def test_lax_takes_names_from_the_header_where_there_is_no_schema(tmp_path):
    root = make_directory(
        tmp_path / "r", {"a.csv": b'x,"y\nz"\n1,2\n'}, variant="csv", hints={"header-row": True}, schema=None
    )
    directory = read(root, lax=True)
    assert directory.schema.names == ("x", "y\nz")
    assert {column.type for column in directory.schema.columns} == {TypeName.STRING}
    assert codes(directory) == ["schema.missing"]


@pytest.mark.parametrize("case", ["parquet", "parquet-two-files"])
def test_lax_takes_columns_from_parquet_where_there_is_no_schema(tmp_path, case):
    shutil.copytree(CASES / case, tmp_path / "r")
    known = read(tmp_path / "r").schema
    (tmp_path / "r" / "_schema.json").unlink()
    assert refused(tmp_path / "r").code == "records.schema"
    directory = read(tmp_path / "r", lax=True)
    assert codes(directory) == [MOVED, "schema.missing"]
    assert [(one.name, one.type, one.attribute("logical")) for one in directory.schema.columns] == [
        (one.name, one.type, one.attribute("logical")) for one in known.columns
    ]


def test_a_records_directory_is_known_by_its_names(tmp_path):
    assert is_records(LocalListing(make_directory(tmp_path / "r")).names())
    assert not is_records(["_manifest", "data001.csv"])
    assert not is_records(["_format_delimited", "manifest"])


def test_lax_needs_a_header_to_take_names_from(tmp_path):
    assert refused(make_directory(tmp_path / "r", schema=None), lax=True).code == "records.schema"


def test_the_schema_without_suffix_is_read_when_it_is_json(tmp_path):
    root = make_directory(tmp_path / "r")
    (root / "_schema.json").rename(root / "_schema")
    assert read(root).schema.names == ("id", "s")
    (root / "_schema").write_text("CREATE TABLE x (id INTEGER)")
    assert refused(root).code == "records.schema"


def test_the_schema_with_suffix_counts_before_the_other(tmp_path):
    root = make_directory(tmp_path / "r")
    (root / "_schema").write_text(json.dumps(SCHEMA).replace('"s"', '"other"'))
    assert read(root).schema.names == ("id", "s")


@pytest.mark.parametrize("compressed", [False, True])
def test_a_header_that_differs_from_the_schema_is_said(tmp_path, compressed):
    text = b"s,id\na,1\n"
    data = gzip.compress(text, mtime=0) if compressed else text
    hints = {"header-row": True, "compression": "GZIP" if compressed else None}
    directory = read(make_directory(tmp_path / "r", {"a.csv": data}, variant="csv", hints=hints))
    assert codes(directory) == ["schema.header"]
    assert directory.schema.names == ("id", "s")


@pytest.mark.parametrize("terminator", ["\r\n", "\n", "\r"])
def test_a_terminator_that_is_not_known_is_looked_for(tmp_path, terminator):
    text = f'1,"a\r\nb"{terminator}2,c{terminator}'.encode()
    root = make_directory(
        tmp_path / "r", {"a.csv": b"", "b.csv": text}, variant="csv", hints={"record-terminator": None}
    )
    assert read(root).dialect.record_terminator == terminator


def test_open_directory_takes_a_path_or_a_url(tmp_path):
    root = make_directory(tmp_path / "r")
    for where in (root, str(root), root.as_uri()):
        assert open_directory(where, tmp_path / "scratch").schema.names == ("id", "s")
    assert not (tmp_path / "scratch").exists()


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("id,s\n")
    with pytest.raises(UserError) as error:
        open_directory(tmp_path / "x.csv", tmp_path / "scratch")
    assert error.value.code == "records.archive"


def test_a_directory_in_a_bucket_is_read_as_one_in_a_folder(tmp_path, s3):
    root = make_directory(tmp_path / "r")
    bucket = bucket_listing(s3, tmp_path)
    for name in LocalListing(root).names():
        bucket.put(name, (root / name).read_bytes())
    directory = read_directory(bucket)
    assert codes(directory) == [MOVED]
    assert directory.files[0].location.read_at(0, 10) == b"1,a\n"
    entry = {"url": bucket.url_of("data001.csv"), "meta": {"content_length": 4}}
    bucket.put("_manifest", json.dumps({"entries": [entry]}).encode())
    assert codes(read_directory(bucket)) == []


def test_a_bucket_without_manifest_is_not_whole(tmp_path, s3):
    with pytest.raises(UserError) as error:
        read_directory(bucket_listing(s3, tmp_path), DirectoryOptions(patience=Patience(0.1, 0.05)))
    assert error.value.code == "records.incomplete"


def test_the_environment_says_where_a_bucket_is(tmp_path):
    with pytest.raises(UserError) as error:
        open_directory("s3://bucket/x", tmp_path, variables={})
    assert error.value.code == "staged.credentials"
    assert open_listing(tmp_path, {}).url == f"{tmp_path.as_uri()}/"


def test_a_schema_without_fields_is_refused(tmp_path):
    error = refused(make_directory(tmp_path / "r", schema={**SCHEMA, "fields": {}}))
    assert error.code == "records.schema"
    assert "no fields" in str(error)
