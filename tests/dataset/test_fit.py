import pyarrow as pa
import pytest

from component.dataset.commits.fit import check_indices, fit_layout, fit_tables
from component.dataset.format.header import Header
from component.dataset.format.layout import Layout
from component.dataset.format.schema import normal_schema
from component.errors import UserError

SCHEMA = pa.schema([("v", pa.int64()), ("k", pa.string()), ("t", pa.string())])
EXISTING = normal_schema(SCHEMA, ("k",))
HEADER = Header("u", {"k=x/l": {"core": "u/core/k=x/l.parquet"}}, ("k",), {"v": "u/indices/v/i"})


def test_an_append_takes_partition_keys_table_and_indices_of_the_dataset():
    (fitted,) = fit_tables([Layout("u", SCHEMA)], HEADER, {HEADER.table: EXISTING})
    assert (fitted.partition_on, fitted.table, fitted.secondary_indices) == (("k",), "core", ("v",))
    assert fitted.schema.equals(SCHEMA)


def test_an_append_may_say_what_the_dataset_has():
    assert fit_layout(Layout("u", SCHEMA, ("k",), ("v",)), HEADER, EXISTING).partition_on == ("k",)


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (Layout("u", SCHEMA, ("t",)), "partitioned by k, and t is configured"),
        (Layout("u", SCHEMA, ("k", "t")), "partitioned by k, and k, t is configured"),
        (Layout("u", SCHEMA, (), ("t",)), "indexed by v, and t is configured"),
    ],
)
def test_an_append_that_is_laid_out_in_another_way_is_refused(layout, words):
    with pytest.raises(UserError, match=words) as caught:
        fit_layout(layout, HEADER, EXISTING)
    assert caught.value.code == "dataset.partitioning"


@pytest.mark.parametrize(
    "schema",
    [
        pa.schema([("v", pa.int64()), ("t", pa.string())]),
        pa.schema([("k", pa.string()), ("t", pa.string())]),
        pa.schema([*SCHEMA, ("more", pa.string())]),
        pa.schema([("v", pa.float64()), ("k", pa.string()), ("t", pa.string())]),
        pa.schema([("v", pa.int64()), ("k", pa.int64()), ("t", pa.string())]),
    ],
)
def test_rows_of_another_schema_are_refused_also_where_a_partition_or_index_column_is_missing(schema):
    with pytest.raises(UserError) as caught:
        fit_layout(Layout("u", schema), HEADER, EXISTING)
    assert caught.value.code == "dataset.schema"


def test_a_dataset_without_partitions_takes_new_indices():
    fitted = fit_layout(Layout("u", SCHEMA, (), ("t",)), Header("u", {}, ("k",)), EXISTING)
    assert fitted.secondary_indices == ("t",)


def test_a_column_without_values_gets_the_type_of_the_dataset():
    schema = pa.schema([("v", pa.null()), ("k", pa.string()), ("t", pa.string())])
    assert fit_layout(Layout("u", schema), HEADER, EXISTING).stored_schema.equals(EXISTING)


@pytest.mark.parametrize(
    ("partitions", "text"),
    [
        ({"l": {"core": "u/core/l.parquet", "side": "u/side/l.parquet"}}, "has the tables core, side"),
        ({"a": {"core": "u/core/a.parquet"}, "b": {"side": "u/side/b.parquet"}}, "has a file of side"),
    ],
)
def test_a_dataset_of_several_tables_takes_no_rows_of_one(partitions, text):
    header = Header("u", partitions)
    existing = {table: normal_schema(SCHEMA, ()) for table in header.tables}
    with pytest.raises(UserError, match=text) as caught:
        fit_tables([Layout("u", SCHEMA)], header, existing)
    assert caught.value.code == "dataset.format"


def test_an_append_to_several_tables_takes_them_in_the_order_in_which_they_come():
    header = Header(
        "u", {"k=1/a": {"core": "u/core/k=1/a.parquet", "side": "u/side/k=1/a.parquet"}}, ("k",), {"t": "i"}
    )
    side = pa.schema([("k", pa.string()), ("w", pa.float64())])
    existing = {"core": EXISTING, "side": normal_schema(side, ("k",))}
    layouts = [Layout("u", side, table="side"), Layout("u", SCHEMA, table="core")]
    fitted = fit_tables(layouts, header, existing)
    assert [(one.table, one.secondary_indices) for one in fitted] == [("side", ()), ("core", ("t",))]


@pytest.mark.parametrize(
    "data_type", [pa.string(), pa.int64(), pa.decimal128(5, 2), pa.bool_(), pa.binary(), pa.date32()]
)
def test_a_column_of_plain_values_can_have_an_index(data_type):
    assert check_indices(Layout("u", pa.schema([("c", data_type)]), (), ("c",))) is None


@pytest.mark.parametrize(
    ("layout", "code"),
    [
        (Layout("u", SCHEMA, (), ("x",)), "column.missing"),
        (Layout("u", SCHEMA, ("k",), ("k",)), "column.missing"),
        (Layout("u", pa.schema([("partition", pa.string())]), (), ("partition",)), "column.type"),
        (Layout("u", pa.schema([("x", pa.null())]), (), ("x",)), "column.type"),
        (Layout("u", pa.schema([("x", pa.list_(pa.int64()))]), (), ("x",)), "column.type"),
    ],
)
def test_a_column_that_cannot_have_an_index_is_refused_by_name(layout, code):
    with pytest.raises(UserError) as caught:
        check_indices(layout)
    assert (caught.value.code, caught.value.place.column) == (code, layout.secondary_indices[0])
