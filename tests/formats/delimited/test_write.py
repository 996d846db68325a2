"""Files of delimited text: bytes of the variants, and that every dialect's files hold the cells that were given."""

from __future__ import annotations

import bz2
import csv
import datetime as dt
import gzip
import io
from contextlib import closing
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.plain_text import float_texts
from component.formats.delimited.tokenizer import tokenize
from component.formats.delimited.write import DelimitedWriter, DelimitedWriting, is_invertible, losses, unwritable
from component.tables.logical import Logical, logical_column
from component.tables.types import MAX_PRECISION, Column, TableSchema, TypeName, column_of_arrow
from tests.strategies.delimited_tables import CSV, VARIANTS, changed, dialects, hard_texts, typed_tables

MOMENT = dt.datetime.fromisoformat("2000-01-02T12:34:56.789")
ROWS = pa.table(
    {
        "n": [1, 2],
        "s": ['a,"b\\c\nd', None],
        "b": [True, False],
        "d": [dt.date(2000, 1, 2)] * 2,
        "t": ["13:04:05"] * 2,
        "ts": pa.array([MOMENT] * 2, pa.timestamp("us")),
        "tz": pa.array([MOMENT] * 2, pa.timestamp("us")),
    }
)
SCHEMA = TableSchema(
    (
        *(column_of_arrow(field.name, field.type) for field in ROWS.schema.remove(6).remove(4)),
        logical_column("t", Logical.TIME),
        logical_column("tz", Logical.TIMESTAMPTZ),
    )
)
SCHEMA = TableSchema(tuple(SCHEMA.column(name) for name in ROWS.column_names))
DECOMPRESS = {None: bytes, "GZIP": gzip.decompress, "BZIP": bz2.decompress}
MARKS = {"UTF8BOM": b"\xef\xbb\xbf", "UTF16": b"\xff\xfe", "UTF16BOM": b"\xff\xfe"}


def written(path, table, schema, dialect):
    with closing(DelimitedWriter(path, schema, dialect)) as writer:
        writer.write(table.slice(0, 1))
        writer.write(table.slice(1))
    return DECOMPRESS[dialect.compression](path.read_bytes())


def text_of(data, dialect):
    mark = MARKS.get(dialect.encoding, b"")
    assert data.startswith(mark)
    codec = "utf-16-le" if dialect.codec == "utf-16" else dialect.codec
    return data[len(mark) :].decode(codec)


SECONDS = {"datetimeformat": "MM/DD/YY HH24:MI:SS", "datetimeformattz": "MM/DD/YY HH24:MI:SS"}


@pytest.mark.parametrize(
    ("name", "hints", "text"),
    [
        (
            "csv",
            SECONDS,
            (
                'n,s,b,d,t,ts,tz\n1,"a,""b\\c\nd",True,01/02/00,13:04:05,01/02/00 12:34:56.789000,'
                "01/02/00 12:34:56.789000\n"
                "2,,False,01/02/00,13:04:05,01/02/00 12:34:56.789000,01/02/00 12:34:56.789000\n"
            ),
        ),
        (
            "bigquery",
            {},
            (
                'n,s,b,d,t,ts,tz\n1,"a,""b\\c\nd",True,2000-01-02,13:04:05,2000-01-02 12:34:56.789000,'
                "2000-01-02 12:34:56.789000\n"
                "2,,False,2000-01-02,13:04:05,2000-01-02 12:34:56.789000,2000-01-02 12:34:56.789000\n"
            ),
        ),
        (
            "bluelabs",
            {},
            (
                '1,a\\,"b\\\\c\\\nd,True,2000-01-02,13:04:05,2000-01-02 12:34:56.789000,'
                "2000-01-02 12:34:56.789000+00:00\n"
                "2,,False,2000-01-02,13:04:05,2000-01-02 12:34:56.789000,2000-01-02 12:34:56.789000+00:00\n"
            ),
        ),
        (
            "vertica",
            {},
            (
                '1\x01a,"b\\c\nd\x01True\x012000-01-02\x0113:04:05\x012000-01-02 12:34:56.789000\x01'
                "2000-01-02 12:34:56.789000+00:00\x02"
                "2\x01\x01False\x012000-01-02\x0113:04:05\x012000-01-02 12:34:56.789000\x01"
                "2000-01-02 12:34:56.789000+00:00\x02"
            ),
        ),
    ],
)
def test_variants_write_a_row_as_the_reference_has_it(tmp_path, name, hints, text):
    assert written(tmp_path / "out", ROWS, SCHEMA, changed(VARIANTS[name], **hints)).decode() == text


