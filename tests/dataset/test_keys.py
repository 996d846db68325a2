import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.dataset.format.keys import (
    check_uuid,
    data_key,
    header_key,
    index_key,
    keys_in_path,
    label_of_key,
    partition_label,
    partition_texts,
    quote,
    referenced,
)
from component.errors import UserError
from component.store.base import check_key
from tests.strategies.typed_tables import NAMES, texts

names = st.one_of(st.sampled_from(NAMES), texts)
pairs = st.lists(st.tuples(names, texts), max_size=3, unique_by=lambda pair: pair[0])


@given(pairs)
def test_names_and_values_come_back_from_a_key(values):
    label = partition_label(values, "0123")
    key = data_key("sales", "table", label)
    assert check_key(key) == key
    assert label_of_key(key) == label
    assert partition_texts(key, [name for name, _ in values]) == dict(values)
    assert keys_in_path(key) == tuple(name for name, _ in values)


@given(names.filter(bool))
def test_any_column_has_a_key_for_its_index(column):
    key = index_key("sales", column, "2024-01-01T00:00:00+00:00")
    assert check_key(key).startswith("sales/indices/")


def test_columns_of_dots_alone_have_an_index_folder_of_their_own():
    keys = [index_key("sales", column, "now") for column in (".", "..", "...")]
    assert [key.split("/")[2] for key in keys] == ["%2E", "%2E%2E", "..."]


@given(st.text(st.characters(codec="utf-8")))
def test_quoted_text_has_no_slash_and_no_equals_sign(text):
    assert not {"/", "="} & set(quote(text))


def test_header_keys_of_the_two_formats():
    assert header_key("sales", "json") == "sales.by-dataset-metadata.json"
    assert header_key("sales", "msgpack.zstd") == "sales.by-dataset-metadata.msgpack.zstd"


def test_a_value_that_an_original_client_cut_at_slashes_is_whole_again():
    key = "full/table/country=FR%20%C3%A9/%3D%25/x/day=2024-01-01/28f1.parquet"
    assert partition_texts(key, ["country", "day"]) == {"country": "FR é/=%/x", "day": "2024-01-01"}


@pytest.mark.parametrize(
    ("key", "keys"),
    [
        ("u/t/a=1/b=2/f.parquet", ["b", "a"]),
        ("u/t/a=1/f.parquet", []),
        ("u/t/f.parquet", ["a"]),
        ("u/t/part/a=1/f.parquet", ["a"]),
        ("u/t/a=1=2/f.parquet", ["a"]),
        ("u/t/a=%FF/f.parquet", ["a"]),
        ("u/t/a=1/a=2/f.parquet", ["a"]),
    ],
)
def test_a_path_that_does_not_hold_the_partition_keys_is_refused(key, keys):
    with pytest.raises(UserError) as caught:
        partition_texts(key, keys)
    assert caught.value.code == "dataset.format"


@pytest.mark.parametrize("uuid", ["a", "A-b_c+9", "x++y"])
def test_a_uuid_of_the_allowed_characters_is_taken(uuid):
    assert check_uuid(uuid) == uuid


@pytest.mark.parametrize("uuid", ["", "a.b", "a b", "a/b", "é", "a\n"])
def test_a_uuid_that_clients_would_not_find_is_refused(uuid):
    with pytest.raises(UserError) as caught:
        check_uuid(uuid)
    assert caught.value.code == "store.key"


def test_referenced_names_data_and_index_files_but_no_embedded_index():
    assert referenced({"l": {"table": "u/table/l.parquet"}}, {"a": "u/indices/a/x", "b": {"1": ["l"]}}) == [
        "u/table/l.parquet",
        "u/indices/a/x",
    ]
