import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.files.fragment import decode_fragment, encode_fragment, fragment_of_files, fragment_of_index
from component.dataset.indices import index
from component.dataset.indices.index import build_index
from tests.dataset.making import with_files
from tests.dataset.oracle import index_of
from tests.strategies.typed_tables import TYPES, columns


@st.composite
def indexed(draw):
    """A type, and some writers' files: label → cells."""
    data_type = draw(st.sampled_from(TYPES))
    writers = []
    for writer in range(draw(st.integers(0, 3))):
        files = {}
        for number in range(draw(st.integers(0, 3))):
            files[f"k={number}/{writer}"] = draw(columns(data_type, draw(st.integers(0, 8))))
        writers.append(files)
    return data_type, writers


def _index_type(data_type):
    return pa.large_string() if pa.types.is_string(data_type) else data_type


def _content(data):
    table = pq.read_table(pa.BufferReader(data))
    return [(value, sorted(labels)) for value, labels in zip(*table.to_pydict().values(), strict=True)]


@with_files
@given(indexed(), st.sampled_from([1, 2, 3, 1000]))
def test_an_index_built_in_any_number_of_passes_is_the_dictionary_of_its_values_in_order(case, pairs_per_pass):
    data_type, writers = case
    fragments = [
        decode_fragment(encode_fragment(fragment_of_files(list(files.items()), _index_type(data_type))))
        for files in writers
    ]
    built = build_index("c", _index_type(data_type), fragments, pairs_per_pass=pairs_per_pass)
    files = {label: cells.to_pylist() for files in writers for label, cells in files.items()}
    expected = sorted(index_of(files).items(), key=lambda pair: pair[0])
    assert _content(built.data) == expected
    assert built.values == len(expected)


@with_files
@given(indexed())
def test_a_fragment_of_an_index_builds_the_same_index_without_labels_that_are_gone(case):
    data_type, writers = case
    fragments = [fragment_of_files(list(files.items()), _index_type(data_type)) for files in writers]
    table = pq.read_table(pa.BufferReader(build_index("c", _index_type(data_type), fragments).data))
    files = {label: cells.to_pylist() for files in writers for label, cells in files.items()}
    live = {label: cells for label, cells in files.items() if not label.startswith("k=0")}
    again = build_index("c", _index_type(data_type), [fragment_of_index(table, "c", live, _index_type(data_type))])
    assert _content(again.data) == sorted(index_of(live).items(), key=lambda pair: pair[0])


def test_both_zeros_are_one_value_and_nan_is_none():
    cells = pa.array([0.0, -0.0, float("nan"), None, 1.0])
    assert _content(build_index("c", pa.float64(), [fragment_of_files([("l", cells)], pa.float64())]).data) == [
        (0.0, ["l"]),
        (1.0, ["l"]),
    ]


def test_an_index_of_no_files_is_an_empty_file_of_the_right_types():
    file = pq.ParquetFile(pa.BufferReader(build_index("c", pa.large_string(), []).data))
    assert file.metadata.num_rows == 0
    assert file.schema_arrow.field("c").type == pa.large_string()
    assert file.schema_arrow.field("partition").type == pa.list_(pa.string())


def test_row_groups_are_bounded_by_values_and_by_labels(monkeypatch):
    monkeypatch.setattr(index, "ROW_GROUP_VALUES", 10)
    monkeypatch.setattr(index, "ROW_GROUP_LABELS", 6)
    files = [(f"l{number}", pa.array([1, 2, number + 10])) for number in range(8)]
    data = build_index("c", pa.int64(), [fragment_of_files(files, pa.int64())]).data
    metadata = pq.read_metadata(pa.BufferReader(data))
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [1, 1, 6, 2]
    labels = sorted(f"l{number}" for number in range(8))
    assert _content(data) == [(1, labels), (2, labels), *((number + 10, [f"l{number}"]) for number in range(8))]


def test_row_groups_have_statistics_and_no_pandas_metadata():
    data = build_index("c", pa.int64(), [fragment_of_files([("l", pa.array([3, 1]))], pa.int64())]).data
    file = pq.ParquetFile(pa.BufferReader(data))
    chunk = file.metadata.row_group(0).column(0)
    assert (chunk.statistics.min, chunk.statistics.max, chunk.compression) == (1, 3, "SNAPPY")
    assert file.schema_arrow.metadata is None