@pytest.mark.parametrize(
    ("hints", "line"),
    [
        ({"quoting": "all", "doublequote": True, "escape": None}, '"1","a,""b\\c\nd","True","2000-01-02"'),
        ({"quoting": "all"}, '"1","a,\\"b\\\\c\nd","True","2000-01-02"'),
        ({"quoting": "minimal"}, '1,"a,\\"b\\\\c\nd",True,2000-01-02'),
        ({"quoting": "nonnumeric", "doublequote": True, "escape": None}, '1,"a,""b\\c\nd","True","2000-01-02"'),
    ],
)
def test_quoting(tmp_path, hints, line):
    text = written(tmp_path / "out", ROWS, SCHEMA, DelimitedDialect(**hints)).decode()
    assert text.startswith(line + ",")
    assert ("\n2,," in text) == (hints["quoting"] == "minimal")


def test_header_names_are_written_like_data(tmp_path):
    names = ["a,b", 'c"d', "e\\f", "g\nh"]
    schema = TableSchema(tuple(Column(name) for name in names))
    nothing = pa.table([pa.array([], pa.string())] * 4, names)
    text = written(tmp_path / "out", nothing, schema, DelimitedDialect(header_row=True)).decode()
    assert text == 'a\\,b,c"d,e\\\\f,g\\\nh\n'
    with pytest.raises(UserError) as refused:
        DelimitedWriter(tmp_path / "none", schema, DelimitedDialect(header_row=True, escape=None))
    assert (refused.value.code, refused.value.place.column, refused.value.place.row) == ("cell.unwritable", "a,b", None)
    assert not (tmp_path / "none").exists()


def test_csv_of_a_variant_reads_in_python_and_empty_text_is_told_from_null(tmp_path):
    table = pa.table({"a": ["", None, '"', "x\r\ny"], "b": [1, None, 3, 4]})
    schema = TableSchema((Column("a"), Column("b", TypeName.INTEGER)))
    text = written(tmp_path / "out", table, schema, changed(VARIANTS["csv"], header_row=False)).decode()
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["", "1"], ["", ""], ['"', "3"], ["x\r\ny", "4"]]
    assert text.startswith('"",1\n,\n')


def cells_as_python_has_them(table, schema):
    """The plain text of cells whose type Python writes as a dialect does."""
    rows = []
    for row in table.to_pylist():
        cells = []
        for column in schema.columns:
            value = row[column.name]
            if value is None:
                cells.append("")
            elif isinstance(value, dt.datetime):
                offset = "+00:00" if column.attributes else ""
                cells.append(f"{value.isoformat(' ', 'microseconds')}{offset}")
            else:
                cells.append(written_decimal(value, column) if isinstance(value, Decimal) else str(value))
        rows.append(cells)
    return rows


def written_decimal(value, column):
    text = f"{value:f}"
    declared = column.arrow.precision < MAX_PRECISION or "." not in text
    return text if declared else text.rstrip("0").removesuffix(".")


def unwritable_name(schema, dialect):
    titles = TableSchema(tuple(Column(name) for name in schema.names))
    names = pa.table([pa.array([name]) for name in schema.names], list(schema.names))
    return unwritable(names, titles, dialect) if dialect.header_row else None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(drawn=typed_tables(), dialect=dialects)
def test_every_dialect_holds_the_cells_that_were_given_or_refuses_the_first_it_cannot(tmp_path, drawn, dialect):
    table, schema = drawn
    fault = unwritable(table, schema, dialect) or unwritable_name(schema, dialect)
    if fault is not None:
        with pytest.raises(UserError) as refused:
            written(tmp_path / "out", table, schema, dialect)
        assert refused.value.code == "cell.unwritable"
        one_column = table.num_columns == 1
        assert losses(dialect, one_column=one_column)
        assert not is_invertible(dialect, one_column=one_column)
        return
    data = written(tmp_path / "out", table, schema, dialect)
    records = [[cell.text for cell in record.cells] for record in tokenize(text_of(data, dialect), dialect)]
    expected = cells_as_python_has_them(table, schema)
    assert records == ([list(schema.names)] if dialect.header_row else []) + expected


@given(st.lists(st.none() | st.floats() | st.integers(-(10**18), 10**18).map(float)))
def test_floats_are_written_as_python_does(values):
    expected = [None if value is None else repr(value) for value in values]
    assert float_texts(pa.array(values, pa.float64())).to_pylist() == expected


