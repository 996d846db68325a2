from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from component.config.load import parse_config
from component.dataset.format.buckets import Buckets
from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.plan.asked import asked_of
from component.plan.build import build_plan, dataset_name
from component.plan.model import GivenDialect, OutputPlan, Source, SourceSlice
from component.tables.types import Column, NullRule, TableSchema, TypeName

TYPED = TableSchema(
    (
        Column("id", TypeName.INTEGER, nullable=False),
        Column("price", TypeName.NUMERIC, "12,2"),
        Column("day", TypeName.DATE, formats=("%d.%m.%Y",)),
        Column("note"),
    ),
    primary_key=("id",),
)


def source(file_name="orders.csv", schema=TYPED, *, own_name=None, names=(), typed=("id", "price", "day"), **more):
    own_name = own_name or file_name.removesuffix(".csv")
    every = tuple(dict.fromkeys((file_name, own_name, *names)))
    slices = (SourceSlice(file_name, Path("in/tables") / file_name, 100),)
    return Source(file_name, own_name, every, "csv", slices, schema, frozenset(typed), **more)


def plan(parameters, *sources, warnings=()):
    return build_plan(parse_config({"parameters": parameters}), sources or (source(),), warnings)


def dataset(**facts):
    return {"datasets": [{"uuid": "orders", "tables": [{"source": "orders.csv", **facts.pop("table", {})}], **facts}]}


def refusal(parameters, *sources):
    with pytest.raises(UserError) as caught:
        plan(parameters, *sources)
    return caught.value


# --- defaults ---


def test_empty_parameters_make_a_dataset_and_an_output_of_every_source():
    made = plan({}, source(), source("people.csv"), warnings=["careful"])
    assert [one.uuid for one in made.datasets] == ["orders", "people"]
    assert made.outputs == (OutputPlan("orders", "orders", "table"), OutputPlan("people", "people", "table"))
    assert made.warnings == ("careful",)
    assert made.store_url is None
    first = made.datasets[0]
    assert first.schema == TYPED
    assert (first.partition_on, first.secondary_indices, first.mode, first.reject) == ((), (), "overwrite", False)


def test_what_no_table_can_hold_comes_back_as_parquet_and_is_said():
    tags = Column("tags", TypeName.OTHER, stored=pa.list_(pa.int64()))
    made = plan({}, source(), source("events.parquet", TableSchema((Column("id"), tags)), own_name="events"))
    assert made.outputs[1] == OutputPlan("events.parquet", "events", "table", written_as="file", format="parquet")
    (said,) = made.warnings
    assert "'events.parquet' comes back as a Parquet file" in said
    assert "'tags' (list<" in said


def test_nothing_in_gives_nothing_out():
    made = build_plan(parse_config({}), ())
    assert (made.datasets, made.outputs) == ((), ())


def test_a_configured_dataset_is_all_there_is():
    made = plan(dataset(), source(), source("people.csv"))
    assert [one.uuid for one in made.datasets] == ["orders"]
    assert made.outputs == ()


def test_the_same_input_gives_an_equal_plan():
    assert plan(dataset(partition_on=["day"])) == plan(dataset(partition_on=["day"]))


def test_limits_and_store_come_from_the_configuration():
    made = plan({"limits": {"split_bytes": 5}, "store": {"url": "file:///x"}})
    assert (made.limits.split_bytes, made.limits.max_slices) == (5, 1000)
    assert made.store_url == "file:///x"


# --- names ---


@pytest.mark.parametrize(
    ("own_name", "uuid"),
    [
        ("orders", "orders"),
        ("in.c-main.flights", "flights"),
        ("out.c-a-b.Big Table", "Big_Table"),
        ("in.c-main.a.b", "in_c-main_a_b"),
        ("žluťoučký kůň 🐎", "zlutoucky_kun"),
        ("Straße+1", "Strasse+1"),
        ("Ελλάδα", "Ellada"),
        ("日本", "table"),
        ("...", "table"),
        ("a//b", "a_b"),
        ("__x__", "x"),
    ],
)
def test_a_dataset_is_named_after_its_source(own_name, uuid):
    assert dataset_name(source("file.csv", own_name=own_name)) == uuid


def test_equal_names_are_numbered_in_the_order_of_the_sources():
    own_names = ["a", "a", "a-2", "ä", "a"]
    sources = [source(f"{number}.csv", own_name=name) for number, name in enumerate(own_names)]
    assert [one.uuid for one in plan({}, *sources).datasets] == ["a", "a-2", "a-2-2", "a-3", "a-4"]


# --- sources ---


