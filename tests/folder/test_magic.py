from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.errors import UserError
from component.folder.magic import is_gzip, is_parquet


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
