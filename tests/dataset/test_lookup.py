import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.files.fragment import fragment_of_files
from component.dataset.files.predicates import bind_predicates
from component.dataset.indices import index
from component.dataset.indices.index import build_index
from component.dataset.indices.lookup import index_parts, labels_where, lookup, read_embedded, read_index
from component.errors import UserError
from tests.dataset import oracle
from tests.dataset.making import with_files
from tests.strategies.typed_tables import TYPES, columns


def _conditions(column, data_type, *asked):
    schema = pa.schema([(column, data_type)])
    return [bind_predicates([[(column, operator, value)]], schema)[0][0] for operator, value in asked]


def _built(data_type, files, monkeypatch=None, group=None):
    if monkeypatch is not None:
        monkeypatch.setattr(index, "ROW_GROUP_VALUES", group)
    kind = pa.large_string() if pa.types.is_string(data_type) else data_type
    return build_index("c", kind, [fragment_of_files(list(files.items()), kind)]).data


@st.composite
def questions(draw):
    data_type = draw(st.sampled_from(TYPES))
    files = {f"l{n}": draw(columns(data_type, draw(st.integers(0, 5)))) for n in range(draw(st.integers(0, 4)))}
    rows = pa.table({"c": pa.concat_arrays([pa.array([], data_type), *files.values()])})
    conditions = [c for conjunction in draw(oracle.predicates(rows)) for c in conjunction]
    return data_type, files, [c for c in conditions if c[1] not in {"!=", "not in", "is null", "is not null"}]


@with_files
@given(questions(), st.sampled_from([1, 2, 10_000]))
def test_a_lookup_finds_exactly_the_files_with_a_row_that_is_wanted(question, group):
    data_type, files, conditions = question
    with pytest.MonkeyPatch.context() as patch:
        data = _built(data_type, files, patch, group)
    found = lookup(
        pa.BufferReader(data), "c", _conditions("c", data_type, *((op, value) for _, op, value in conditions))
    )
    expected = [
        {
            label
            for label, cells in files.items()
            if any(oracle.keeps({"c": cell}, [[asked]]) for cell in cells.to_pylist())
        }
        for asked in conditions
    ]
    assert found == expected


@pytest.mark.parametrize(("most", "pieces"), [(1, 10), (30, 4), (1000, 1)])
def test_an_index_is_read_in_pieces_of_bounded_labels(monkeypatch, most, pieces):
    data = _built(pa.int64(), {f"l{number}": pa.array([number]) for number in range(100)}, monkeypatch, 10)
    monkeypatch.setattr("component.dataset.indices.lookup.PART_LABELS", most)
    parts = list(index_parts(pa.BufferReader(data), "c"))
    assert len(parts) == pieces
    assert pa.concat_tables(parts) == read_index(pa.BufferReader(data), "c")


def test_an_index_of_another_type_is_refused():
    asked = _conditions("c", pa.int64(), ("==", 1))
    with pytest.raises(UserError) as caught:
        lookup(_file(pa.table({"c": ["x"], "partition": [["l1"]]})), "c", asked)
    assert (caught.value.code, caught.value.place.column) == ("dataset.format", "c")


def test_a_lookup_reads_only_the_row_groups_that_may_hold_the_value(monkeypatch):
    files = {f"l{number}": pa.array([number]) for number in range(100)}
    data = _built(pa.int64(), files, monkeypatch, 10)
    read = []
    groups_read = pq.ParquetFile.read_row_groups
    monkeypatch.setattr(
        pq.ParquetFile, "read_row_groups", lambda f, groups, **how: read.append(groups) or groups_read(f, groups, **how)
    )
    asked = _conditions("c", pa.int64(), ("==", 55), ("in", [3, 97]), ("<", 2), (">=", 98))
    assert lookup(pa.BufferReader(data), "c", asked) == [{"l55"}, {"l3", "l97"}, {"l0", "l1"}, {"l98", "l99"}]
    assert read == [[0, 5, 9], [0, 5, 9]]  # the values, and then the labels


