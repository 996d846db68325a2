from __future__ import annotations

import pytest

from component.errors import UserError
from tests.actions.conftest import values
from tests.dataset.making import write_dataset

SOLD = {"datasets": [{"uuid": "sales", "tables": [{"source": "sales.csv"}]}]}


def mapped(**more):
    return {"input": {"tables": [{"source": "in.c-shop.sales", "destination": "sales.csv", **more}]}}


def test_datasets_in_the_store_come_first_then_those_that_are_configured(ask, stored, store):
    from tests.actions.conftest import SALES

    write_dataset(store, SALES, uuid="b", storage_format="msgpack.zstd")
    listed = ask("listDatasets", {**stored, "datasets": [{"uuid": "new"}, {"uuid": "b"}, {"uuid": ""}, 1]})
    assert listed == [
        {"label": "b", "value": "b"},
        {"label": "sales", "value": "sales"},
        {"label": "new (not in the store yet)", "value": "new"},
    ]


def test_without_a_store_the_configured_datasets_are_listed(ask):
    assert ask("listDatasets", SOLD) == [{"label": "sales (made by every run)", "value": "sales"}]


def test_an_empty_configuration_has_no_datasets(ask):
    assert ask("listDatasets") == []


def test_columns_are_those_of_the_input_where_there_is_one(folder, ask, stored):
    folder.table("sales.csv", "id,when\n1,x\n", {"id": "in.c-shop.sales", "column_metadata": {}})
    table = {"source": "sales.csv", "columns": [{"name": "when", "type": "date"}]}
    listed = ask("listColumns", {**stored, "datasets": [{"uuid": "sales", "tables": [table]}]})
    assert listed == [{"label": "id", "value": "id"}, {"label": "when (date)", "value": "when"}]


def test_columns_are_those_of_the_dataset_where_there_is_no_input(ask, stored):
    listed = ask("listColumns", {**stored, "datasets": [{"uuid": "sales"}]})
    assert values(listed) == ["shop", "item", "price", "paid"]
    assert listed[2]["label"] == "price (double)"


def test_columns_are_those_of_the_input_mapping_where_there_is_nothing_else(ask):
    assert values(ask("listColumns", SOLD, storage=mapped(columns=["shop", "item"]))) == ["shop", "item"]
    typed = mapped(column_types=[{"source": "shop", "type": "VARCHAR"}])
    assert ask("listColumns", SOLD, storage=typed) == [{"label": "shop (VARCHAR)", "value": "shop"}]


def test_where_nothing_is_known_the_error_says_what_was_looked_at(ask, stored):
    with pytest.raises(UserError, match="no store is configured, and the input mapping selects no columns") as refused:
        ask("listColumns", SOLD, storage=mapped())
    assert refused.value.code == "dataset.missing"
    with pytest.raises(UserError, match="it is not in the store yet"):
        ask("listColumns", {**stored, "datasets": [{"uuid": "other"}]})


def test_a_form_that_is_half_filled_in_is_understood(ask, stored):
    half = {"uuid": "sales", "partition_on": [""], "mode": "", "tables": [{"source": "", "delimiter": "long"}]}
    assert values(ask("listColumns", {**stored, "datasets": [half]})) == ["shop", "item", "price", "paid"]


def test_the_only_dataset_that_an_output_reads_is_meant(ask, stored):
    assert values(ask("listColumns", {**stored, "outputs": [{"dataset": "sales"}, {}]}))[0] == "shop"


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({}, "names no dataset"),
        ({"datasets": [{"uuid": "a"}, {"uuid": "b"}]}, "names a, b"),
    ],
)
def test_an_action_that_cannot_know_its_dataset_says_how_to_name_it(ask, parameters, text):
    with pytest.raises(UserError, match="which dataset") as refused:
        ask("listColumns", parameters)
    assert text in refused.value.remedy
    assert "parameters.action" in refused.value.remedy


def test_the_dataset_can_be_named(ask, stored):
    named = {**stored, "datasets": [{"uuid": "a"}, {"uuid": "sales"}], "action": {"dataset": "sales"}}
    assert values(ask("listColumns", named))[0] == "shop"


@pytest.mark.parametrize(
    "action", [{"tabel": "x"}, {"dataset": 1}, {"rows": 0}, {"rows": True}, {"rows": 101}, {"rows": "3"}]
)
def test_wrong_settings_of_an_action_are_refused_by_name(ask, action):
    with pytest.raises(UserError, match=r"parameters\.action\."):
        ask("listColumns", {"action": action})
