import pyarrow as pa
import pytest
from pyspark.sql import types as spark

from component.errors import UserError
from component.spark.datasource.types import dataset_schema, known_types, same_type, spark_schema

PAIRS = [
    (pa.int64(), spark.LongType()),
    (pa.float64(), spark.DoubleType()),
    (pa.string(), spark.StringType()),
    (pa.bool_(), spark.BooleanType()),
    (pa.date32(), spark.DateType()),
    (pa.timestamp("us"), spark.TimestampNTZType()),
    (pa.timestamp("us", "UTC"), spark.TimestampType()),
    (pa.decimal128(12, 2), spark.DecimalType(12, 2)),
    (pa.decimal128(38, 9), spark.DecimalType(38, 9)),
    (pa.binary(), spark.BinaryType()),
    (pa.null(), spark.NullType()),
    (pa.list_(pa.string()), spark.ArrayType(spark.StringType())),
    (pa.struct({"a": pa.int32(), "b": pa.string()}), spark.StructType().add("a", "integer").add("b", "string")),
    (pa.list_(pa.struct({"a": pa.int64()})), spark.ArrayType(spark.StructType().add("a", "long"))),
    (pa.list_(pa.list_(pa.int64())), spark.ArrayType(spark.ArrayType(spark.LongType()))),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=str)
def test_types_go_over_and_come_back(ours, theirs):
    schema = spark_schema(pa.schema({"a": ours}))
    assert schema == spark.StructType([spark.StructField("a", theirs)])
    assert dataset_schema(schema).field("a").type == ours


def test_unsigned_numbers_are_decimals_of_their_width():
    schema = spark_schema(pa.schema({"u": pa.uint64(), "l": pa.list_(pa.uint64())}))
    assert [field.dataType.simpleString() for field in schema.fields] == ["decimal(20,0)", "array<decimal(20,0)>"]


def test_unsigned_numbers_come_back_to_a_dataset_that_has_them():
    wide = spark.DecimalType(20, 0)
    new = dataset_schema(spark.StructType().add("u", wide).add("v", wide).add("w", spark.LongType()))
    there = pa.schema({"u": pa.uint64(), "v": pa.decimal128(20, 0), "w": pa.uint64()})
    assert known_types(new, there).types == [pa.uint64(), pa.decimal128(20, 0), pa.int64()]


def test_narrow_types_are_widened():
    narrow = [spark.ByteType(), spark.ShortType(), spark.IntegerType(), spark.FloatType()]
    fields = [spark.StructField(str(number), data_type) for number, data_type in enumerate(narrow)]
    assert dataset_schema(spark.StructType(fields)).types == [pa.int64(), pa.int64(), pa.int64(), pa.float64()]


MAP = spark.MapType(spark.StringType(), spark.LongType())


@pytest.mark.parametrize(
    "theirs", [MAP, spark.ArrayType(MAP), spark.StructType(), spark.DayTimeIntervalType()], ids=str
)
def test_a_type_that_datasets_do_not_have_is_refused(theirs):
    with pytest.raises(UserError, match="A dataset has no type") as caught:
        dataset_schema(spark.StructType().add("a", theirs))
    assert (caught.value.code, caught.value.place.column) == ("column.type", "a")


@pytest.mark.parametrize(
    "ours", [pa.struct({"a": pa.duration("us")}), pa.duration("us"), pa.date64(), pa.decimal128(5, -2)]
)
def test_a_type_that_spark_does_not_have_is_refused(ours):
    with pytest.raises(UserError, match="Spark has no type") as caught:
        spark_schema(pa.schema({"a": ours}))
    assert caught.value.code == "column.type"


def test_a_name_that_stands_twice_is_refused():
    with pytest.raises(UserError) as caught:
        dataset_schema(spark.StructType().add("a", spark.LongType()).add("a", spark.DateType()))
    assert caught.value.code == "column.duplicate"


def test_types_are_the_same_whether_null_is_allowed_or_not():
    assert same_type(spark.ArrayType(spark.LongType()), spark.ArrayType(spark.LongType(), containsNull=False))
    assert not same_type(spark.LongType(), spark.IntegerType())
