"""What a source is, and what a target is to be."""

import tarfile
from pathlib import Path
from typing import get_args

import pytest

from component.convert.places import source_of, target_of
from component.convert.words import From, FromWord, To, ToWord
from component.errors import UserError


def tar_of_records(path):
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("orders/_format_avro"))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("make", "name", "kind"),
    [
        (lambda path: (path / "d.by-dataset-metadata.json").write_text("{}"), "d", From.DATASET),
        (lambda path: (path / "d.by-dataset-metadata.msgpack.zstd").write_bytes(b""), "d", From.DATASET),
        (lambda path: ((path / "r").mkdir(), (path / "r/_format_avro").touch()), "r", From.RECORDS),
        (lambda path: tar_of_records(path / "r.tar.gz"), "r.tar.gz", From.RECORDS),
        (lambda path: ((path / "slices").mkdir(), (path / "slices/1.csv").touch()), "slices", From.CSV),
        (lambda path: (path / "a.CSV.gz").touch(), "a.CSV.gz", From.CSV),
        (lambda path: (path / "a.json").touch(), "a.json", From.FILE),
        (lambda path: (path / "a.parquet").touch(), "a.parquet", From.FILE),
    ],
)
def test_a_source_is_recognised(here, make, name, kind):
    make(here)
    for text in (name, str(here / name), (here / name).as_uri()):
        found = source_of(text)
        assert (found.kind, found.place, found.name) == (kind, here / name, name)


def test_what_is_said_stands_above_what_is_seen(here):
    (here / "a.json").touch()
    assert source_of("a.json", From.CSV).kind is From.CSV
    assert target_of("a.json", To.JSONL).kind is To.JSONL


def test_a_url_elsewhere_is_a_records_directory():
    assert source_of("s3://bucket/dir/").kind is From.RECORDS
    assert target_of("s3://bucket/dir/") == target_of("s3://bucket/dir/", To.RECORDS)
    assert source_of("s3://bucket/dir/").name == "dir"


def test_a_source_that_is_not_there_is_an_error(here):
    with pytest.raises(UserError) as caught:
        source_of("nothing")
    assert caught.value.code == "source.missing"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("_schema.json", "1.csv"), "is a records directory without its format file"),
        (("notes.txt", "1.csv"), "does not hold the slices of one CSV or Parquet table"),
        ((), "does not hold the slices of one CSV or Parquet table"),
    ],
)
def test_a_folder_that_is_no_table_is_refused_by_its_name(here, names, said):
    (here / "folder").mkdir()
    for name in names:
        (here / "folder" / name).write_text("x")
    with pytest.raises(UserError, match=f"The folder 'folder' {said}") as caught:
        source_of("folder")
    assert caught.value.code == "source.format"


def test_a_folder_that_spark_wrote_is_a_table(here):
    (here / "out").mkdir()
    (here / "out/_SUCCESS").touch()
    (here / "out/part-00000.csv").write_text("a\n")
    assert source_of("out").kind is From.CSV


@pytest.mark.parametrize(
    ("name", "kind", "zipped"),
    [
        ("a.csv", To.CSV, False),
        ("a.csv.GZ", To.CSV, False),
        ("a.parquet", To.PARQUET, False),
        ("a.avro", To.AVRO, False),
        ("a.arrow", To.ARROW, False),
        ("a.jsonl.gz", To.JSONL, False),
        ("a.ndjson", To.JSONL, False),
        ("dir/", To.RECORDS, False),
        ("a.zip", To.RECORDS, True),
    ],
)
def test_a_target_is_told_by_its_name(here, name, kind, zipped):
    found = target_of(name)
    assert (found.kind, found.zipped, found.place) == (kind, zipped, here / Path(name))


def test_a_target_that_says_nothing_is_an_error():
    with pytest.raises(UserError, match="--to"):
        target_of("a")


@pytest.mark.parametrize("text", ["file://host/a.csv", "file:relative"])
def test_a_file_url_of_another_machine_is_refused(text):
    with pytest.raises(UserError) as caught:
        target_of(text, To.CSV)
    assert caught.value.code == "store.url"


def test_the_words_of_the_command_and_of_python_are_all_kinds():
    assert (get_args(FromWord), get_args(ToWord)) == (tuple(From), tuple(To))
