"""The data source in a real Spark session: what goes in comes out, and questions are answered as Spark itself would."""

from __future__ import annotations

import functools
import json
import operator
import tempfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql import functions as sql
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)
from pyspark.sql.pandas.types import from_arrow_type

from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.header import read_header
from component.dataset.format.history import history
from component.dataset.reading.reader import open_dataset, plan_scan, read_scan
from component.spark.datasource.options import SHARED_FILTERS
from component.spark.source import register
from component.store.local import LocalStore
from tests.dataset.making import UUID, bag, layout_of, read_all, write_dataset, write_files
from tests.strategies.spark_filters import filters, kept
from tests.strategies.typed_tables import TYPES, tables

pytestmark = pytest.mark.spark

in_spark = settings(
    max_examples=10,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
"""For properties whose every example is a job: few, and what fails is not made smaller."""

ROWS = pa.table({"p": ["a", "a", "b", "b"], "id": [1, 2, 3, 4], "x": [0.5, float("nan"), None, 1.5]})


@pytest.fixture(scope="module")
def spark(engine):
    session = SparkSession(engine.context)
    session.conf.set("spark.sql.session.timeZone", "Europe/Prague")
    session.conf.set("spark.sql.caseSensitive", "true")
    register(session)
    yield session
    SparkSession._instantiatedSession = None
    session._jvm.SparkSession.clearDefaultSession()
    session._jvm.SparkSession.clearActiveSession()


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path / "store")


def load(spark, store, uuid=UUID, **options):
    return spark.read.format("kartothek").options(**options).load(f"{store.url}/{uuid}")


def save(frame, store, mode="append", uuid=UUID, **options):
    frame.write.format("kartothek").mode(mode).options(**options).save(f"{store.url}/{uuid}")


def ids(frame):
    return sorted(row["id"] for row in frame.collect())


ALL_TYPES = pa.table(
    {
        "int": pa.array([-(2**63), None, 2**63 - 1]),
        "unsigned": pa.array([0, None, 2**64 - 1], pa.uint64()),
        "float": [float("nan"), None, -0.0],
        "text": ["", None, "é😀\0"],
        "flag": [True, None, False],
        "date": pa.array([-719162, None, 2932896], pa.date32()),
        "time": pa.array([-62135596800000000, None, 253402300799999999], pa.timestamp("us")),
        "moment": pa.array([0, None, 1], pa.timestamp("us", "UTC")),
        "exact": pa.array(["-99999999999999999999999999999.999999999", None, "0"]).cast(pa.decimal128(38, 9)),
        "bytes": pa.array([b"", None, b"\0\xff"]),
        "list": pa.array([[], None, [1, None]], pa.list_(pa.int64())),
        "nested": pa.array([[["a"], None], None, []], pa.list_(pa.list_(pa.string()))),
        "unsigned list": pa.array([[2**64 - 1], None, []], pa.list_(pa.uint64())),
        "nothing": pa.nulls(3),
        "a.b `c`": [1, 2, 3],
    }
)


def test_every_type_goes_through_spark_and_back(spark, store):
    write_dataset(store, ALL_TYPES)
    frame = load(spark, store)
    assert dict(frame.dtypes)["time"] == "timestamp_ntz"
    save(frame, store, uuid="copy")
    copied = read_all(store, "copy")
    decimals = {"unsigned": pa.decimal128(20, 0), "unsigned list": pa.list_(pa.decimal128(20, 0))}
    expected = pa.schema([pa.field(f.name, decimals.get(f.name, f.type)) for f in ALL_TYPES.schema])
    assert copied.schema.equals(expected)
    assert bag(copied.cast(ALL_TYPES.schema)) == bag(ALL_TYPES)


@in_spark
@given(rows=tables(keys=1, least=2, most=4, types=(*TYPES, pa.timestamp("us"))))
def test_any_table_comes_back_from_spark_as_it_was(spark, rows):
    with tempfile.TemporaryDirectory() as folder:
        store = LocalStore(Path(folder))
        write_dataset(store, rows, rows.column_names[:1], splits=2)
        save(load(spark, store), store, uuid="copy", partition_on=json.dumps(rows.column_names[:1]))
        assert bag(read_all(store, "copy")) == bag(rows)


def asked(each, schema):
    """A filter as a condition that a person writes."""
    if isinstance(each, Not):
        return ~asked(each.child, schema)
    column = sql.col("`" + each.attribute[0].replace("`", "``") + "`")
    data_type = schema.field(each.attribute[0]).type
    if isinstance(each, IsNull | IsNotNull):
        return column.isNull() if isinstance(each, IsNull) else column.isNotNull()
    if isinstance(each, In):
        return column.isin([literal(value, data_type) for value in each.value])
    return MEANINGS[type(each)](column, literal(each.value, data_type))