@pytest.mark.parametrize("name", ["12_orders.csv", "orders", "orders.csv", "in.c-main.orders"])
def test_a_source_is_found_by_all_its_names(name):
    there = source("12_orders.csv", own_name="orders", names=("orders.csv", "in.c-main.orders"))
    made = plan({"datasets": [{"uuid": "x", "tables": [{"source": name}]}]}, source("people.csv"), there)
    assert made.datasets[0].source is there


def test_a_dataset_without_a_table_is_made_of_the_source_of_its_name():
    assert plan({"datasets": [{"uuid": "orders"}]}).datasets[0].source.file_name == "orders.csv"


def test_a_source_that_is_not_there_is_told_with_those_that_are():
    error = refusal({"datasets": [{"uuid": "x", "tables": [{"source": "ordres"}]}]}, source(), source("people.csv"))
    assert error.code == "source.missing"
    assert error.text == "The source 'ordres' of dataset 'x' is not in the data folder"
    assert error.remedy == "Name one of these: orders.csv, people.csv. Did you mean 'orders'?"


def test_no_source_at_all_is_told_too():
    with pytest.raises(UserError, match="Name one of these: none"):
        build_plan(parse_config({"parameters": {"datasets": [{"uuid": "x"}]}}), ())


def test_a_format_that_the_source_does_not_have_is_refused():
    assert refusal(dataset(table={"format": "parquet"})).code == "source.format"
    assert plan(dataset(table={"format": "csv"})).datasets


# --- columns ---


@pytest.mark.parametrize("key", ["partition_on", "secondary_indices", "sort_partitions_by"])
def test_a_column_that_is_not_there_is_told_with_the_nearest(key):
    error = refusal(dataset(**{key: ["days"]}))
    assert (error.code, error.place.table, error.place.column) == ("column.missing", "orders.csv", "days")
    assert error.text == f"A column in {key} is not in the table"
    assert error.remedy == "Did you mean 'day'? The columns are id, price, day, note."


def test_a_column_like_no_other_is_told_without_a_guess():
    assert refusal(dataset(partition_on=["xyzzy"])).remedy == "The columns are id, price, day, note."


@pytest.mark.parametrize(("name", "code"), [("price", "column.type"), ("day", None), ("id", None), ("note", None)])
def test_partition_columns_have_types_that_clients_read_back(name, code):
    if code is None:
        assert plan(dataset(partition_on=[name])).datasets[0].partition_on == (name,)
    else:
        assert refusal(dataset(partition_on=[name])).code == code


def test_sorting_by_a_partition_column_is_left_out():
    made = plan(dataset(partition_on=["day"], sort_partitions_by=["note", "day", "id"]))
    assert made.datasets[0].sort_by == ("note", "id")


def test_buckets_are_of_columns_that_are_there():
    assert plan(dataset(bucket_by=["id", "day"], num_buckets=8)).datasets[0].buckets == Buckets(("id", "day"), 8)
    assert plan(dataset()).datasets[0].buckets is None
    assert refusal(dataset(bucket_by=["ids"], num_buckets=8)).text == "A column in bucket_by is not in the table"


# --- types ---


def columns_of(table):
    return {column.name: column for column in plan(dataset(table=table)).datasets[0].schema.columns}


def test_the_configuration_wins_over_the_manifest_column_by_column():
    columns = columns_of({"columns": {"price": "float", "note": {"type": "timestamp", "formats": ["%Y"]}}})
    assert columns["price"] == Column("price", TypeName.FLOAT)
    assert columns["note"] == Column("note", TypeName.TIMESTAMP, formats=("%Y",))
    assert columns["id"] == TYPED.column("id")


def test_what_belongs_to_the_type_of_the_manifest_stays_with_it_only():
    columns = columns_of({"columns": {"price": {"nulls": "never"}, "day": "timestamp"}})
    assert columns["price"] == Column("price", TypeName.NUMERIC, "12,2", null_rule=NullRule.NEVER)
    assert columns["day"] == Column("day", TypeName.TIMESTAMP)


def test_a_string_that_is_never_null_reads_empty_cells_as_empty_text():
    assert columns_of({"columns": {"note": {"nullable": False}}})["note"].nulls is NullRule.NEVER
    assert columns_of({"columns": {"note": {"nullable": False, "nulls": "always"}}})["note"].nulls is NullRule.ALWAYS


def test_a_length_that_no_decimal_has_is_refused():
    assert refusal(dataset(table={"columns": {"price": {"type": "numeric", "length": "39,2"}}})).code == "column.type"


