"""Arrow files of both eras are read without a copy; what breaks a rule is refused, and the first rule is named."""

from __future__ import annotations

import datetime as dt
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.workbench.files.arrow_file import open_arrow, read_arrow_file, sidecar_of
from component.workbench.files.table_metadata import metadata_of, metadata_text
from component.workbench.rules.limits import UNLIMITED, TableSizes
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import Era, date_column, number_column, text_column, timestamp_column
from component.workbench.tables.date_unit import DateUnit
from component.workbench.tables.table import NO_TABLE, stated
from tests.strategies.workbench_tables import same_tables, table_of, workbench_tables

FORMAT = {"format": "{:,}"}
DAY = {"unit": "day"}


def write(path, rows, sidecar=None, batch_rows=None):
    with pa.ipc.new_file(path, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=batch_rows)
    if sidecar is not None:
        sidecar_of(path).write_text(json.dumps(sidecar), encoding="utf-8")


def one_column(values, metadata=None, name="A", schema_metadata=None):
    field = pa.field(name, values.type, metadata=metadata)
    return pa.table([values], schema=pa.schema([field], metadata=schema_metadata))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "X.arrow"


@given(table=workbench_tables(era_2019=True), as_said=st.booleans())
def test_a_file_of_2019_is_read_by_its_sidecar(tmp_path_factory, table, as_said):
    path = tmp_path_factory.mktemp("a") / "X.arrow"
    if table.columns:
        write(path, table.rows)
    else:
        path.touch()
    era = Era.E2019 if as_said else Era.E2021
    sidecar_of(path).write_text(metadata_text(metadata_of(table), era), encoding="utf-8")
    read = read_arrow_file(path)
    assert same_tables(read.table, table)
    assert read.messages == ()


@given(table=workbench_tables(), with_sidecar=st.booleans())
def test_a_file_of_2021_is_read_with_or_without_sidecar(tmp_path_factory, table, with_sidecar):
    path = tmp_path_factory.mktemp("a") / "X.arrow"
    if table.columns:
        write(path, stated(table))
    else:
        path.touch()
    if with_sidecar:
        sidecar_of(path).write_text(metadata_text(metadata_of(table)), encoding="utf-8")
    assert same_tables(read_arrow_file(path).table, table)


def test_a_file_of_no_bytes_is_a_table_without_columns(path):
    path.touch()
    assert read_arrow_file(path).table == NO_TABLE


def test_a_file_that_needs_no_formats_needs_no_sidecar(path):
    table = table_of((text_column("A"), pa.array(["a"])), (timestamp_column("B"), pa.array([1], pa.timestamp("ns"))))
    write(path, table.rows)
    assert same_tables(read_arrow_file(path).table, table)


def test_numbers_whose_formats_nobody_says_are_refused(path):
    write(path, pa.table({"A": [1]}))
    with pytest.raises(UserError, match=r"FormatsUnknown.*X\.arrow.*\.arrow\.json"):
        read_arrow_file(path)


def test_a_file_that_is_not_there_cannot_be_read(path):
    with pytest.raises(UserError) as raised:
        read_arrow_file(path)
    assert raised.value.code == "store.unreadable"


def text(*values):
    return pa.array(values, pa.string())


def coded(indices, words, index=None):
    index = index or pa.int8()
    return pa.DictionaryArray.from_arrays(pa.array(indices, index), pa.array(words))


