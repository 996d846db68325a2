import datetime as dt
import math
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.files.data_file import encode_rows, read_rows
from component.dataset.files.footer import open_footer
from component.dataset.files.predicates import bind_predicates
from component.dataset.files.pruning import groups_wanted
from component.errors import UserError
from tests.dataset import oracle
from tests.dataset.making import with_files
from tests.strategies.typed_tables import tables

OPTIONS = (
    {},
    {"write_statistics": False},
    {"use_dictionary": False, "data_page_version": "2.0"},
    {"store_decimal_as_integer": True, "store_schema": False},
    {"version": "1.0"},
)


def _written(rows, **options):
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, **options)
    return sink.getvalue()


def _answer(data, schema, predicates, columns=None):
    return read_rows(pa.BufferReader(data), schema, columns or schema.names, {}, bind_predicates(predicates, schema))


def _wanted(data, schema, predicates):
    return groups_wanted(open_footer(pa.BufferReader(data)), schema, bind_predicates(predicates, schema))


@st.composite
def questions(draw):
    rows = draw(tables(max_rows=16, most=3))
    if draw(st.booleans()):
        rows = rows.sort_by([(name, "ascending") for name in rows.column_names])
    columns = draw(st.lists(st.sampled_from(rows.column_names), unique=True))
    return rows, draw(oracle.predicates(rows)), columns, draw(st.sampled_from(OPTIONS)), draw(st.integers(1, 8))


@with_files
@given(questions())
def test_any_question_is_answered_as_row_by_row_however_the_file_was_written(question):
    rows, predicates, columns, options, group = question
    data = _written(rows, row_group_size=group, **options)
    expected = oracle.filtered(rows, predicates)
    found = _answer(data, rows.schema, predicates)
    assert repr(found.to_pylist()) == repr(expected.to_pylist())
    assert found.schema.equals(rows.schema)
    if columns:
        assert repr(_answer(data, rows.schema, predicates, columns).to_pylist()) == repr(
            expected.select(columns).to_pylist()
        )


@with_files
@given(questions())
def test_no_row_group_is_left_out_that_holds_a_row_and_every_one_that_by_its_own_values_cannot(question):
    rows, predicates, _, _, group = question
    data = _written(rows, row_group_size=group)
    groups = [rows.slice(start, group) for start in range(0, rows.num_rows, group)]
    wanted = _wanted(data, rows.schema, predicates)
    held = [number for number, part in enumerate(groups) if oracle.filtered(part, predicates).num_rows]
    assert set(held) <= set(wanted)
    if group == 1 and not any(pa.types.is_floating(kind) for kind in rows.schema.types):
        equals = all(op not in {"!=", "not in"} for conjunction in predicates for _, op, _ in conjunction)
        assert held == wanted or not equals


NEW_YEAR = dt.datetime.fromisoformat("2024-01-01T00:00:00")
EARLY = dt.datetime.fromisoformat("1965-01-02T00:00:01")
NARROWER = (
    (pa.int64(), pa.int8(), [-5, 5, None]),
    (pa.uint64(), pa.uint8(), [0, 255, None]),
    (pa.uint64(), pa.uint64(), [0, 2**63, 2**64 - 1]),
    (pa.uint64(), pa.uint32(), [0, 2**31, 2**32 - 1]),
    (pa.float64(), pa.float32(), [1.5, float("inf"), float("nan")]),
    (pa.float64(), pa.int32(), [1, None, 3]),
    (pa.int64(), pa.float64(), [1.0, None, 3.0]),
    (pa.decimal128(38, 9), pa.decimal128(3, 2), [Decimal("1.10"), Decimal("-1.10"), None]),
    (pa.decimal128(18, 2), pa.int16(), [1, -1, None]),
    (pa.string(), pa.large_string(), ["a", "é", None]),
    (pa.string(), pa.dictionary(pa.int8(), pa.string()), ["a", "b", None]),
    (pa.binary(), pa.binary(), [b"", b"\xff", None]),
    (pa.timestamp("us"), pa.timestamp("s"), [NEW_YEAR, None]),
    (pa.timestamp("us"), pa.timestamp("ns"), [EARLY, NEW_YEAR, None]),
    (pa.timestamp("us"), pa.timestamp("us", "Europe/Berlin"), [NEW_YEAR, EARLY]),
    (pa.timestamp("us", "UTC"), pa.timestamp("us", "UTC"), [dt.datetime(2024, 7, 1, tzinfo=dt.UTC), None, None]),
    (pa.bool_(), pa.bool_(), [True, False, None]),
    (pa.time64("us"), pa.time64("us"), [dt.time(1), dt.time(2), None]),
    (pa.string(), pa.null(), [None, None, None]),
)


