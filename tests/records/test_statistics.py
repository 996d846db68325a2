from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.records.schema_models import Constraints, Field, FieldType
from component.records.statistics import FieldStatistics, merged, statistics_of, with_statistics

TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
VALUES = {
    pa.string(): TEXTS,
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(),
    pa.decimal128(38, 9): st.decimals(-(10**28), 10**28, places=9),
    pa.bool_(): st.booleans(),
}
COLUMNS = st.sampled_from(list(VALUES)).flatmap(
    lambda kind: st.lists(st.none() | VALUES[kind], max_size=8).map(lambda values: pa.array(values, kind))
)


def oracle(values):
    known = [value for value in values.to_pylist() if value is not None]
    nulls = len(values) - len(known)
    if pa.types.is_string(values.type):
        lengths = [(len(text), len(text.encode())) for text in known]
        chars, size = (max((one[at] for one in lengths), default=None) for at in (0, 1))
        return FieldStatistics(len(values), chars, size, nulls=nulls)
    if pa.types.is_boolean(values.type):
        return FieldStatistics(len(values), nulls=nulls)
    finite = [value for value in known if not isinstance(value, float) or abs(value) < float("inf")]
    return FieldStatistics(len(values), None, None, min(finite, default=None), max(finite, default=None), nulls)


@given(COLUMNS)
def test_statistics_are_those_of_the_values(values):
    assert FieldStatistics.of(values) == oracle(values)


@given(COLUMNS, st.integers(0, 8), st.integers(0, 8))
def test_parts_in_any_order_give_those_of_the_whole(values, one, other):
    first, second = sorted((min(one, len(values)), min(other, len(values))))
    pieces = [values[:first], values[first:second], values[second:]]
    parts = [[FieldStatistics.of(piece)] for piece in pieces]
    assert merged(parts, 1) == merged(parts[::-1], 1) == (FieldStatistics.of(values),)


def test_no_file_is_no_rows():
    assert merged([], 2) == (FieldStatistics(), FieldStatistics())


def test_a_table_has_statistics_of_each_column_also_in_chunks():
    table = pa.table({"a": pa.chunked_array([[1, 2], [3]]), "b": ["x", "äöü", None]})
    assert statistics_of(table) == (FieldStatistics(3, None, None, 1, 3), FieldStatistics(3, 3, 6, nulls=1))


@pytest.mark.parametrize(
    ("kind", "seen", "written"),
    [
        ("integer", FieldStatistics(3, min=-(2**63), max=5), {"min": "-9223372036854775808", "max": "5"}),
        (
            "decimal",
            FieldStatistics(3, min=Decimal("1E-9"), max=Decimal("2.50")),
            {"min": "0.000000001", "max": "2.50"},
        ),
        ("decimal", FieldStatistics(3, min=0.1, max=1.5e300), {"min": "0.1", "max": "1.5e+300"}),
        ("string", FieldStatistics(3, 3, 6), {"max_length_bytes": 6, "max_length_chars": 3}),
        ("string", FieldStatistics(3), {}),
    ],
)
def test_what_is_written_of_them(kind, seen, written):
    field = with_statistics(Field("c", FieldType(kind)), seen)
    assert field.statistics == {"rows_sampled": 3, "total_rows": 3, **written}


@pytest.mark.parametrize("kind", ["boolean", "date", "time", "timetz", "datetime", "datetimetz"])
def test_other_types_have_none(kind):
    assert with_statistics(Field("c", FieldType(kind)), FieldStatistics(3, 8, 8)).statistics is None


def test_constraints_that_rows_of_another_source_break_are_not_written():
    kept = Field("c", FieldType.INTEGER, constraints=Constraints(required=True, min=0, max=9))
    assert with_statistics(kept, FieldStatistics(1, min=0, max=9)).constraints == kept.constraints
    assert with_statistics(kept, FieldStatistics(1, min=0, max=10)).constraints == Constraints(required=True)
    text = Field("c", FieldType.STRING, constraints=Constraints(max_length_bytes=9, max_length_chars=3))
    assert with_statistics(text, FieldStatistics(1, 4, 8)).constraints == Constraints(max_length_bytes=9)


@pytest.mark.parametrize(
    ("seen", "kept"),
    [
        (FieldStatistics(2, min=Decimal(0), max=Decimal(2**64 - 1)), (True, 0, 2**64 - 1)),
        (FieldStatistics(2, min=Decimal(-1), max=Decimal(1)), (True, None, None)),
        (FieldStatistics(2, min=0, max=1, nulls=1), (False, 0, 2**64 - 1)),
        (FieldStatistics(2, nulls=2), (False, 0, 2**64 - 1)),
        (FieldStatistics(), (True, 0, 2**64 - 1)),
    ],
)
def test_what_must_be_there_and_bounds_stay_while_rows_keep_to_them(seen, kept):
    constraints = Constraints(required=True, min=0, max=2**64 - 1)
    found = with_statistics(Field("n", FieldType.INTEGER, constraints=constraints), seen).constraints
    assert (found.required, found.min, found.max) == kept