@pytest.mark.parametrize("compression", ["GZIP", "BZIP", None])
def test_equal_tables_give_equal_bytes(tmp_path, compression):
    dialect = DelimitedDialect(compression=compression)
    for name in ("one", "two"):
        written(tmp_path / name, ROWS, SCHEMA, dialect)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    ("values", "column", "hints", "row"),
    [
        (["a", "b,c"], Column("c"), {"escape": None}, 2),
        (["é", "€"], Column("c"), {"encoding": "LATIN1"}, 2),
        (["a", None], Column("c"), {}, 2),
        ([MOMENT, MOMENT], Column("c", TypeName.TIMESTAMP), CSV, 1),
        ([dt.date(2000, 1, 1), dt.date(1968, 12, 31)], Column("c", TypeName.DATE), CSV, 2),
        ([None, -1.5], Column("c", TypeName.FLOAT), {"escape": None, "field_delimiter": "-", "quoting": None}, 1),
        (["1:2:3", "x"], logical_column("c", Logical.TIME), {}, 2),
    ],
)
def test_a_value_that_a_dialect_cannot_carry_is_refused_with_its_place_before_anything_is_written(
    tmp_path, values, column, hints, row
):
    table = pa.table({"c": pa.array(values, column.arrow)})
    writer = DelimitedWriter(tmp_path / "out", TableSchema((column,)), DelimitedDialect(**hints), place=Place("t", "s"))
    writer.write(table.slice(0, 0))
    with pytest.raises(UserError) as refused:
        writer.write(table)
    writer.close()
    assert refused.value.code == "cell.unwritable"
    assert (refused.value.place.table, refused.value.place.row, refused.value.place.column) == ("t", row, "c")
    assert refused.value.remedy
    assert (tmp_path / "out").read_bytes() == b""


def test_rows_are_counted_over_all_tables_of_a_file(tmp_path):
    schema = TableSchema((Column("c"), Column("d")))
    writer = DelimitedWriter(tmp_path / "out", schema, DelimitedDialect(escape=None))
    writer.write(pa.table({"c": ["a"] * 3, "d": ["b"] * 3}))
    with pytest.raises(UserError) as refused:
        writer.write(pa.table({"c": ["a", "b"], "d": ["b", "c\n"]}))
    writer.close()
    assert refused.value.place.row == 5


def test_lzo_is_refused(tmp_path):
    with pytest.raises(UserError) as refused:
        DelimitedWriter(tmp_path / "out", SCHEMA, DelimitedDialect(compression="LZO"))
    assert refused.value.code == "records.hint"
    assert not (tmp_path / "out").exists()


def test_a_format_that_is_none_is_refused_before_the_file_is_there(tmp_path):
    with pytest.raises(UserError) as refused:
        DelimitedWriter(tmp_path / "out", SCHEMA, DelimitedDialect(dateformat="MON YY"))
    assert refused.value.code == "records.hint"
    assert not (tmp_path / "out").exists()


def test_a_table_without_a_column_is_refused(tmp_path):
    writer = DelimitedWriter(tmp_path / "out", SCHEMA, DelimitedDialect())
    with pytest.raises(UserError) as refused:
        writer.write(ROWS.drop_columns(["b"]))
    writer.close()
    assert (refused.value.code, refused.value.place.column) == ("column.missing", "b")


def test_which_variants_carry_everything():
    assert {name for name, dialect in VARIANTS.items() if is_invertible(dialect)} == {"bluelabs", "bigquery"}
    assert losses(VARIANTS["vertica"])[0] == "text that holds one of '\\x01' '\\x02'"
    assert "datetime with seconds (MM/DD/YY HH24:MI)" in losses(VARIANTS["csv"])


@given(texts=st.lists(hard_texts, min_size=1, max_size=4))
def test_a_table_of_one_column_has_no_blank_record(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("one") / "out"
    schema = TableSchema((Column("c"),))
    data = written(path, pa.table({"c": [*texts, None]}), schema, changed(VARIANTS["csv"], header_row=False)).decode()
    assert [record.cells[0].text for record in tokenize(data, VARIANTS["csv"])] == [*texts, ""]
    assert not any(record.is_blank for record in tokenize(data, VARIANTS["csv"]))


def test_writing_by_a_schema_of_arrow_and_what_else_is_known(tmp_path):
    writing = DelimitedWriting(changed(VARIANTS["csv"], **SECONDS))
    with closing(writing.open(tmp_path / "x", ROWS.schema, {"tz": {"logical": "timestamptz"}})) as writer:
        writer.write(ROWS)
    with closing(DelimitedWriter(tmp_path / "y", SCHEMA, writing.dialect)) as writer:
        writer.write(ROWS)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()
