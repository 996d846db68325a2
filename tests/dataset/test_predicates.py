import datetime as dt
import pickle
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.files.predicates import bind_predicates, mask_of
from component.errors import UserError
from tests.dataset import oracle
from tests.dataset.making import with_files
from tests.strategies.typed_tables import tables

SCHEMA = pa.schema(
    [
        ("i", pa.int64()),
        ("f", pa.float64()),
        ("n", pa.decimal128(12, 2)),
        ("s", pa.string()),
        ("b", pa.bool_()),
        ("d", pa.date32()),
        ("t", pa.timestamp("us")),
        ("tz", pa.timestamp("us", "UTC")),
        ("none", pa.null()),
        ("list", pa.list_(pa.int64())),
    ]
)


def _kept(rows, bound):
    return rows.filter(mask_of(bound, rows))


questions = tables(max_rows=10).flatmap(lambda rows: st.tuples(st.just(rows), oracle.predicates(rows)))


@with_files
@given(questions)
def test_rows_are_kept_as_sql_says(question):
    rows, predicates = question
    kept = _kept(rows, bind_predicates(predicates, rows.schema))
    assert repr(kept.to_pylist()) == repr(oracle.filtered(rows, predicates).to_pylist())


@with_files
@given(questions)
def test_bound_predicates_travel_to_the_workers(question):
    rows, predicates = question
    bound = pickle.loads(pickle.dumps(bind_predicates(predicates, rows.schema)))
    assert repr(_kept(rows, bound).to_pylist()) == repr(oracle.filtered(rows, predicates).to_pylist())


@pytest.mark.parametrize(
    ("column", "value", "bound"),
    [
        ("i", "5", 5),
        ("i", 5.0, 5),
        ("f", 1, 1.0),
        ("f", "1e3", 1000.0),
        ("n", "1.5", Decimal("1.50")),
        ("n", 1.5, Decimal("1.50")),
        ("n", 2, Decimal("2.00")),
        ("s", "", ""),
        ("b", False, False),
        ("d", "2024-01-01", dt.date(2024, 1, 1)),
        ("d", dt.date(2024, 1, 1), dt.date(2024, 1, 1)),
        ("t", "2024-01-01T05:00:00.5", dt.datetime.fromisoformat("2024-01-01T05:00:00.500000")),
        ("t", "2024-01-01", dt.datetime.fromisoformat("2024-01-01")),
        ("tz", "2024-01-01T00:00:00Z", dt.datetime.fromisoformat("2024-01-01T00:00:00+00:00")),
    ],
)
def test_a_value_is_read_as_the_type_of_its_column(column, value, bound):
    assert bind_predicates([[(column, "==", value)]], SCHEMA)[0][0].value.as_py() == bound
    assert bind_predicates([[(column, "in", [value])]], SCHEMA)[0][0].value.to_pylist() == [bound]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("i", 1.5),
        ("i", "x"),
        ("i", True),
        ("i", None),
        ("i", 2**63),
        ("f", True),
        ("f", 2**53 + 1),
        ("n", "1.555"),
        ("n", 10**10),
        ("n", float("nan")),
        ("s", 1),
        ("s", b"x"),
        ("b", "true"),
        ("b", 1),
        ("d", "2024-13-01"),
        ("d", "2024-01-01T05:00:00"),
        ("d", dt.datetime.fromisoformat("2024-01-01T05:00:00")),
        ("d", 1),
        ("t", 1),
        ("t", "noon"),
        ("t", dt.datetime.fromisoformat("2024-01-01T05:00:00+02:00")),
        ("s", ["a"]),
        ("s", {"a": 1}),
        ("list", [1]),
    ],
)
def test_a_value_that_is_not_exactly_one_of_the_type_is_refused(column, value):
    for predicate in ((column, "==", value), (column, "in", [value])):
        with pytest.raises(UserError) as caught:
            bind_predicates([[predicate]], SCHEMA)
        assert (caught.value.code, caught.value.place.column) == ("dataset.predicate", column)


@pytest.mark.parametrize(
    "predicates",
    [[], [[]], [[("i", "==", 1)], []], [[("i", "==")]], [("i", "==", 1)], [[("i", "=", 1)]], [[("i", "in", 1)]]],
)
def test_what_is_no_predicate_is_refused(predicates):
    with pytest.raises(UserError) as caught:
        bind_predicates(predicates, SCHEMA)
    assert caught.value.code == "dataset.predicate"