@pytest.mark.parametrize(
    ("columns", "infer"), [({}, ("note",)), ({"note": "string"}, ()), ({"note": {"nulls": "always"}}, ("note",))]
)
def test_only_columns_whose_type_nobody_tells_are_found_out(columns, infer):
    assert plan(dataset(table={"infer_types": True, "columns": columns})).datasets[0].infer == infer


def test_the_key_of_the_manifest_counts_unless_another_is_configured():
    assert plan(dataset()).datasets[0].schema.primary_key == ("id",)
    assert plan(dataset(table={"primary_key": ["day", "note"]})).datasets[0].schema.primary_key == ("day", "note")
    assert plan(dataset(table={"primary_key": []})).datasets[0].schema.primary_key == ()


# --- dialects ---


def test_the_dialect_that_is_configured_is_told_by_source():
    parameters = {
        "datasets": [
            {"uuid": "a", "tables": [{"source": "a.csv", "delimiter": ";"}]},
            {"uuid": "b", "tables": [{"source": "b.csv", "enclosure": "'"}]},
            {"uuid": "c"},
        ]
    }
    asked = asked_of(parse_config({"parameters": parameters}))
    found = {name: asked.dialect([name]) for name in asked.options}
    assert found == {"a.csv": GivenDialect(";"), "b.csv": GivenDialect(None, "'"), "c": GivenDialect()}


def test_what_is_configured_of_a_dialect_goes_over_what_the_manifest_says():
    manifest = Dialect("\t", "'")
    assert GivenDialect(";").over(manifest) == Dialect(";", "'")
    assert GivenDialect(None, "").over(manifest) == Dialect("\t", "")
    assert GivenDialect().over(manifest) == manifest


# --- outputs ---


def with_output(**facts):
    return {**dataset(), "outputs": [{"dataset": "orders", **facts}]}


def test_an_output_keeps_what_is_configured():
    (made,) = plan(
        with_output(
            name="o",
            columns=["day", "id"],
            predicates=[[["id", ">", 5]]],
            primary_key=["id"],
            incremental=True,
            destination="out.c-x.o",
            slices=False,
            compression="none",
        )
    ).outputs
    assert made == OutputPlan(
        name="o",
        dataset="orders",
        table="table",
        predicates=((("id", ">", 5),),),
        columns=("day", "id"),
        destination="out.c-x.o",
        primary_key=("id",),
        incremental=True,
        sliced=False,
        compression="none",
    )


def test_an_output_reads_the_table_of_the_dataset_whatever_its_name():
    parameters = with_output()
    parameters["datasets"][0]["tables"][0]["name"] = "core"
    assert plan(parameters).outputs[0].table == "core"


@pytest.mark.parametrize(
    ("facts", "what"),
    [
        ({"columns": ["days"]}, "columns of an output"),
        ({"primary_key": ["days"]}, "primary_key of an output"),
        ({"predicates": [[["id", "==", 1]], [["days", "==", 1]]]}, "predicates"),
    ],
)
def test_columns_of_an_output_are_checked_against_the_dataset_made_here(facts, what):
    error = refusal(with_output(**facts))
    assert (error.code, error.text) == ("column.missing", f"A column in {what} is not in the table")
    assert error.place.table == "orders"


def test_an_output_of_another_dataset_is_not_checked_yet():
    parameters = {"store": {"url": "file:///x"}, "outputs": [{"dataset": "elsewhere", "columns": ["any"]}]}
    assert plan(parameters).outputs[0].columns == ("any",)


@pytest.mark.parametrize(
    ("output", "taken"),
    [
        ({"name": "orders.rejected"}, "the rejected rows"),
        ({"name": "orders.rejected.csv"}, "the rejected rows"),
        ({"as": "file", "name": "orders.dataset.zip"}, "the archive"),
    ],
)
def test_names_that_the_run_uses_itself_are_refused(output, taken):
    parameters = with_output(**output)
    parameters["datasets"][0]["on_bad_row"] = "reject"
    error = refusal(parameters)
    assert error.code == "config.duplicate_output"
    assert taken in error.text


def test_names_that_the_run_does_not_use_are_free():
    assert plan(with_output(name="orders.rejected")).outputs
    named = with_output(name="orders.dataset.zip", **{"as": "file"})
    assert plan({**named, "store": {"url": "file:///x"}}).outputs


def test_what_is_configured_as_a_file_may_turn_out_to_be_any_kind():
    config = dataset(table={"format": "file", "file": {"reading": "lenient"}})
    assert plan(config, replace(source(), kind="arrow")).datasets[0].source.kind == "arrow"
