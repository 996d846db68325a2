import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.files.bounds import UNKNOWN, Bounds, check_of
from component.dataset.files.comparable import comparable, family
from component.dataset.files.predicates import bind_predicates
from tests.dataset import oracle
from tests.dataset.making import with_files
from tests.strategies.typed_tables import TYPES, columns


@st.composite
def questions(draw):
    data_type = draw(st.sampled_from(TYPES))
    rows = pa.table({"c": draw(columns(data_type, draw(st.integers(1, 6))))})
    bound = bind_predicates(
        [[draw(st.sampled_from(conjunction))] for conjunction in draw(oracle.predicates(rows))], rows.schema
    )
    return rows, bound, draw(_bounds(rows))


def _bounds(rows):
    """Bounds as a writer may state them: exact, cut short (texts), wider than the values, or none; nulls or not."""
    cells = [cell for cell in rows["c"].drop_null() if cell.as_py() == cell.as_py()]
    nulls = st.sampled_from([None, rows["c"].null_count])
    if not cells:
        return nulls.map(lambda count: Bounds(rows.num_rows, count, None, None))
    values = sorted(comparable(cell) for cell in cells)
    cut = [(values[0], values[-1]), (None, None)]
    if family(rows["c"].type) == "text":
        cut += [(values[0][:1], values[-1][:1] + b"\xff"), (b"", values[-1] + b"\x00")]
    return st.builds(lambda count, ends: Bounds(rows.num_rows, count, *ends), nulls, st.sampled_from(cut))


@with_files
@given(questions())
def test_a_condition_is_never_ruled_out_where_it_is_true_of_a_row(question):
    rows, bound, bounds = question
    for (condition,) in bound:
        mask = condition.mask(rows["c"])
        is_true = bool(pa.compute.any(mask).as_py())
        assert check_of(condition)(bounds) or not is_true
        assert check_of(condition)(UNKNOWN)


def test_of_rows_that_are_all_null_only_nulls_are_found():
    schema = pa.schema([("c", pa.int64())])
    empty = Bounds(3, 3, None, None)
    asked = [("==", 1), ("!=", 1), ("<", 1), ("in", [1]), ("not in", [1]), ("is not null", None), ("is null", None)]
    held = [check_of(bind_predicates([[("c", *one)]], schema)[0][0])(empty) for one in asked]
    assert held == [False] * 6 + [True]