def _file(table, **options):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return pa.BufferReader(sink.getvalue())


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"c": ["a", "b"], "partition": [["l1"], ["l2"]]}),
        pa.table({"partition": [["l2"], ["l1"]], "more": [1, 2], "c": pa.array(["b", "a"], pa.large_string())}),
        pa.table({"c": ["a", None, "b"], "partition": [["l1"], ["l9"], ["l2"]]}),
        pa.table({"c": ["a", "b", "a"], "partition": [["l1"], ["l2"], ["l1"]]}),
        pa.table({"c": ["a", "b"], "partition": pa.array([["l1"], ["l2"]], pa.large_list(pa.large_string()))}),
    ],
)
@pytest.mark.parametrize("options", [{}, {"write_statistics": False}, {"store_schema": False}, {"row_group_size": 1}])
def test_an_index_that_another_client_wrote_is_read(table, options):
    asked = _conditions("c", pa.string(), ("==", "a"), ("in", ["b"]), (">", "zz"))
    assert lookup(_file(table, **options), "c", asked) == [{"l1"}, {"l2"}, set()]


def test_values_that_stand_twice_are_united():
    table = pa.table({"c": [1, 1], "partition": [["l1"], ["l2"]]})
    assert lookup(_file(table), "c", _conditions("c", pa.int64(), ("==", 1))) == [{"l1", "l2"}]


def test_an_index_of_a_narrow_type_answers_for_values_beyond_it():
    table = pa.table({"c": pa.array([1], pa.int32()), "partition": [["l1"]]})
    asked = _conditions("c", pa.int64(), ("==", 2**40), ("<", 2**40))
    assert lookup(_file(table), "c", asked) == [set(), {"l1"}]


def test_dates_beyond_those_of_python_are_looked_at_one_by_one():
    far = pa.array([0, 10**8], pa.int32()).cast(pa.date32())
    table = pa.table({"c": far, "partition": [["l1"], ["l2"]]})
    assert lookup(_file(table), "c", _conditions("c", pa.date32(), (">", "9000-01-01"))) == [{"l2"}]


@pytest.mark.parametrize(
    ("data_type", "values", "asked"),
    [
        (pa.int64(), {"1": ["l1"], "2": ["l1", "l2"]}, ("==", 2)),
        (pa.int64(), {1: ["l1"], 2: ["l1", "l2"]}, (">", 1)),
        (pa.string(), {"a": ["l1"], "b": ["l1", "l2"]}, ("==", "b")),
        (pa.float64(), {"1.0": ["l1"], "2.5": ["l1", "l2"]}, ("==", 2.5)),
        (pa.bool_(), {"False": ["l1"], "True": ["l1", "l2"]}, ("==", True)),
        (pa.date32(), {"2024-01-01": ["l1"], "2024-01-02": ["l1", "l2"]}, ("==", "2024-01-02")),
        (
            pa.timestamp("us"),
            {"2024-01-01 00:00:00": ["l1"], "2024-01-02T00:00:00.000000000": ["l1", "l2"]},
            (">", "2024-01-01"),
        ),
    ],
)
def test_an_index_embedded_in_the_header_gets_its_type_back(data_type, values, asked):
    table = read_embedded(values, "c", data_type)
    assert table["c"].type == data_type
    assert labels_where(table, _conditions("c", data_type, asked)) == [{"l1", "l2"}]


def test_an_embedded_value_of_another_type_is_refused():
    with pytest.raises(UserError) as caught:
        read_embedded({"x": ["l1"]}, "c", pa.int64())
    assert caught.value.code == "dataset.format"


def test_a_whole_index_is_read_without_what_else_is_in_its_file():
    table = pa.table({"partition": [["l2"]], "more": [1], "c": ["b"]})
    assert read_index(_file(table), "c").to_pydict() == {"c": ["b"], "partition": [["l2"]]}


@pytest.mark.parametrize(
    "file", [pa.BufferReader(b"no Parquet"), _file(pa.table({"c": [1]})), _file(pa.table({"x": [1]}))]
)
def test_a_file_that_is_no_index_is_refused_with_its_column(file):
    with pytest.raises(UserError) as caught:
        lookup(file, "c", _conditions("c", pa.int64(), ("==", 1)))
    assert (caught.value.code, caught.value.place.column) == ("dataset.format", "c")
