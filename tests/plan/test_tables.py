"""Several tables of one configured dataset: plans, names, and what they must have in common."""

import pytest

from component.config.load import parse_config
from component.errors import UserError
from component.plan.build import build_plan
from component.plan.model import Source
from component.plan.tables import check_tables, find_made, made_by
from component.tables.types import Column, TableSchema, TypeName


def source(name, *columns):
    found = tuple(Column(column) if isinstance(column, str) else column for column in columns)
    return Source(f"{name}.csv", name, (f"{name}.csv", name), "csv", (), TableSchema(found))


NUMBER = Column("flight", TypeName.INTEGER)
SOURCES = (source("flights", NUMBER, "day", "origin"), source("seats", "seat", NUMBER, "day"))


def plan(sources=SOURCES, outputs=(), **facts):
    dataset = {"uuid": "trips", "tables": [{"name": "flights"}, {"name": "seats"}], "partition_on": ["day"], **facts}
    return build_plan(parse_config({"parameters": {"datasets": [dataset], "outputs": list(outputs)}}), sources)


def test_for_kartothek_tables_share_a_uuid():
    plans = plan(compatibility="kartothek").datasets
    assert [(one.uuid, one.table, one.name) for one in plans] == [
        ("trips", "flights", "trips-flights"),
        ("trips", "seats", "trips-seats"),
    ]


def test_for_plateau_each_is_a_dataset_of_its_own():
    plans = plan().datasets
    assert [(one.uuid, one.table, one.name) for one in plans] == [
        ("trips++flights", "table", "trips-flights"),
        ("trips++seats", "table", "trips-seats"),
    ]


@pytest.mark.parametrize("compatibility", ["plateau", "kartothek"])
def test_one_table_is_one_dataset_whatever_the_client(compatibility):
    (made,) = plan(tables=[{"name": "core", "source": "flights"}], compatibility=compatibility).datasets
    assert (made.uuid, made.table, made.name, made.compatibility) == ("trips", "core", "trips", compatibility)


def test_each_table_has_the_indices_and_the_order_of_its_columns():
    flights, seats = plan(secondary_indices=["flight", "seat"], sort_partitions_by=["origin", "day"]).datasets
    assert (flights.secondary_indices, flights.sort_by) == (("flight",), ("origin",))
    assert (seats.secondary_indices, seats.sort_by) == (("flight", "seat"), ())


@pytest.mark.parametrize("key", ["secondary_indices", "sort_partitions_by"])
def test_a_column_that_no_table_has_is_refused(key):
    with pytest.raises(UserError) as caught:
        plan(**{key: ["crew"]})
    assert (caught.value.code, caught.value.place.column) == ("column.missing", "crew")


def test_every_table_has_the_partition_columns():
    with pytest.raises(UserError) as caught:
        plan(partition_on=["origin"])
    assert (caught.value.code, caught.value.place.table) == ("column.missing", "seats.csv")


def test_tables_of_one_dataset_agree_on_all_columns_that_they_share():
    sources = (SOURCES[0], source("seats", "flight", "day"))
    with pytest.raises(UserError) as caught:
        plan(sources, compatibility="kartothek")
    text = str(caught.value)
    assert caught.value.code == "column.type"
    assert all(word in text for word in ("int64", "string", "'flights'", "'seats'", "'flight'", "'trips'"))
    assert len(plan(sources).datasets) == 2


def test_tables_that_are_datasets_agree_on_partition_columns():
    sources = (SOURCES[0], source("seats", "seat", Column("day", TypeName.DATE)))
    with pytest.raises(UserError, match="string in the table 'flights' and date32"):
        plan(sources)


def test_types_that_the_run_finds_out_are_compared_when_they_are_known():
    tables = [{"name": "flights"}, {"name": "seats", "infer_types": True}]
    sources = (SOURCES[0], source("seats", "flight", "day"))
    plans = plan(sources, tables=tables, compatibility="kartothek").datasets
    with pytest.raises(UserError, match="'flights'"):
        check_tables(plans, inferred=True)


def test_an_output_reads_the_table_that_it_names_by_either_name():
    outputs = [
        {"dataset": "trips", "table": "seats", "name": "a"},
        {"dataset": "trips++seats", "name": "b"},
        {"dataset": "trips++seats", "table": "table", "name": "c"},
    ]
    made = plan(outputs=outputs).outputs
    assert {(one.dataset, one.table) for one in made} == {("trips++seats", "table")}
    (made,) = plan(outputs=outputs[:1], compatibility="kartothek").outputs
    assert (made.dataset, made.table) == ("trips", "seats")


@pytest.mark.parametrize("table", [None, "crew"])
def test_an_output_of_several_tables_says_which(table):
    with pytest.raises(UserError, match="flights, seats") as caught:
        find_made(made_by(plan().datasets), "trips", table)
    assert caught.value.code == "config.value"


def test_a_dataset_that_the_run_does_not_make_is_looked_for_in_the_store():
    assert find_made(made_by(plan().datasets), "other", "crew") is None


def test_columns_of_an_output_are_those_of_its_table():
    output = {"dataset": "trips", "table": "seats", "columns": ["seat"]}
    assert plan(outputs=[output], compatibility="kartothek").outputs[0].columns == ("seat",)
    with pytest.raises(UserError) as caught:
        plan(outputs=[{**output, "columns": ["origin"]}], compatibility="kartothek")
    assert caught.value.place.column == "origin"


def test_an_output_that_names_no_table_of_a_dataset_of_another_name_reads_it():
    core = [{"name": "core", "source": "flights"}]
    (made,) = plan(outputs=[{"dataset": "trips"}], tables=core).outputs
    assert (made.name, made.table) == ("trips", "core")