FAR = pa.array([3_000_000], pa.int32()).cast(pa.date32())
BROKEN = [
    (one_column(pa.array([1.0, float("nan")]), FORMAT), "InvalidArrowFile.*NaN"),
    (one_column(pa.array([float("inf")], pa.float32()), FORMAT), "InvalidArrowFile.*NaN"),
    (one_column(pa.array([float("nan")], pa.float16()), FORMAT), "InvalidArrowFile.*NaN"),
    (one_column(text("a"), name="a\nb"), "InvalidArrowFile.*control"),
    (one_column(text("a"), name="é" * 61), "InvalidArrowFile.*122 bytes"),
    (one_column(text("a"), name=""), "InvalidArrowFile.*empty name"),
    (one_column(text(), name="a\nb"), "InvalidArrowFile.*control"),
    (one_column(coded([0, 1], ["a", None])), "InvalidArrowFile.*null among"),
    (one_column(coded([0, 1], ["a", "a"])), "InvalidArrowFile.*twice"),
    (one_column(coded([0], ["a", "b"])), "InvalidArrowFile.*no row uses"),
    (one_column(coded([1], ["a", "b"])), "InvalidArrowFile.*no row uses"),
    (one_column(coded([0, None], ["a", "b"])), "InvalidArrowFile.*no row uses"),
    (one_column(coded([0], ["a"], pa.uint8())), "InvalidArrowFile.*indices"),
    (one_column(coded([0], ["a"], pa.int64())), "InvalidArrowFile.*indices"),
    (one_column(coded([0], [1]), FORMAT), "WrongColumnType"),
    (one_column(text("a"), schema_metadata={"a": "b"}), "TableSchemaHasMetadata"),
    (one_column(text("a"), schema_metadata={}), "TableSchemaHasMetadata"),
    (pa.table([text("a"), text("b")], names=["A", "A"]), "DuplicateColumnName"),
    (one_column(text("a"), {"a": "b"}), "FieldMetadataNotAllowed"),
    (one_column(pa.array([1]), {"format": "{:,}", "more": ""}), "FieldMetadataNotAllowed"),
    (one_column(pa.array([1]), {"unit": "day"}), "FieldMetadataNotAllowed"),
    (one_column(pa.array([1], pa.timestamp("ns")), FORMAT), "FieldMetadataNotAllowed"),
    (one_column(pa.array([1]), {"format": "%d"}), "InvalidNumberFormat"),
    (one_column(pa.array([1]), {"format": b"\xff"}), "InvalidNumberFormat"),
    (one_column(pa.array([True])), "WrongColumnType"),
    (one_column(pa.array([None], pa.null())), "WrongColumnType"),
    (one_column(pa.array(["a"], pa.large_string())), "WrongColumnType"),
    (one_column(pa.array([b"a"], pa.binary())), "WrongColumnType"),
    (one_column(pa.array([dt.date(2020, 1, 1)], pa.date64())), "WrongColumnType"),
    (one_column(pa.array([[1]])), "WrongColumnType"),
    (one_column(pa.array([1], pa.decimal128(5, 2))), "WrongColumnType"),
    (one_column(pa.array([1], pa.duration("s"))), "WrongColumnType"),
    (one_column(pa.array([1], pa.timestamp("ns", "UTC"))), "TimestampTimezoneNotAllowed"),
    (one_column(pa.array([1], pa.timestamp("us"))), "TimestampUnitNotAllowed"),
    (one_column(pa.array([dt.date(2020, 1, 7)]), {"unit": "week"}), "DateValueHasWrongUnit.*2020-01-07"),
    (one_column(pa.array([dt.date(2020, 2, 1)]), {"unit": "quarter"}), "DateValueHasWrongUnit"),
    (one_column(pa.array([dt.date(2020, 2, 1)]), {"unit": "decade"}), "InvalidDateUnit"),
    (one_column(FAR, DAY), "DateOutOfRange"),
    (one_column(FAR, {"unit": "year"}), "DateOutOfRange"),
]


@pytest.mark.parametrize("reading", ReadingMode)
@pytest.mark.parametrize(("rows", "expected"), BROKEN)
def test_what_breaks_a_rule_is_refused_in_both_readings(path, rows, expected, reading):
    write(path, rows)
    if "122 bytes" in expected and reading is ReadingMode.LENIENT:
        assert read_arrow_file(path, reading=reading).table.names == ("é" * 60,)
        return
    with pytest.raises(UserError, match=expected) as raised:
        read_arrow_file(path, reading=reading)
    assert raised.value.code == "workbench.invalid"
    assert raised.value.place.table == "X.arrow"


def test_more_than_one_record_batch_is_refused(path):
    write(path, one_column(text("a", "b")), batch_rows=1)
    with pytest.raises(UserError, match=r"TableHasTooManyRecordBatches.*2 record batches"):
        read_arrow_file(path)


def test_rules_of_the_file_come_before_rules_of_the_table(path):
    write(path, one_column(pa.array([float("nan")]), {"format": "%d"}, schema_metadata={"a": "b"}))
    with pytest.raises(UserError, match="InvalidArrowFile"):
        read_arrow_file(path)


def test_text_that_is_not_utf_8_is_refused(path):
    offsets = pa.array([0, 1], pa.int32()).buffers()[1]
    values = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xff")])
    write(path, one_column(values))
    with pytest.raises(UserError, match=r"InvalidArrowFile.*UTF8"):
        read_arrow_file(path)


def test_a_name_that_is_not_utf_8_is_refused(path):
    write(path, one_column(text("a"), name="NAME"))
    path.write_bytes(path.read_bytes().replace(b"NAME", b"\xffAME"))
    with pytest.raises(UserError, match="InvalidArrowFile"):
        read_arrow_file(path)


