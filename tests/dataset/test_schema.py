import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.format.schema import (
    check_appendable,
    decode_schema,
    encode_schema,
    normal_schema,
    normal_type,
    same_flavour,
)
from component.errors import UserError
from tests.strategies.typed_tables import TYPES, texts

names = st.lists(texts.filter(lambda name: name and "\x00" not in name), min_size=1, max_size=5, unique=True)
schemas = names.flatmap(
    lambda found: st.tuples(*[st.sampled_from(TYPES)] * len(found)).map(
        lambda types: pa.schema(zip(found, types, strict=True))
    )
)


@given(schemas, st.integers(0, 2))
def test_a_schema_comes_back_from_its_bytes(schema, keys):
    normal = normal_schema(schema, schema.names[:keys])
    assert decode_schema(encode_schema(normal)).equals(normal)


@given(schemas, st.integers(0, 2))
def test_partition_keys_come_first_in_their_order_and_the_rest_by_name(schema, keys):
    first = schema.names[:keys][::-1]
    assert normal_schema(schema, first).names == first + sorted(set(schema.names) - set(first))


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        (pa.int8(), pa.int64()),
        (pa.uint32(), pa.uint64()),
        (pa.float16(), pa.float64()),
        (pa.large_string(), pa.string()),
        (pa.string_view(), pa.string()),
        (pa.large_binary(), pa.binary()),
        (pa.dictionary(pa.int8(), pa.string()), pa.string()),
        (pa.dictionary(pa.int8(), pa.int16()), pa.int64()),
        (pa.timestamp("ns"), pa.timestamp("us")),
        (pa.timestamp("s", "Europe/Berlin"), pa.timestamp("us", "Europe/Berlin")),
        (pa.large_list(pa.int32()), pa.list_(pa.int64())),
        (pa.decimal128(5, 2), pa.decimal128(5, 2)),
        (pa.date32(), pa.date32()),
        (pa.null(), pa.null()),
    ],
)
def test_types_are_the_widest_of_their_class(given, normal):
    assert normal_type(given).equals(normal)


def test_the_bytes_have_no_rows_and_pandas_metadata_in_schema_order():
    schema = pa.schema([("k", pa.string()), ("d", pa.decimal128(12, 2)), ("t", pa.timestamp("us", "UTC"))])
    file = pq.ParquetFile(pa.BufferReader(encode_schema(schema)))
    pandas = json.loads(file.schema_arrow.metadata[b"pandas"])
    assert (file.metadata.num_rows, file.metadata.num_row_groups, pandas["index_columns"]) == (0, 0, [])
    assert [(c["name"], c["pandas_type"], c["numpy_type"], c["metadata"]) for c in pandas["columns"]] == [
        ("k", "unicode", "object", None),
        ("d", "decimal", "object", {"precision": 12, "scale": 2}),
        ("t", "datetimetz", "datetime64[ns]", {"timezone": "UTC"}),
    ]


def _stored(schema, pandas=None):
    sink = pa.BufferOutputStream()
    pq.write_metadata(schema.with_metadata({"pandas": pandas}) if pandas else schema, sink)
    return sink.getvalue().to_pybytes()


def test_a_pandas_index_is_no_column_of_the_dataset():
    schema = pa.schema([("a", pa.int64()), ("__index_level_0__", pa.int64())])
    pandas = json.dumps({"index_columns": ["__index_level_0__", {"kind": "range"}]})
    assert decode_schema(_stored(schema, pandas)).names == ["a"]


@pytest.mark.parametrize("pandas", [None, "[]", "{}", '{"index_columns": 5}', '{"index_columns": null}'])
def test_pandas_metadata_that_says_nothing_hides_nothing(pandas):
    assert decode_schema(_stored(pa.schema([("a", pa.int64())]), pandas)).names == ["a"]


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1PAR1" * 5, _stored(pa.schema([("a", pa.int64())]), "{no json")])
def test_bytes_that_are_no_schema_are_refused(data):
    with pytest.raises(UserError) as caught:
        decode_schema(data)
    assert caught.value.code == "dataset.format"


def test_types_are_of_one_flavour_when_normalised_alike_or_when_one_is_not_known_yet():
    assert same_flavour(pa.int32(), pa.int64())
    assert same_flavour(pa.null(), pa.string())
    assert not same_flavour(pa.int64(), pa.uint64())
    assert not same_flavour(pa.decimal128(5, 2), pa.decimal128(6, 2))


EXISTING = pa.schema([("a", pa.int64()), ("b", pa.string())])


@pytest.mark.parametrize(
    ("new", "column", "words"),
    [
        (pa.schema([("a", pa.int64())]), None, "lack b"),
        (pa.schema([*EXISTING, ("c", pa.int64()), ("d", pa.int64())]), None, "have also c, d"),
        (pa.schema([("a", pa.float64()), ("b", pa.string())]), "a", "double now and int64"),
    ],
)
def test_rows_that_do_not_fit_are_refused_with_what_differs(new, column, words):
    with pytest.raises(UserError, match=words) as caught:
        check_appendable(new, EXISTING, table="sales")
    assert (caught.value.code, caught.value.place.column) == ("dataset.schema", column)


def test_rows_in_another_column_order_or_without_values_fit():
    assert check_appendable(pa.schema([("b", pa.null()), ("a", pa.int64())]), EXISTING, table="sales") is None