def test_an_unknown_column_is_named_with_those_there_are():
    with pytest.raises(UserError, match="i, f, n") as caught:
        bind_predicates([[("x", "==", 1)]], SCHEMA)
    assert (caught.value.code, caught.value.place.column) == ("column.missing", "x")


@pytest.mark.parametrize(("operator", "value"), [("==", 1), ("!=", "x"), ("in", [1]), ("not in", []), ("<", 2)])
def test_no_row_is_kept_by_a_column_that_has_no_values_yet(operator, value):
    rows = pa.table({"none": pa.nulls(3)})
    bound = bind_predicates([[("none", operator, value)]], rows.schema)
    assert _kept(rows, bound).num_rows == 0


FLOATS = pa.table({"f": [0.0, -0.0, 1.0, float("nan"), None]})


@pytest.mark.parametrize(
    ("operator", "value", "kept"),
    [
        ("==", 0.0, [0, 1]),
        ("in", [0.0], [0, 1]),
        ("in", [-0.0, 1.0], [0, 1, 2]),
        ("not in", [-0.0], [2, 3]),
        ("!=", 0.0, [2, 3]),
        ("==", float("nan"), []),
        ("in", [float("nan")], []),
        ("not in", [float("nan"), 1.0], [0, 1, 3]),
        ("!=", float("nan"), [0, 1, 2, 3]),
        (">=", -0.0, [0, 1, 2]),
    ],
)
def test_both_zeros_are_equal_and_nan_equals_nothing_in_rows_and_in_partition_values(operator, value, kept):
    bound = bind_predicates([[("f", operator, value)]], FLOATS.schema)
    rows = FLOATS.append_column("row", pa.array(range(5)))
    assert _kept(rows, bound)["row"].to_pylist() == kept
    held = [number for number, cell in enumerate(FLOATS["f"].to_pylist()[:4]) if bound[0][0].test()(cell)]
    assert held == kept


def test_only_operators_that_name_values_ask_an_index():
    operators = ("==", "in", "<", "<=", ">", ">=", "!=", "not in")
    bound = bind_predicates([[("i", operator, [1] if "in" in operator else 1) for operator in operators]], SCHEMA)
    assert [condition.operator for condition in bound[0] if condition.indexable] == list(operators[:6])


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (("s", "like", "a%b%"), "one % at its end"),
        (("s", "like", "a_%"), "one % at its end"),
        (("s", "like", "abc"), "one % at its end"),
        (("s", "like", 1), "one % at its end"),
        (("i", "like", "1%"), "`like` is for text, not for int64"),
        (("i", "is null", 1), "Give a value of type null"),
    ],
)
def test_a_like_of_more_than_a_beginning_and_a_null_with_a_value_are_refused(condition, text):
    with pytest.raises(UserError) as caught:
        bind_predicates([[condition]], SCHEMA)
    assert caught.value.code == "dataset.predicate"
    assert text in str(caught.value)


@pytest.mark.parametrize("name", SCHEMA.names)
def test_nulls_of_every_type_are_found(name):
    rows = pa.table({name: pa.nulls(2, SCHEMA.field(name).type)})
    assert _kept(rows, bind_predicates([[(name, "is null", None)]], rows.schema)).num_rows == 2
    assert _kept(rows, bind_predicates([[(name, "is not null", None)]], rows.schema)).num_rows == 0


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (("s", "==", 7), 'in quotes: "7"'),
        (("i", "==", None), "Ask `is null` or `is not null`"),
        (("i", "in", [1, None]), "Ask `is null` or `is not null`"),
        (("i", "==", 1.5), "Give a value of type int64."),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_how_to_give_one(condition, text):
    with pytest.raises(UserError) as caught:
        bind_predicates([[condition]], SCHEMA)
    assert caught.value.code == "dataset.predicate"
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("data_type", "text"),
    [
        (pa.bool_(), "true or false"),
        (pa.date32(), "as 2024-01-31."),
        (pa.timestamp("us"), "as 2024-01-31T12:30:00, without a zone"),
        (pa.timestamp("us", "UTC"), "as 2024-01-31T12:30:00Z."),
        (pa.decimal128(10, 2), "at most 2 digits after the point"),
    ],
)
def test_a_text_that_is_no_value_of_a_type_is_refused_with_an_example(data_type, text):
    with pytest.raises(UserError) as caught:
        bind_predicates([[("v", "==", "x")]], pa.schema([("v", data_type)]))
    assert text in str(caught.value)
