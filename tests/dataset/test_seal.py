import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.format.seal import MARK, SealedFile, lost_seal, open_parquet, seal
from component.errors import UserError

VALUES = st.lists(st.tuples(st.integers(-5, 5), st.text(max_size=5), st.lists(st.integers(0, 3), max_size=3)))
SCHEMA = pa.schema(
    [("a", pa.int64()), ("a.b", pa.string()), ("c", pa.list_(pa.int64())), ("d", pa.struct([("e", pa.int64())]))]
)


def table_of(values):
    columns = [[value[position] for value in values] for position in range(3)]
    return pa.table([*columns, [{"e": value[0]} for value in values]], schema=SCHEMA)


def parquet_of(table, **options):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def opened(data):
    return open_parquet(pa.BufferReader(data))


def test_a_footer_that_the_writer_knows_makes_the_same_seal():
    sink, footers = pa.BufferOutputStream(), []
    pq.write_table(
        pa.table({"a": [1, None, 3], "b": ["x", "y", None]}), sink, row_group_size=2, metadata_collector=footers
    )
    data = sink.getvalue()
    assert seal(data, footers[0]).equals(seal(data))


@given(
    VALUES,
    st.integers(1, 4),
    st.sets(st.sampled_from(SCHEMA.names)),
    st.sampled_from(["snappy", "none"]),
    st.randoms(use_true_random=False),
)
def test_any_columns_of_any_row_groups_read_as_from_the_file_without_checksums(
    values, group_rows, columns, compression, random
):
    data = parquet_of(table_of(values), row_group_size=group_rows, compression=compression)
    plain, sealed = pq.ParquetFile(pa.BufferReader(data)), opened(seal(data))
    assert isinstance(sealed, SealedFile)
    groups = [number for number in range(plain.num_row_groups) if random.random() < 0.7]
    names = sorted(columns)
    assert sealed.read_row_groups(groups, columns=names).equals(
        plain.read_row_groups(groups, columns=names, use_threads=False)
    )
    assert sealed.read(columns=names).equals(plain.read(columns=names, use_threads=False))
    assert sealed.metadata.equals(plain.metadata)


def test_readers_that_know_nothing_of_checksums_read_the_file():
    table = table_of([(1, "x", [1]), (2, "y", [])])
    assert pq.read_table(pa.BufferReader(seal(parquet_of(table)))).equals(table)


def test_only_the_columns_that_are_read_are_checked():
    table = pa.table({"a": ["needle" * 3], "b": [2]})
    data = bytearray(seal(parquet_of(table, use_dictionary=False, compression="none")))
    data[data.index(b"needle")] ^= 1
    file = opened(bytes(data))
    assert file.read(columns=["b"]).to_pydict() == {"b": [2]}
    with pytest.raises(UserError, match="damaged"):
        file.read(columns=["a"])


def test_a_footer_that_is_longer_than_the_first_read_is_checked():
    table = pa.table({f"column_{number}": [number] for number in range(800)})
    data = seal(parquet_of(table))
    assert int.from_bytes(bytes(data)[-8:-4], "little") > 65536
    assert isinstance(opened(data), SealedFile)
    assert opened(data).read().equals(table)
    for place in (len(data) - 70_000, len(data) - 20, len(data) - 7, bytes(data).rindex(MARK) - 3):
        broken = bytearray(data)
        broken[place] ^= 1
        with pytest.raises((UserError, pa.ArrowException, OSError)):
            opened(bytes(broken))


def test_text_in_a_file_that_looks_like_a_mark_is_data():
    table = pa.table({"b": [MARK, b"x" * 20 + MARK]})
    data = parquet_of(table, compression="none", use_dictionary=False)
    assert not isinstance(opened(data), SealedFile)
    assert opened(data).read().equals(table)
    assert opened(seal(data)).read().equals(table)


def test_a_file_without_rows_is_known_to_have_lost_its_checksum():
    data = seal(parquet_of(table_of([]).slice(0, 0))).to_pybytes()
    schema = pa.BufferOutputStream()
    pq.write_metadata(SCHEMA, schema)
    plain = schema.getvalue().to_pybytes()
    sealed = seal(pa.py_buffer(plain)).to_pybytes()
    assert opened(data).read().num_rows == 0
    assert not lost_seal(plain)
    assert not lost_seal(sealed)
    assert lost_seal(sealed.replace(MARK, b"12345678"))
