from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.mapping.platform.model import RefusedError
from component.mapping.platform.webalize import webalize, webalized_name


@pytest.mark.parametrize(
    ("name", "webalized"),
    [
        ("ěščřžýáíéúů", "escrzyaieuu"),
        ("éíěčíáčšžášřýšěí", "eieciacszasrysei"),
        ("webalize | test 😁", "webalize_test"),
        ("    webalize spaces  ", "webalize_spaces"),
        ("_~dlažební  %_kostky_~", "dlazebni__kostky"),
        ("test-vn-đá cuội", "test_vn_da_cuoi"),
        ("jp日本語", "jp"),
        ("test!!!multiple", "test_multiple"),
        ("_a_", "a"),
        ("__x__", "x"),
        ("a__b", "a__b"),
        ("a-b", "a_b"),
        ("a\nb", "a_b"),
        ("123", "123"),
        ("_", ""),
        ("", ""),
        ("日本", ""),
        ("Id ", "Id"),
        ("oid", "oid_"),
        ("OID", "OID_"),
        ("_ctid_", "ctid_"),
        ("oids", "oids"),
        ("_timestamp", "_timestamp"),
        ("_TimeStamp", "_TimeStamp"),
        ("timestamp", "timestamp"),
    ],
)
def test_names_become_what_storage_takes(name, webalized):
    assert webalized_name(name) == webalized


@given(name=st.text())
def test_a_webalized_name_stays(name):
    once = webalized_name(name)
    assert webalized_name(once) == once
    assert once.isascii()


def test_all_column_names_but_those_of_distribution_and_deletion_change():
    config = {
        "columns": ["a b", 5, True, None],
        "primary_key": ["a b"],
        "column_metadata": {"a b": [], "c": []},
        "schema": [{"name": "a b", "nullable": False}],
        "distribution_key": ["a b"],
        "delete_where_column": "a b",
    }
    log = []
    assert webalize(config, "t", log) == {
        "columns": ["a_b", "5", "1", ""],
        "primary_key": ["a_b"],
        "column_metadata": {"a_b": [], "c": []},
        "schema": [{"name": "a_b", "nullable": False}],
        "distribution_key": ["a b"],
        "delete_where_column": "a b",
    }
    assert log == ['warning: Column name "a b" was webalized to "a_b"'] * 4


def test_options_that_are_absent_or_null_stay():
    assert webalize({"columns": None, "delimiter": ";"}, "t", []) == {"columns": None, "delimiter": ";"}


def test_of_two_columns_that_become_one_the_last_metadata_wins():
    for first, second in (("a b", "a_b"), ("a_b", "a b")):
        config = {"column_metadata": {first: ["first"], second: ["second"]}}
        assert webalize(config, "t", [])["column_metadata"] == {"a_b": ["second"]}


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (
            {"primary_key": "Id"},
            "::getWebalizedColumnNames(): Argument #1 ($columns) must be of type array, string given",
        ),
        (
            {"column_metadata": 5},
            "::webalizeColumnsMetadata(): Argument #1 ($columnsMetadata) must be of type array, int",
        ),
        ({"schema": True}, "::webalizeSchemaColumnNames(): Argument #1 ($schema) must be of type array, bool given"),
        ({"schema": ["Id"]}, "schema[].name must be of type string, string given"),
        ({"schema": [{"name": ["a"]}]}, "schema[].name must be of type string, array given"),
    ],
)
def test_an_entry_that_no_parser_saw_can_stop_the_platform(config, text):
    with pytest.raises(RefusedError) as caught:
        webalize(config, "t", [])
    assert caught.value.error.code == "mapping.application"
    assert text in caught.value.error.text


def test_a_column_without_a_name_gets_the_empty_one_for_the_parser_to_refuse():
    log = []
    assert webalize({"schema": [{"description": "x"}]}, "t", log)["schema"] == [{"description": "x", "name": ""}]
    assert log == []


def test_a_list_among_the_names_becomes_the_word_for_it():
    assert webalize({"columns": [["a"], "b"]}, "t", [])["columns"] == ["Array", "b"]
