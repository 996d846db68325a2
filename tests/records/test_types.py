"""One test per cell of docs/records-types.md."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pyarrow as pa
import pytest

from component.dataset.format.schema import normal_type
from component.errors import UserError
from component.folder.datatypes import column_of_metadata
from component.formats.delimited.write import DelimitedWriting
from component.outputs.manifest import native_types
from component.records.schema_fields import parse_field
from component.records.schema_models import RecordsSchema
from component.records.types import (
    arrow_of_field,
    column_of_field,
    described_by_type,
    field_of_arrow,
    field_of_column,
    field_of_spark,
    records_schema,
    spark_of_field,
    table_schema,
)
from component.tables.logical import RECORDS_FIELD, Logical, logical_column, logical_of
from component.tables.types import Column, TypeName, column_of_arrow
from scripts.write_records_types import BACK, CELL_FORMATS, CELLS, FAMILIES, FORWARD, HINTS, page
from tests.records import cell_outcomes
from tests.records.cell_outcomes import outcome
from tests.strategies.delimited_tables import VARIANTS

ARROW = {
    str(one): one
    for one in (
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float16(), pa.float32(), pa.float64(), pa.decimal128(10, 2), pa.decimal256(76, 38)),
        *(pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.null(), pa.bool_()),
        *(pa.date32(), pa.date64(), pa.time32("s"), pa.time64("us"), pa.timestamp("us"), pa.timestamp("ns")),
        *(pa.timestamp("us", "UTC"), pa.timestamp("ns", "US/Eastern")),
    )
}


def field_of(content):
    field, said = parse_field("c", content)
    assert not said
    return field


def column_text(column):
    length = f"({column.length})" if column.length else ""
    kind = f", {logical}" if (logical := logical_of(column)) else ""
    return f"{column.type}{length}{kind}"


def platform_text(column):
    base = native_types(column)["base"]
    return base["type"] + (f"({base['length']})" if "length" in base else "")


def dataset_type(field):
    return str(normal_type(column_of_field(field).arrow))


FORWARD_OF = {
    "column": lambda field: column_text(column_of_field(field)),
    "arrow": lambda field: str(arrow_of_field(field)),
    "spark": spark_of_field,
    "kartothek": dataset_type,
    "keboola": lambda field: platform_text(column_of_field(field)),
}


def split_length(text):
    word, _, length = text.partition("(")
    return word, length.rstrip(")") or None


def column_of_text(text):
    word, _, kind = text.partition(", ")
    if kind:
        return logical_column("c", Logical(kind))
    name, length = split_length(word)
    return Column("c", TypeName(name), length)


def column_of_base(text):
    word, length = split_length(text)
    metadata = {"KBC.datatype.basetype": word, "KBC.datatype.length": length or ""}
    return column_of_metadata("c", metadata)


BACK_OF = {
    "Tablemill": lambda text: field_of_column(column_of_text(text)),
    "Arrow": lambda text: field_of_arrow("c", ARROW[text]),
    "Spark": lambda text: field_of_spark("c", text),
    "Kartothek": lambda text: field_of_arrow("c", ARROW[text]),
    "Keboola": lambda text: field_of_column(column_of_base(text)),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("line", FORWARD, ids=lambda line: line.name)
def test_a_field_has_this_type_elsewhere(line, family):
    assert FORWARD_OF[family](field_of(line.field)) == getattr(line, family)


@pytest.mark.parametrize(
    ("family", "text"), [(family, text) for family, types in BACK.items() for text in types], ids=str
)
def test_a_type_of_others_is_this_field(family, text):
    assert BACK_OF[family](text) == field_of(BACK[family][text])


def test_the_page_says_what_the_table_says():
    assert (Path(__file__).parents[2] / "docs" / "records-types.md").read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("line", FORWARD, ids=lambda line: line.name)
def test_a_field_comes_back_the_same_through_a_column(line):
    field = field_of({**line.field, "representations": {"origin": {"rep_type": "sql/x", "col_ddl": "ANY"}}})
    assert field_of_column(column_of_field(field)) == field


def test_every_type_of_the_spec_is_in_the_table():
    assert len({line.field["type"] for line in FORWARD}) == 9


@pytest.mark.parametrize("data_type", [pa.binary(), pa.list_(pa.int64()), pa.duration("us"), pa.struct([])], ids=str)
def test_arrow_types_without_a_field_are_refused(data_type):
    with pytest.raises(UserError) as refused:
        field_of_arrow("c", data_type)
    assert refused.value.code == "column.type"
    assert refused.value.place.column == "c"


@pytest.mark.parametrize("text", ["binary", "array<int>", "map<string,int>", "struct<a:int>", "interval day", ""])
def test_spark_types_without_a_field_are_refused(text):
    with pytest.raises(UserError) as refused:
        field_of_spark("c", text)
    assert refused.value.code == "column.type"


def test_spark_knows_the_types_that_we_name_and_names_those_that_we_know():
    from pyspark.sql import types as spark

    from component.spark.datasource.types import spark_schema

    theirs = [
        *(spark.ByteType(), spark.ShortType(), spark.IntegerType(), spark.LongType(), spark.FloatType()),
        *(spark.DoubleType(), spark.DecimalType(10, 2), spark.DecimalType(20, 0), spark.StringType()),
        *(spark.VarcharType(20), spark.CharType(20), spark.BooleanType(), spark.DateType(), spark.TimeType(6)),
        *(spark.TimestampNTZType(), spark.TimestampType()),
    ]
    for line in FORWARD:
        arrow = ARROW.get(line.arrow)
        if arrow is None or pa.types.is_time(arrow):
            continue
        assert spark_schema(pa.schema([("c", arrow)])).fields[0].dataType.simpleString() == line.spark
    assert [one.simpleString() for one in theirs] == list(BACK["Spark"])


def test_a_column_whose_type_was_changed_forgets_its_field():
    column = column_of_field(field_of({"type": "integer", "constraints": {"min": "0", "max": "5"}}))
    changed = Column("c", TypeName.STRING, attributes=column.attributes)
    assert field_of_column(changed).type == "string"
    assert field_of_column(changed).representations == {}


def test_whether_values_are_required_goes_both_ways():
    column = column_of_field(field_of({"type": "date", "constraints": {"required": True}}))
    assert not column.nullable
    assert field_of_column(column).constraints.required


def test_what_is_known_of_representations_travels_with_the_columns():
    fields = (field_of({"type": "date"}),)
    known = {"origin": {"type": "sql/redshift", "table_ddl": "CREATE TABLE x"}, "other": {"type": "unheard/of"}}
    schema = RecordsSchema(fields, known)
    assert records_schema(table_schema(schema).columns).known_representations == known


def test_the_index_and_the_statistics_of_one_file_do_not_travel():
    field = field_of({"type": "date", "index": 7})
    assert "index" not in (column_of_field(field).attribute(RECORDS_FIELD) or "")


@pytest.mark.parametrize(
    "data_type", [pa.int8(), pa.uint32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()], ids=str
)
def test_a_column_of_numbers_is_written_as_the_field_of_its_stored_type(data_type):
    column = described_by_type(column_of_arrow("c", data_type), data_type)
    assert field_of_column(column) == field_of_arrow("c", data_type)
    plain = Column("c", TypeName.NUMERIC, "20,0")
    assert described_by_type(plain, pa.decimal128(20, 0)) == plain


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_becomes_what_the_page_says(tmp_path, name):
    assert set(CELLS) == set(cell_outcomes.CELLS)
    assert tuple(cell_outcomes.FORMATS) == CELL_FORMATS
    found = [outcome(tmp_path, writing, *cell_outcomes.CELLS[name]) for writing in cell_outcomes.FORMATS.values()]
    assert tuple(found) == CELLS[name]


@pytest.mark.parametrize(("hints", "name", "becomes"), HINTS)
def test_a_hint_makes_of_a_cell_what_the_page_says(tmp_path, hints, name, becomes):
    dialect = dataclasses.replace(VARIANTS["bluelabs"], **hints)
    assert outcome(tmp_path, DelimitedWriting(dialect), *cell_outcomes.CELLS[name]) == becomes


@pytest.mark.parametrize(
    "data_type", [pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.decimal128(10, 2)], ids=str
)
def test_null_is_kept_whatever_the_type(tmp_path, data_type):
    column = column_of_arrow("v", data_type)
    assert {outcome(tmp_path, one, column, None) for one in cell_outcomes.FORMATS.values()} == {"kept"}
