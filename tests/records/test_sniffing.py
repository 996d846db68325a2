from __future__ import annotations

import pytest

from component.formats.delimited.dialect import DelimitedDialect
from component.records.data_files import DataFile
from component.records.directory import terminator_of

CSV = DelimitedDialect(header_row=True, quoting="minimal", doublequote=True, escape=None)
BLUELABS = DelimitedDialect()
VERTICA = DelimitedDialect(field_delimiter="\x01", record_terminator="\x02", escape=None)


@pytest.fixture
def file_of(tmp_path):
    def made(data):
        path = tmp_path / "data001.csv"
        path.write_bytes(data)
        return DataFile(path.name, path, len(data))

    return made


@pytest.mark.parametrize(
    ("data", "dialect", "found"),
    [
        (b"a\r\nb\n", CSV, "\r\n"),
        (b'"a\r\nb",c\nd\r\n', CSV, "\n"),
        (b'"a\r""\nb",c\rd\r\n', CSV, "\r"),
        (b"a\\\nb\rc\n", BLUELABS, "\r"),
        (b"a\nb\x02", VERTICA, "\x02"),
        (b"a\nb\n", VERTICA, "\n"),
        (b"a,b", CSV, None),
        (b"", CSV, None),
    ],
)
def test_the_first_terminator_that_is_not_data_is_found(file_of, data, dialect, found):
    assert terminator_of(file_of(data), dialect) == found
