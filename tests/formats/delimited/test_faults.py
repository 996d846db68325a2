"""What is wrong with a file is said with file, row and, where there is one, byte; nothing is lost without a word."""

from __future__ import annotations

import bz2
import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from component import naming
from component.errors import Place, UserError
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.read import DelimitedReader, read_header
from component.tables.types import Column, TableSchema, TypeName
from tests.formats.delimited.reading import rows_of, split_of, texts_schema

CSV = DelimitedDialect(quoting="minimal", doublequote=True, escape=None)
ANY = [DelimitedDialect(), CSV, DelimitedDialect(escape=None), DelimitedDialect(quoting="all")]


def fault(path: Path, data: bytes, dialect: DelimitedDialect, *, width: int = 2, reject: bool = False) -> UserError:
    with pytest.raises(UserError) as raised:
        rows_of(DelimitedReader(texts_schema(width), dialect, reject), split_of(path, data, block_bytes=16))
    assert raised.value.place.slice == path.name
    return raised.value


@pytest.mark.parametrize("dialect", ANY)
@pytest.mark.parametrize(("record", "count"), [("a", 1), ("a,b,c", 3)])
def test_a_row_of_the_wrong_width_is_an_error_with_row_and_counts(
    record: str, count: int, dialect: DelimitedDialect, tmp_path: Path
) -> None:
    error = fault(tmp_path / "f", f"x,y\nx,y\n{record}\nx,y\n".encode(), dialect)
    assert (error.code, error.place.row) == ("row.cells", 3)
    assert f"has {count} cells where 2 are expected" in error.text


@pytest.mark.parametrize("dialect", ANY)
@pytest.mark.parametrize("reject", [False, True])
def test_an_undecodable_byte_is_an_error_with_row_and_byte(
    dialect: DelimitedDialect, reject: bool, tmp_path: Path
) -> None:
    error = fault(tmp_path / "f", b"x,y\nx,y\nx,y\nx\xff,y\nx,y\n", dialect, reject=reject)
    assert (error.code, error.place.row, error.place.byte) == ("csv.encoding", 4, 13)


def test_the_byte_counts_from_the_beginning_of_the_file_in_a_later_split(tmp_path: Path) -> None:
    from component.formats.delimited.cut import plan_splits

    path = tmp_path / "f"
    path.write_bytes(b"x,y\n" * 10 + b"\xff,y\n")
    splits = plan_splits(path, DelimitedDialect(), table="t", name="f", split_bytes=12)
    with pytest.raises(UserError) as raised:
        rows_of(DelimitedReader(texts_schema(2), DelimitedDialect()), splits[-1])
    assert raised.value.place.byte == 40


def test_text_after_a_closed_quote_is_a_fault_of_its_row(tmp_path: Path) -> None:
    data = b'a,b\n"a"x,b\nc,d\n'
    error = fault(tmp_path / "f", data, CSV)
    assert (error.code, error.place.row) == ("csv.after_quote", 2)
    reader = DelimitedReader(texts_schema(2), CSV, reject=True)
    found = list(reader.read(split_of(tmp_path / "f", data)))
    assert [row for parsed in found for row in parsed.rows["c0"].to_pylist()] == ["a", "c"]
    assert [(bad.row, bad.record) for parsed in found for bad in parsed.bad] == [(2, "ax,b")]


def test_text_after_a_closed_quote_in_a_header_is_an_error(tmp_path: Path) -> None:
    error = fault(tmp_path / "f", b'"a"x,b\nc,d\n', replace(CSV, header_row=True))
    assert error.code == "csv.after_quote"


def test_an_open_quote_is_an_error_of_its_row(tmp_path: Path) -> None:
    error = fault(tmp_path / "f", b'a,b\nc,d\nc,"d\n' + b"e,f\n" * 20, CSV)
    assert (error.code, error.place.row, error.place.column) == ("csv.unclosed_quote", 3, "c1")
    assert "takes in what follows, 20 lines" in error.text


@pytest.mark.parametrize("block", [4, 16, 1 << 20])
@pytest.mark.parametrize("quoting", ["minimal", "all"])
def test_an_open_quote_rejects_its_row_with_what_it_takes_in(block: int, quoting: str, tmp_path: Path) -> None:
    reader = DelimitedReader(texts_schema(2), replace(CSV, quoting=quoting), reject=True)
    split = split_of(tmp_path / "f", b'a,b\nc,d\nc,"d\ne,f\n', block_bytes=block)
    found = list(reader.read(split))
    assert [row for parsed in found for row in parsed.rows["c0"].to_pylist()] == ["a", "c"]
    (bad,) = [bad for parsed in found for bad in parsed.bad]
    assert (bad.row, bad.code, bad.column, bad.value, bad.record) == (
        *(3, "csv.unclosed_quote", "c1"),
        *('"d\ne,f\n', 'c,"d\ne,f\n'),
    )


def test_an_escape_at_the_end_rejects_its_row(tmp_path: Path) -> None:
    reader = DelimitedReader(texts_schema(2), DelimitedDialect(), reject=True)
    rows = rows_of(reader, split_of(tmp_path / "f", b"a,b\nc,d\\"))
    assert rows == [("a", "b"), ("2", "csv.escape")]


def test_an_escape_at_the_end_is_an_error_of_its_row(tmp_path: Path) -> None:
    error = fault(tmp_path / "f", b"a,b\nc,d\\\\\ne,f\\", DelimitedDialect())
    assert (error.code, error.place.row) == ("csv.escape", 3)