def test_offsets_that_point_outside_are_refused(path):
    offsets = pa.array([0, 100, 3], pa.int32()).buffers()[1]
    values = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")])
    write(path, one_column(values))
    with pytest.raises(UserError, match="InvalidArrowFile"):
        read_arrow_file(path)


@given(st.data())
def test_a_cut_or_damaged_file_is_read_or_refused_and_nothing_else(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("a") / "X.arrow"
    write(path, stated(data.draw(workbench_tables().filter(lambda table: table.columns))))
    content = bytearray(path.read_bytes())
    content = content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content
    for position in data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=3)):
        content[position : position + 1] = data.draw(st.binary(min_size=1, max_size=1))
    path.write_bytes(content)
    try:
        read_arrow_file(path)
    except UserError as error:
        assert error.code == "workbench.invalid"  # noqa: PT017 - it may also be readable


@pytest.mark.parametrize("content", [b"ARROW1", b"PAR1 no arrow file", b"a,b\n1,2\n"])
def test_another_file_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(UserError, match="InvalidArrowFile"):
        read_arrow_file(path)


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ({"n_rows": 2, "columns": [{"name": "A", "type": "number", "format": "{:,}"}]}, "WrongRowCount"),
        ({"n_rows": 1, "columns": [{"name": "A", "type": "number", "format": "{:d}"}]}, "InvalidNumberFormat"),
        ({"n_rows": 1, "columns": [{"name": "A", "type": "text"}]}, "WrongColumnType"),
        ({"n_rows": 1, "columns": []}, "TableShouldBeNone"),
    ],
)
def test_a_sidecar_that_disagrees_is_refused(path, document, rule):
    write(path, one_column(pa.array([1]), FORMAT), document)
    with pytest.raises(UserError, match=rule):
        read_arrow_file(path)


def test_a_sidecar_that_claims_rows_of_no_table_is_refused(path):
    path.touch()
    sidecar_of(path).write_text('{"n_rows":3,"columns":[]}', encoding="utf-8")
    with pytest.raises(UserError, match="WrongRowCount"):
        read_arrow_file(path)


def test_a_file_of_2019_has_no_dates(path):
    document = {"n_rows": 1, "columns": [{"name": "A", "type": "date", "unit": "day"}]}
    write(path, one_column(pa.array([dt.date(2020, 1, 1)])), document)
    with pytest.raises(UserError, match="WrongColumnType"):
        read_arrow_file(path)


def test_what_exceeds_a_limit_is_refused_or_cut(path):
    rows = pa.table([text("aaa", "b"), text("c", "d"), text("e", "f")], names=["long name of it", "B", "C"])
    write(path, rows)
    limits = TableSizes(rows=1, columns=2, cell_bytes=2, name_bytes=12)
    with pytest.raises(UserError, match="InvalidArrowFile"):
        read_arrow_file(path, limits=limits)
    read = read_arrow_file(path, limits=limits, reading=ReadingMode.LENIENT)
    assert same_tables(read.table, table_of((text_column("long name of"), text("aa")), (text_column("B"), text("c"))))
    assert [message.id.rsplit(".", 1)[1] for message in read.messages] == [
        "truncated",
        "skipped_columns",
        "skipped_rows",
        "truncated_values",
    ]


def test_reading_copies_nothing(path):
    numbers = pa.array(range(1_000_000), pa.int64())
    texts = pa.array(["text of some length"]).take(pa.array([0] * 1_000_000))
    table = table_of(
        (number_column("A"), numbers), (text_column("B"), texts), (date_column("C"), pa.nulls(10**6, pa.date32()))
    )
    write(path, stated(table))
    before = pa.total_allocated_bytes()
    read = read_arrow_file(path, limits=UNLIMITED)
    assert pa.total_allocated_bytes() - before < 100_000
    assert path.stat().st_size > 25_000_000
    assert read.table.rows.column("A")[999_999].as_py() == 999_999


def test_opening_looks_at_no_value(path):
    write(path, one_column(pa.array([float("nan")]), FORMAT))
    assert open_arrow(path).rows.num_rows == 1


def test_a_week_begins_on_monday(path):
    monday = pa.array([dt.date(2020, 1, 6), None])
    write(path, one_column(monday, {"unit": "week"}))
    assert read_arrow_file(path).table.columns == (date_column("A", DateUnit.WEEK),)