def literal(value, data_type):
    """A value of the column's type; as text where py4j would change it on the way."""
    by_text = pa.types.is_temporal(data_type) or pa.types.is_decimal(data_type)
    return sql.lit(None if value is None else str(value) if by_text else value).cast(from_arrow_type(data_type))


MEANINGS = {
    EqualTo: operator.eq,
    EqualNullSafe: lambda column, value: column.eqNullSafe(value),
    LessThan: operator.lt,
    LessThanOrEqual: operator.le,
    GreaterThan: operator.gt,
    GreaterThanOrEqual: operator.ge,
    StringStartsWith: lambda column, value: column.startswith(value),
    StringEndsWith: lambda column, value: column.endswith(value),
    StringContains: lambda column, value: column.contains(value),
}


@st.composite
def questions(draw):
    rows = draw(tables(keys=1, least=2, most=3, max_rows=8))
    return rows, draw(filters(rows).filter(bool))


@in_spark
@given(question=questions())
def test_spark_gives_the_same_rows_with_our_filters_as_with_its_own(spark, question):
    rows, found = question
    where = functools.reduce(operator.and_, [asked(each, rows.schema) for each in found])
    with tempfile.TemporaryDirectory() as folder:
        store = LocalStore(Path(folder))
        write_dataset(store, rows, rows.column_names[:1], rows.column_names[1:2], splits=2)
        expected = sorted(map(repr, kept(rows.to_pylist(), found)))
        for pushdown in ("true", "false"):
            answer = load(spark, store, pushdown=pushdown).where(where).toArrow()
            assert sorted(map(repr, answer.to_pylist())) == expected


def test_a_dataframe_that_is_used_twice_has_all_its_rows_each_time(spark, store):
    write_dataset(store, ROWS, ["p"])
    frame = load(spark, store)
    assert (ids(frame.where("p = 'a'")), ids(frame), ids(frame.where("id > 3"))) == ([1, 2], [1, 2, 3, 4], [4])
    assert ids(frame.where("p = 'a'").union(frame.where("p = 'b'"))) == [1, 2, 3, 4]


def test_spark_still_answers_with_the_filters_of_an_earlier_question(spark, store):
    """When this fails, Spark is mended: let filters be taken by default from that version on."""
    write_dataset(store, ROWS, ["p"])
    frame = load(spark, store, pushdown="true")
    assert ids(frame.where("p = 'a'")) == [1, 2]
    assert (ids(frame) != [1, 2, 3, 4]) is SHARED_FILTERS


def test_filters_that_are_taken_are_not_asked_again(spark, store, capsys):
    write_dataset(store, ROWS, ["p"], ["id"])
    load(spark, store, pushdown="true").where("p = 'b' and id = 4 and x > 1").explain()
    plan = capsys.readouterr().out
    assert "(x#" in plan
    assert "(id#" not in plan
    assert "(p#" not in plan


def test_only_files_that_may_answer_are_read(spark, store):
    write_dataset(store, ROWS, ["p"], ["id"], splits=4)
    for scan in plan_scan(open_dataset(store, UUID), [[["id", "!=", 4]]]):
        if 4 not in read_scan(store, ROWS.schema, replace(scan, keep=()), ["id"])["id"].to_pylist():
            store.delete(scan.key)
    assert ids(load(spark, store, pushdown="true").where("id = 4")) == [4]
    assert ids(load(spark, store, predicates='[[["id", "==", 4]]]')) == [4]
    assert ids(load(spark, store, predicates='[[["id", "in", [4, 9]]], [["id", "==", 8]]]').where("x > 1")) == [4]


def test_a_read_has_the_columns_that_it_asks_for(spark, store):
    write_dataset(store, ROWS, ["p"])
    assert load(spark, store).columns == ["p", "id", "x"]
    assert load(spark, store, columns="id,p").where("id = 3").collect() == [(3, "b")]
    by_schema = spark.read.format("kartothek").schema("x double, id bigint").load(f"{store.url}/{UUID}")
    assert by_schema.where("id = 4").collect() == [(1.5, 4)]
    with pytest.raises(AnalysisException, match="is asked for as int and is bigint"):
        spark.read.format("kartothek").schema("id int").load(f"{store.url}/{UUID}").count()