@pytest.mark.parametrize(("wanted", "stored", "values"), NARROWER)
@pytest.mark.parametrize("group", [1, 3])
@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is null", "is not null"])
def test_a_file_of_another_type_answers_for_the_type_of_the_dataset(wanted, stored, values, group, operator):
    data = _written(pa.table({"c": pa.array(values, stored)}), row_group_size=group)
    schema = pa.schema([("c", wanted)])
    cells = read_rows(pa.BufferReader(data), schema, ["c"], {})["c"].to_pylist()
    for asked in [cell for cell in cells if cell is not None]:
        value = {"in": [asked], "not in": [asked], "is null": None, "is not null": None}.get(operator, asked)
        expected = [cell for cell in cells if oracle.keeps({"c": cell}, [[("c", operator, value)]])]
        assert repr(_answer(data, schema, [[("c", operator, value)]])["c"].to_pylist()) == repr(expected)


def test_a_column_that_the_file_lacks_is_null_in_every_row():
    data, schema = encode_rows(pa.table({"a": [1, 2]})), pa.schema([("a", pa.int64()), ("m", pa.string())])
    assert _wanted(data, schema, [[("m", "==", "x")], [("m", "is not null", None)]]) == []
    assert _answer(data, schema, [[("m", "is null", None), ("a", ">", 1)]]).to_pylist() == [{"a": 2, "m": None}]


def test_statistics_are_found_behind_nested_columns_and_names_with_dots():
    rows = pa.table(
        {
            "s": pa.array([{"a": 9, "b": 9}, {"a": 9, "b": 9}]),
            "s.a": [1, 2],
            "m": pa.array([[("k", 9)], []], pa.map_(pa.string(), pa.int64())),
            "l": [[9], [9, 9]],
            "v": [3, 4],
        }
    )
    data = _written(rows, row_group_size=1)
    schema = pa.schema([("v", pa.int64()), ("s.a", pa.int64())])
    assert _wanted(data, schema, [[("v", "==", 4)]]) == [1]
    assert _wanted(data, schema, [[("s.a", "==", 1)]]) == [0]


def test_a_text_too_long_for_statistics_is_found():
    rows = pa.table({"s": ["x" * 5000, "a", None]})
    data = _written(rows, row_group_size=1)
    assert _answer(data, rows.schema, [[("s", "like", "xx%")]]).num_rows == 1
    assert _wanted(data, rows.schema, [[("s", "==", "zz")]]) == [0]


def test_unequal_never_leaves_out_nan_or_a_group_with_nulls():
    rows = pa.table({"f": [1.0, math.nan, 1.0, 1.0], "s": ["a", None, "a", "a"]})
    data = _written(rows, row_group_size=2)
    assert _wanted(data, rows.schema, [[("f", "!=", 1.0)]]) == [0, 1]
    assert _wanted(data, rows.schema, [[("s", "!=", "a")]]) == [0]
    assert _wanted(data, rows.schema, [[("s", "not in", ["a", "b"])]]) == [0]
    assert math.isnan(_answer(data, rows.schema, [[("f", "not in", [1.0])]])["f"][0].as_py())


def test_moments_beyond_those_of_python_are_compared():
    moments = pa.array([2**62, 0, -(2**62)], pa.int64()).cast(pa.timestamp("us"))
    days = pa.array([10**8, 0, -(10**8)], pa.int32()).cast(pa.date32())
    rows = pa.table({"t": moments, "d": days})
    data = _written(rows, row_group_size=1)
    assert _wanted(data, rows.schema, [[("t", ">", "9000-01-01")]]) == [0]
    assert _wanted(data, rows.schema, [[("d", "<", "1900-01-01")]]) == [2]


def test_a_column_twice_in_a_file_is_refused():
    rows = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(UserError, match="column twice") as caught:
        _answer(_written(rows), pa.schema([("a", pa.int64())]), [[("a", "==", 1)]])
    assert caught.value.code == "dataset.format"


def test_columns_are_read_only_of_row_groups_with_hits(monkeypatch):
    rows = pa.table({"a": [1, 9, 2, 3, 9, 4], "b": list("uvwxyz")})
    data = _written(rows, row_group_size=2)
    read, read_row_groups = [], pq.ParquetFile.read_row_groups
    monkeypatch.setattr(
        pq.ParquetFile,
        "read_row_groups",
        lambda file, groups, **how: read.append((groups, how["columns"])) or read_row_groups(file, groups, **how),
    )
    assert _answer(data, rows.schema, [[("a", "in", [2, 5])]]).to_pylist() == [{"a": 2, "b": "w"}]
    assert read == [([0, 1, 2], ["a"]), ([1], ["b"])]
