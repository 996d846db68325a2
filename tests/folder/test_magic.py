from __future__ import annotations

import gzip
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.errors import UserError
from component.folder.magic import is_gzip, is_parquet, is_records
from component.records.format_file import format_name


@pytest.mark.parametrize("data", [b"", b"\x1f", b"a,b\n", b"PAR"])
def test_short_and_plain_files_are_neither(tmp_path, data):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(data)
    assert not is_gzip(path)
    assert not is_parquet(path)


def test_gzip_is_told_by_content_and_not_by_name(tmp_path, gzipped):
    path = tmp_path / "table.csv"
    path.write_bytes(gzipped("a,b\n"))
    assert is_gzip(path)


def test_parquet_is_told_by_content_and_not_by_name(tmp_path):
    path = tmp_path / "table"
    pq.write_table(pa.table({"a": [1]}), path)
    assert is_parquet(path)


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    with pytest.raises(UserError, match="cannot be read") as caught:
        is_gzip(tmp_path)
    assert caught.value.code == "source.format"


def tar(path, names, kind):
    with tarfile.open(path, f"w:{kind}") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name))


@pytest.mark.parametrize("kind", ["", "gz", "bz2", "xz"])
def test_a_records_directory_is_known_in_a_tar_by_the_names_in_it(tmp_path, kind):
    tar(tmp_path / "yes", ["orders/data001.csv", "orders/_format_delimited"], kind)
    tar(tmp_path / "no", ["orders/data001.csv"], kind)
    assert is_records(tmp_path / "yes")
    assert not is_records(tmp_path / "no")


def test_a_folder_with_a_manifest_alone_is_taken_for_one_so_that_what_is_missing_is_said(tmp_path):
    (tmp_path / "_manifest").write_text("{}")
    assert is_records(tmp_path)
    with pytest.raises(UserError) as caught:
        format_name(["_manifest", "data.csv"])
    assert str(caught.value).startswith("There is no format file in the records directory. Put an empty file there, ")


def test_a_records_directory_is_known_in_a_folder_and_in_a_zip(tmp_path):
    (tmp_path / "folder").mkdir()
    assert not is_records(tmp_path / "folder")
    (tmp_path / "folder/_format_avro").touch()
    assert is_records(tmp_path / "folder")
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("x/_format_avro", b"")
    assert is_records(tmp_path / "zip")


def test_what_only_begins_like_an_archive_is_none(tmp_path):
    tar(tmp_path / "tar", ["_format_delimited"] * 3, "gz")
    whole = (tmp_path / "tar").read_bytes()
    for data in (
        b"",
        b"a,b\n" * 300,
        b"\0" * 2000,
        b"PK\x03\x04 and no more",
        gzip.compress(b"a,b\n" * 300, mtime=0),
        whole[:30],
    ):
        (tmp_path / "file").write_bytes(data)
        assert not is_records(tmp_path / "file")