def test_earlier_states_are_read_by_commit_and_by_time(spark, store):
    write_dataset(store, ROWS)
    first = next(history(store, UUID))
    write_dataset(store, ROWS.slice(0, 1), mode="append")
    assert load(spark, store).count() == 5
    assert load(spark, store, asOf=first.id).count() == 4
    assert load(spark, store, asOf=first.time.isoformat()).count() == 4
    with pytest.raises(AnalysisException, match="has no state of 2020-01-01"):
        load(spark, store, asOf="2020-01-01T00:00:00")


def test_a_table_is_named_by_an_option(spark, store):
    rows = pa.table({"id": [1]})
    layout = replace(layout_of(rows), table="helper")
    plan = plan_commit(store, layout, "overwrite")
    commit(store, plan, [write_files(store, layout, rows)])
    assert ids(load(spark, store, table="helper")) == [1]
    save(load(spark, store), store, uuid="copy", table="other")
    assert read_header(store, "copy").header.table == "other"


def test_an_empty_dataset_has_columns_and_no_rows(spark, store):
    write_dataset(store, ROWS.slice(0, 0), ["p"])
    frame = load(spark, store)
    assert (frame.columns, frame.count()) == (["p", "id", "x"], 0)


def test_writes_append_overwrite_and_replace_partitions(spark, store):
    write_dataset(store, ROWS)
    frame = load(spark, store)
    given = {"partition_on": "p", "secondary_indices": "id", "primary_key": "id", "metadata": '{"by": "spark"}'}
    save(frame, store, uuid="new", **given)
    header = read_header(store, "new").header
    assert (header.partition_keys, set(header.indices), header.metadata["by"]) == (("p",), {"id"}, "spark")
    save(frame.where("id = 1"), store, uuid="new")
    assert ids(load(spark, store, "new")) == [1, 1, 2, 3, 4]
    save(frame.where("id = 2"), store, "overwrite", "new", delete_scope='[{"p": "a"}]')
    assert ids(load(spark, store, "new")) == [2, 3, 4]
    save(load(spark, store, "new").where("id > 2"), store, "overwrite", "new")
    assert ids(load(spark, store, "new")) == [3, 4]
    assert [each.operation for each in history(store, "new")] == ["overwrite", "replace partitions", "append", "append"]


def test_a_job_that_fails_leaves_nothing(spark, store):
    write_dataset(store, ROWS)
    before = {stat.key for stat in store.list("")}
    failing = spark.range(0, 100, 1, 4).selectExpr("if(id = 99, raise_error('stop'), 'a') as p", "id", "0.5d as x")
    with pytest.raises(Exception, match="stop"):
        save(failing, store)
    assert {stat.key for stat in store.list("")} == before
    with pytest.raises(Exception, match=r"no value in a partition column \(table 'new', column 'p'\)"):
        save(spark.sql("select cast(null as string) as p, 1 as id"), store, uuid="new", partition_on="p")
    assert {stat.key for stat in store.list("")} == before


def test_sql_asks_views_and_inserts_into_them(spark, store):
    write_dataset(store, ROWS, ["p"])
    load(spark, store).createOrReplaceTempView("sales")
    counted = spark.sql("select p, count(*) from sales where id > 1 group by p order by p").collect()
    assert counted == [("a", 1), ("b", 2)]
    spark.sql(f"create or replace temporary view live using kartothek options (path '{store.url}/{UUID}')")
    spark.sql("insert into live select p, id + 10, x from sales where p = 'b'")
    assert ids(load(spark, store)) == [1, 2, 3, 4, 13, 14]


def test_tables_of_sparks_catalog_are_refused_in_words(spark, store):
    write_dataset(store, ROWS)
    with pytest.raises(AnalysisException, match="CREATE TEMPORARY VIEW"):
        spark.sql(f"create table lost using kartothek options (path '{store.url}/{UUID}')")


@pytest.mark.parametrize("mode", ["errorifexists", "ignore"])
def test_spark_itself_refuses_other_modes(spark, store, mode):
    with pytest.raises(AnalysisException, match="UNSUPPORTED_DATA_SOURCE_SAVE_MODE"):
        save(spark.range(1), store, mode)


def test_partition_by_is_refused_by_spark(spark, store):
    with pytest.raises(Exception, match="partitioning or clustering columns do not match"):
        spark.range(1).write.format("kartothek").mode("append").partitionBy("id").save(f"{store.url}/{UUID}")


def test_errors_reach_the_user_with_their_remedy(spark, store):
    with pytest.raises(AnalysisException, match=f"There is no dataset 'sales' in {store.url}"):
        load(spark, store)
    with pytest.raises(AnalysisException, match=r"no option 'tabel'\. Options are asof, columns"):
        load(spark, store, tabel="x")