@pytest.mark.parametrize(
    "dialect", [CSV, DelimitedDialect(), DelimitedDialect(quoting="all", record_terminator="\n\n")]
)
def test_a_record_longer_than_the_limit_is_an_error(
    dialect: DelimitedDialect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(naming, "RECORD_LIMIT", 64)
    long = '"' + "x" * 100 if dialect.quoting else "x" * 100
    error = fault(tmp_path / "f", f"a,b{dialect.record_terminator}{long}".encode(), dialect)
    assert (error.code, error.place.row) == ("row.length", 2)


PLAIN = b"a,b\n" * 100
VARIED = b"".join(b"%d,%d\n" % (n, n * 7919 % 10007) for n in range(600))


@pytest.mark.parametrize(
    ("data", "declared", "said"),
    [
        (gzip.compress(PLAIN, mtime=0), None, "GZIP"),
        (bz2.compress(PLAIN), None, "BZIP"),
        (PLAIN, "GZIP", "no compression"),
        (PLAIN, "BZIP", "no compression"),
        (PLAIN, "LZO", "no compression"),
        (gzip.compress(PLAIN, mtime=0), "BZIP", "GZIP"),
        (bz2.compress(PLAIN), "GZIP", "BZIP"),
    ],
)
def test_another_compression_than_declared_is_an_error(
    data: bytes, declared: str | None, said: str, tmp_path: Path
) -> None:
    error = fault(tmp_path / "f", data, DelimitedDialect(compression=declared))
    assert error.code == "source.format"
    assert error.text.endswith(said)


@pytest.mark.parametrize(("compress", "declared"), [(gzip.compress, "GZIP"), (bz2.compress, "BZIP")])
@pytest.mark.parametrize("cut", [1, 8])
def test_a_truncated_file_is_an_error(compress: object, declared: str, cut: int, tmp_path: Path) -> None:
    data = compress(VARIED)[:-cut]  # type: ignore[operator] # a function of bytes
    assert fault(tmp_path / "f", data, DelimitedDialect(compression=declared)).code == "gzip.truncated"


@pytest.mark.parametrize(("compress", "declared"), [(gzip.compress, "GZIP"), (bz2.compress, "BZIP")])
def test_a_damaged_file_is_an_error(compress: object, declared: str, tmp_path: Path) -> None:
    data = bytearray(compress(VARIED))  # type: ignore[operator] # a function of bytes
    data[len(data) // 2] ^= 0xFF
    error = fault(tmp_path / "f", bytes(data), DelimitedDialect(compression=declared), reject=True)
    assert error.code == "gzip.truncated"


def test_a_second_bzip2_stream_that_is_damaged_is_an_error_and_not_left_out(tmp_path: Path) -> None:
    data = bz2.compress(PLAIN) + b"BZh9" + b"x" * 60
    assert fault(tmp_path / "f", data, DelimitedDialect(compression="BZIP")).code == "gzip.truncated"


@pytest.mark.parametrize(("compress", "declared"), [(gzip.compress, "GZIP"), (bz2.compress, "BZIP")])
def test_files_of_several_members_are_read_whole(compress: object, declared: str, tmp_path: Path) -> None:
    data = compress(b"a,b\nc,") + compress(b"d\ne,f\n")  # type: ignore[operator] # a function of bytes
    reader = DelimitedReader(texts_schema(2), DelimitedDialect(compression=declared))
    assert rows_of(reader, split_of(tmp_path / "f", data)) == [("a", "b"), ("c", "d"), ("e", "f")]


@pytest.mark.parametrize("declared", [None, "GZIP", "BZIP", "LZO"])
def test_an_empty_file_has_no_rows(declared: str | None, tmp_path: Path) -> None:
    dialect = DelimitedDialect(compression=declared, header_row=True)
    assert rows_of(DelimitedReader(texts_schema(2), dialect), split_of(tmp_path / "f", b"")) == []
    assert read_header(tmp_path / "f", dialect, place=Place("t", "f")) == ()


def test_text_that_begins_like_bzip2_is_text(tmp_path: Path) -> None:
    reader = DelimitedReader(texts_schema(2), DelimitedDialect())
    assert rows_of(reader, split_of(tmp_path / "f", b"BZh9,b\n")) == [("BZh9", "b")]


def test_a_bad_cell_is_an_error_with_row_column_and_value(tmp_path: Path) -> None:
    schema = TableSchema((Column("n", TypeName.INTEGER), Column("d", TypeName.DATE), Column("s")))
    data = b"1,2000-01-02,a\n2,02/01/2000,b\nx,2000-01-02,c\n"
    reader = DelimitedReader(schema, DelimitedDialect(), reject=True)
    (parsed,) = reader.read(split_of(tmp_path / "f", data))
    assert [(bad.row, bad.column, bad.value) for bad in parsed.bad] == [(2, "d", "02/01/2000"), (3, "n", "x")]
    assert [bad.record for bad in parsed.bad] == ["2,02/01/2000,b", "x,2000-01-02,c"]
    assert "YYYY-MM-DD" in parsed.bad[0].reason
    assert parsed.rows["n"].to_pylist() == [1]
    assert parsed.records == 3
    with pytest.raises(UserError) as raised:
        rows_of(DelimitedReader(schema, DelimitedDialect()), split_of(tmp_path / "f", data))
    assert (raised.value.code, raised.value.place.row, raised.value.place.column) == ("cell.type", 2, "d")


@pytest.mark.parametrize("data", [b'"a\n', b"\\"])
def test_a_header_that_never_ends_is_an_error(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(data)
    dialect = DelimitedDialect(quoting="all")
    with pytest.raises(UserError) as raised:
        read_header(tmp_path / "f", dialect, place=Place("t", "f"))
    assert raised.value.code in {"csv.unclosed_quote", "csv.escape"}
