"""What a configured mode becomes in the plan."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from component.config.load import parse_config
from component.dataset.commits.garbage import Retention
from component.dataset.commits.intent import Intent
from component.errors import UserError
from component.plan.build import build_plan
from component.plan.model import Source, SourceSlice
from component.tables.types import Column, TableSchema, TypeName

SCHEMA = TableSchema((Column("id", TypeName.INTEGER), Column("day", TypeName.DATE), Column("note")), ("id",))
ORDERS = Source(
    "orders.csv",
    "orders",
    ("orders.csv", "orders"),
    "csv",
    (SourceSlice("orders.csv", Path("in/tables/orders.csv"), 100),),
    SCHEMA,
    frozenset({"id", "day"}),
)


def planned(outputs=(), **facts):
    dataset = {"uuid": "orders", "tables": [{"source": "orders.csv"}], **facts}
    config = parse_config({"parameters": {"datasets": [dataset], "outputs": list(outputs)}})
    return build_plan(config, (ORDERS,), ())


@pytest.mark.parametrize(
    ("facts", "intent"),
    [
        ({}, Intent("overwrite")),
        ({"mode": "append"}, Intent("append")),
        ({"mode": "replace_partitions"}, Intent("replace_partitions")),
        (
            {"mode": "replace_partitions", "partition_on": ["day"], "delete_scope": [{"day": "2026-01-01"}]},
            Intent("replace_partitions", ({"day": "2026-01-01"},)),
        ),
        ({"mode": "upsert"}, Intent("upsert")),
        ({"mode": "upsert", "key": ["id", "day"]}, Intent("upsert", key=("id", "day"))),
        ({"mode": "delete", "key": ["id"]}, Intent("delete", key=("id",))),
    ],
)
def test_a_mode_says_what_new_rows_do_to_old_ones(facts, intent):
    assert planned(**facts).datasets[0].intent == intent


def test_a_key_that_is_not_in_the_source_is_refused():
    with pytest.raises(UserError, match="key is not in the table") as caught:
        planned(mode="upsert", key=["it"])
    assert caught.value.code == "column.missing"


def test_the_source_of_a_deletion_need_not_have_the_columns_of_the_layout():
    plan = planned(mode="delete", partition_on=["region"], secondary_indices=["tail"], sort_partitions_by=["wing"])
    made = plan.datasets[0]
    assert (made.partition_on, made.secondary_indices, made.sort_by) == ((), (), ())


def test_an_output_of_a_deletion_may_have_columns_that_its_source_has_not():
    output = {"dataset": "orders", "columns": ["region"], "primary_key": ["region"]}
    assert planned([output], mode="delete").outputs[0].columns == ("region",)


def test_history_is_kept_as_configured_and_all_of_it_where_nothing_is():
    assert planned().datasets[0].keep is None
    assert planned(keep={}).datasets[0].keep == Retention()
    assert planned(keep={"commits": 3, "days": 30}).datasets[0].keep == Retention(3, dt.timedelta(days=30))
