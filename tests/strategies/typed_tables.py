"""Arrow tables of the seven column types, nulls and the values at the edges of each type included."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Context, Decimal

import pyarrow as pa
from hypothesis import strategies as st

NUMERIC_LENGTHS = ((38, 9), (38, 0), (12, 2), (18, 4), (5, 5), (1, 0))
PLAIN_TYPES = (pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("us"))
TYPES = (*PLAIN_TYPES, *(pa.decimal128(*length) for length in NUMERIC_LENGTHS))
PARTITION_TYPES = (pa.string(), pa.int64(), pa.float64(), pa.date32(), pa.timestamp("us"))
"""Types that may be partition keys."""

NAMES = ("a", "b", "a.b", "a b", "ä", "A", "x=y", "x/y", "100%", "__index", "list", "value", "position", '"q"', "0")
"""Column names that keys, paths, and dotted Parquet paths could stumble over."""

_CHARACTERS = st.one_of(st.sampled_from('ab /=%+."\n\t\x01é😀~'), st.characters(exclude_categories=["Cs"]))
texts = st.one_of(
    st.text(_CHARACTERS, max_size=6),
    st.sampled_from(["", "a/b", "é=%", " x ", "%2F", "None", "nan", "..", "__HIVE_DEFAULT_PARTITION__"]),
)
floats = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, float("nan"), float("inf"), -float("inf"), 5e-324]))


def values(data_type: pa.DataType) -> st.SearchStrategy:
    """Values of a type, never null; few distinct ones, so that they meet again."""
    if pa.types.is_decimal(data_type):
        largest = 10**data_type.precision - 1
        scaled = st.one_of(st.integers(-3, 3), st.sampled_from([largest, -largest]), st.integers(-largest, largest))
        return scaled.map(lambda number: Decimal(number).scaleb(-data_type.scale, _EXACT))
    return _VALUES[data_type]


_EXACT = Context(prec=50)
_VALUES = {
    pa.string(): texts,
    pa.int64(): st.one_of(st.integers(-2, 2), st.integers(-(2**63), 2**63 - 1)),
    pa.float64(): floats,
    pa.bool_(): st.booleans(),
    pa.date32(): st.one_of(st.dates(), st.sampled_from([dt.date(2024, 1, 1), dt.date(1, 1, 1), dt.date(9999, 12, 31)])),
    pa.timestamp("us"): st.one_of(
        st.datetimes().map(lambda moment: moment.replace(fold=0)),
        st.just(dt.datetime.fromisoformat("2024-01-01T12:34:56.123456")),
    ),
}


def _may_be_partition(value: object) -> bool:
    return value == value and not (isinstance(value, str) and "\0" in value)  # noqa: PLR0124 - NaN is not itself


def columns(data_type: pa.DataType, rows: int, *, nulls: bool = True) -> st.SearchStrategy[pa.Array]:
    """A column of so many rows, drawn from a few distinct values; without nulls, of values that partitions may have."""
    one = values(data_type) if nulls else values(data_type).filter(_may_be_partition)
    few = st.lists(one, min_size=1, max_size=4).map(lambda found: [None, *found] if nulls else found)
    return few.flatmap(
        lambda found: st.lists(st.sampled_from(found), min_size=rows, max_size=rows).map(
            lambda cells: pa.array(cells, data_type)
        )
    )


@st.composite
def tables(
    draw: st.DrawFn, *, keys: int = 0, least: int = 1, most: int = 4, max_rows: int = 12, types: Sequence = TYPES
) -> pa.Table:
    """A table whose first `keys` columns may be partition keys (no nulls, types that may be), and then others."""
    names = draw(st.permutations(NAMES))
    names = [*sorted(names[:keys], key=lambda name: "/" in name), *names[keys:]]
    if keys and "/" in names[keys - 1]:  # the name of no partition key
        names[keys - 1], names[-1] = names[-1], names[keys - 1]
    rows = draw(st.integers(0, max_rows))
    count = keys + draw(st.integers(least, most))
    found = {}
    for number, name in enumerate(names[:count]):
        is_key = number < keys
        data_type = draw(st.sampled_from(PARTITION_TYPES if is_key else types))
        found[name] = draw(columns(data_type, rows, nulls=not is_key))
    return pa.table(found)
