from __future__ import annotations

from dataclasses import replace

import pytest

from component.errors import Place
from component.folder.datatypes import column_of_metadata, column_of_schema, type_of_backend
from component.folder.manifest_object import ManifestObject
from component.tables.logical import zoned
from component.tables.types import Column, TypeName
from tests.strategies.manifests import BACKEND_WORDS


def schema_column(tmp_path, **entry):
    return column_of_schema(ManifestObject({"name": "a", **entry}, tmp_path, Place()))


@pytest.mark.parametrize(
    ("type_name", "word"), [(name, word) for name, words in BACKEND_WORDS.items() for word in words]
)
def test_backend_words_have_their_type(type_name, word):
    assert type_of_backend(word)[0] is type_name


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("NUMBER(38,0)", (TypeName.NUMERIC, "38,0")),
        ("decimal(12, 2) unsigned", (TypeName.NUMERIC, "12, 2")),
        ("bigint(20) unsigned", (TypeName.NUMERIC, "20,0")),
        ("int(11)", (TypeName.INTEGER, "11")),
        ("timestamp(6) with time zone", (TypeName.TIMESTAMP, "6")),
        ("varchar()", (TypeName.STRING, None)),
        ("bit(1)", (TypeName.STRING, "1")),
        ("", (TypeName.STRING, None)),
    ],
)
def test_backend_words_with_lengths(word, expected):
    assert type_of_backend(word) == expected


def test_the_base_type_of_a_schema_decides_and_the_backend_gives_the_length(tmp_path):
    data_type = {"snowflake": {"type": "NUMBER", "length": "38,2"}, "base": {"type": "NUMERIC"}}
    assert schema_column(tmp_path, data_type=data_type) == Column("a", TypeName.NUMERIC, "38,2")


def test_a_schema_entry_without_type_is_untyped(tmp_path):
    assert schema_column(tmp_path) is None
    assert schema_column(tmp_path, data_type=[]) is None
    assert schema_column(tmp_path, data_type={"base": []}, nullable=False) is None


def test_a_time_of_day_stays_text_though_its_base_type_is_timestamp(tmp_path):
    data_type = {"base": {"type": "TIMESTAMP"}, "bigquery": {"type": "TIME"}}
    assert schema_column(tmp_path, data_type=data_type) == Column("a", TypeName.STRING)


def test_an_unknown_base_type_is_a_string(tmp_path):
    assert schema_column(tmp_path, data_type={"base": {"type": "GEOGRAPHY"}}) == Column("a", TypeName.STRING)


def test_a_length_may_be_a_number(tmp_path):
    data_type = {"base": {"type": "STRING", "length": 255}}
    assert schema_column(tmp_path, data_type=data_type, nullable=False) == Column(
        "a", TypeName.STRING, "255", nullable=False
    )


@pytest.mark.parametrize(
    ("value", "nullable"),
    [
        (None, True),
        ("1", True),
        (1, True),
        ("true", True),
        (True, True),
        ("", False),
        ("0", False),
        (0, False),
        (False, False),
    ],
)
def test_nullable_comes_in_many_words(value, nullable):
    metadata = {"KBC.datatype.basetype": "INTEGER", "KBC.datatype.nullable": value}
    assert column_of_metadata("a", metadata) == Column("a", TypeName.INTEGER, nullable=nullable)


def test_metadata_without_a_type_tell_no_column():
    assert column_of_metadata("a", {"KBC.datatype.nullable": "0", "KBC.datatype.length": "3"}) is None
    assert column_of_metadata("a", {"KBC.datatype.basetype": " ", "KBC.datatype.type": None}) is None


def test_a_numeric_without_length_has_none():
    assert column_of_metadata("a", {"KBC.datatype.basetype": "numeric"}) == Column("a", TypeName.NUMERIC, None)


@pytest.mark.parametrize(
    ("word", "keeps_zones"),
    [
        *((word, True) for word in ("TIMESTAMP_TZ", "TIMESTAMP_LTZ(9)", "timestamptz", "datetimeoffset(7)")),
        *((word, True) for word in ("timestamp(6) with time zone", "TIMESTAMP WITH LOCAL TIME ZONE")),
        *((word, False) for word in ("TIMESTAMP", "TIMESTAMP_NTZ", "timestamp without time zone", "DATETIME", "")),
    ],
)
def test_a_type_with_a_zone_keeps_its_values_as_they_come(tmp_path, word, keeps_zones):
    types = {"base": {"type": "TIMESTAMP"}, "snowflake": {"type": word}}
    kept = zoned(Column("a", TypeName.TIMESTAMP))
    for column in (
        schema_column(tmp_path, data_type=types),
        column_of_metadata("a", {"KBC.datatype.basetype": "TIMESTAMP", "KBC.datatype.type": word}),
    ):
        assert (replace(column, length=None) == kept) is keeps_zones
        assert (column.type is TypeName.TIMESTAMP) is not keeps_zones
