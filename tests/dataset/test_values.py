import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component.dataset.format.values import check_partition_type, parse_value, value_text
from component.errors import UserError
from tests.strategies.typed_tables import PARTITION_TYPES, values

typed = st.sampled_from(PARTITION_TYPES).flatmap(lambda kind: st.tuples(st.just(kind), values(kind)))


@settings(deadline=None)
@given(typed)
def test_a_partition_value_comes_back_from_its_text(case):
    data_type, value = case
    assert repr(parse_value(value_text(value), data_type)) == repr(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-5, "-5"),
        (1.5, "1.5"),
        (1e300, "1e+300"),
        (float("inf"), "inf"),
        (dt.date(1, 1, 1), "0001-01-01"),
        (dt.datetime.fromisoformat("2024-01-01"), "2024-01-01 00:00:00"),
        (dt.datetime.fromisoformat("2024-01-01T00:00:00.000001"), "2024-01-01 00:00:00.000001"),
        ("a/b", "a/b"),
        ("", ""),
    ],
)
def test_texts_are_those_of_the_original_clients(value, text):
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("text", "data_type", "value"),
    [
        ("False", pa.bool_(), False),
        ("true", pa.bool_(), True),
        ("01", pa.int64(), 1),
        ("+1", pa.int64(), 1),
        (str(2**63 + 5), pa.uint64(), 2**63 + 5),
        ("2024-01-01", pa.timestamp("us"), dt.datetime.fromisoformat("2024-01-01")),
        ("2024-01-01T00:00:00", pa.timestamp("us"), dt.datetime.fromisoformat("2024-01-01")),
        ("__HIVE_DEFAULT_PARTITION__", pa.string(), "__HIVE_DEFAULT_PARTITION__"),
    ],
)
def test_texts_that_other_writers_use_are_read(text, data_type, value):
    assert parse_value(text, data_type) == value


@pytest.mark.parametrize(
    ("text", "data_type"),
    [
        ("1.0", pa.int64()),
        (str(2**63), pa.int64()),
        ("-1", pa.uint64()),
        ("x", pa.float64()),
        ("maybe", pa.bool_()),
        ("2024-13-01", pa.date32()),
        ("yesterday", pa.timestamp("us")),
        ("1.0", pa.decimal128(3, 1)),
    ],
)
def test_a_text_that_is_no_value_of_the_type_is_refused(text, data_type):
    with pytest.raises(UserError) as caught:
        parse_value(text, data_type)
    assert caught.value.code == "dataset.format"


@pytest.mark.parametrize("data_type", PARTITION_TYPES)
def test_these_types_can_be_partition_keys(data_type):
    assert check_partition_type("k", data_type, table="t") is None


@pytest.mark.parametrize(
    "data_type",
    [pa.bool_(), pa.binary(), pa.decimal128(3, 1), pa.time64("us"), pa.timestamp("us", "UTC"), pa.list_(pa.int64())],
)
def test_types_whose_values_clients_read_back_wrong_cannot(data_type):
    with pytest.raises(UserError) as caught:
        check_partition_type("k", data_type, table="t")
    assert caught.value.code == "column.type"
    assert (caught.value.place.table, caught.value.place.column) == ("t", "k")
