import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.files import fragment
from component.dataset.files.fragment import decode_fragment, encode_fragment, fragment_of_files, fragment_of_index
from component.dataset.indices.index import Merge
from tests.dataset.making import with_files
from tests.dataset.oracle import index_of
from tests.strategies.typed_tables import TYPES, columns


def test_values_that_stand_twice_in_an_index_are_united_and_nulls_left_out():
    table = pa.table({"c": [2, 1, 2, None, 3], "partition": [["b"], ["a"], ["a", "a", "gone"], ["a"], None]})
    found = fragment_of_index(table, "c", ["a", "b"], pa.int64())
    assert (found.values.to_pylist(), [found.labels[p] for p in found.positions.to_pylist()]) == (
        [1, 2, 2],
        ["a", "a", "b"],
    )


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.string_view())])
def test_labels_of_any_list_type_are_read(kind):
    table = pa.table({"c": pa.array(["x"]), "partition": pa.array([["a", "b"]], kind)})
    found = fragment_of_index(table, "c", ["b", "a"], pa.large_string())
    assert (found.values.to_pylist(), found.positions.to_pylist()) == (["x", "x"], [0, 1])


def test_a_fragment_comes_back_from_its_bytes_whatever_its_batches(monkeypatch):
    monkeypatch.setattr(fragment, "BATCH_PAIRS", 2)
    found = fragment_of_files([("a", pa.array([3, 1, 2])), ("b", pa.array([2, None]))], pa.int64())
    assert decode_fragment(encode_fragment(found)) == found
    assert pa.ipc.open_file(encode_fragment(found)).num_record_batches == 2
    empty = fragment_of_files([], pa.string())
    assert decode_fragment(encode_fragment(empty)) == empty


@with_files
@given(st.data(), st.integers(1, 4), st.integers(1, 5))
def test_fragments_of_small_batches_are_merged_in_passes_as_a_dictionary_would_be(data, batch, pairs):
    kind = data.draw(st.sampled_from(TYPES))
    labels = st.sampled_from(["a", "b", "c"])
    writers = data.draw(st.lists(st.dictionaries(labels, columns(kind, 6), max_size=3), max_size=3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fragment, "BATCH_PAIRS", batch)
        merge = Merge(kind, [encode_fragment(fragment_of_files(list(files.items()), kind)) for files in writers])
        found = [
            (value, [merge.labels[int(place)].as_py() for place in merged.places[start:stop]])
            for merged in merge.passes(pairs)
            for value, start, stop in zip(
                merged.values.to_pylist(), merged.offsets[:-1], merged.offsets[1:], strict=True
            )
        ]
    files = {label: [] for label in "abc"}
    for label, cells in ((label, cells) for writer in writers for label, cells in writer.items()):
        files[label] += cells.to_pylist()
    assert [(value, sorted(names)) for value, names in found] == sorted(index_of(files).items())
    assert all(len(names) == len(set(names)) for _, names in found)
