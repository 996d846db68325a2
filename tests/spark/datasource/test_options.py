import datetime as dt

import pytest

from component import naming
from component.errors import UserError
from component.spark.datasource.options import SourceOptions, parse_options

ADDRESS = {"path": "file:///store/flights"}


def test_a_dataset_is_named_by_one_address_or_by_store_and_uuid():
    by_address = parse_options(ADDRESS).address
    by_parts = parse_options({"store": "file:///store", "uuid": "flights"}).address
    assert by_address == by_parts
    assert (by_address.store.url, by_address.uuid) == ("file:///store", "flights")


@pytest.mark.parametrize("given", [{}, {"store": "/store"}, {"uuid": "u"}, {**ADDRESS, "uuid": "u"}])
def test_less_or_more_than_an_address_is_refused(given):
    with pytest.raises(UserError, match="needs the address of one dataset") as caught:
        parse_options(given)
    assert caught.value.code == "spark.option"


def test_options_are_read_whatever_their_case():
    given = {
        "asOf": "2024-01-01T00:00:00",
        "Columns": "a, b",
        "partition_on": '["a,b"]',
        "secondary_indices": "",
        "metadata": '{"x": 1}',
        "delete_scope": '[{"a": 1}]',
        "on_duplicate_key": "fail",
        "predicates": '[[["a", "==", 1.5]]]',
        "pushdown": "True",
        "split_bytes": "7",
        "table": "t",
    }
    assert parse_options({**ADDRESS, **given}) == SourceOptions(
        parse_options(ADDRESS).address,
        "t",
        dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        ("a", "b"),
        [[["a", "==", "1.5"]]],
        pushdown=True,
        split_bytes=7,
        partition_on=("a,b",),
        metadata={"x": 1},
        delete_scope=[{"a": 1}],
        on_duplicate_key="fail",
    )


@pytest.mark.parametrize("text", ["HEAD", "HEAD~1", "abc123"])
def test_a_state_is_named_as_elsewhere(text):
    assert parse_options({**ADDRESS, "asOf": text}).as_of == text


def test_a_commit_is_no_time():
    assert parse_options({**ADDRESS, "asof": "20240101"}).as_of == "20240101"


def test_what_is_not_given_is_as_elsewhere():
    assert parse_options(ADDRESS).split_bytes == naming.SPLIT_BYTES


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("asof", "last week"),
        ("columns", "[1]"),
        ("columns", "[a"),
        ("metadata", "[]"),
        ("metadata", "{"),
        ("delete_scope", '{"a": 1}'),
        ("split_bytes", "0"),
        ("split_bytes", "-1"),
        ("pushdown", "yes"),
        ("on_duplicate_key", "reject"),
    ],
)
def test_a_value_that_is_none_is_refused(name, text):
    with pytest.raises(UserError) as caught:
        parse_options({**ADDRESS, name: text})
    assert caught.value.code == "spark.option"
    assert repr(text) in caught.value.text


def test_an_option_with_a_typing_error_is_refused():
    with pytest.raises(UserError, match="no option 'partition_om'"):
        parse_options({**ADDRESS, "partition_om": "a"})


def test_a_table_of_sparks_catalog_is_refused():
    with pytest.raises(UserError, match=r"tables of its catalog .* CREATE TEMPORARY VIEW"):
        parse_options({**ADDRESS, "provider": "kartothek", "owner": "me", "location": "file:/store/flights"})
