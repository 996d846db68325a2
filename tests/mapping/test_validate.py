from __future__ import annotations

import pytest

from component.mapping.options.table import DEFAULTS
from component.mapping.platform.model import DataTypes, Feature, RefusedError, Settings
from component.mapping.rules.validate import validate

TYPED = {"name": "a", "data_type": {"base": {"type": "STRING"}}}


def check(*, sliced=False, data_types=DataTypes.NONE, features=(), **options):
    config = DEFAULTS | {"destination": "in.c-main.t"} | options
    validate(config, "t.csv", Settings(data_types=data_types, features=frozenset(features)), sliced=sliced)


def refused(**given):
    with pytest.raises(RefusedError) as caught:
        check(**given)
    return caught.value.error


def test_a_plain_table_with_an_id_passes():
    check()


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"columns": ["Id", "_timestamp", "_TIMESTAMP"]}, 'System columns "_timestamp, _TIMESTAMP" cannot be imported'),
        ({"column_metadata": {"_Timestamp": []}}, 'Metadata for system columns "_Timestamp" cannot be imported'),
        ({"schema": [{"name": "_timestamp"}]}, 'Schema for system columns "_timestamp" cannot be imported'),
    ],
)
def test_the_system_column_is_refused_where_columns_are_named(option, text):
    error = refused(**option)
    assert error.code == "mapping.system_columns"
    assert error.text == f"Failed to process mapping for table t.csv: {text} to the table."


def test_all_places_of_the_system_column_are_said():
    error = refused(columns=["_timestamp"], column_metadata={"_timestamp": []})
    assert error.reason == "mapping.columns.system"
    assert error.text.endswith(
        'to the table. Metadata for system columns "_timestamp" cannot be imported to the table.'
    )


@pytest.mark.parametrize("data_types", [DataTypes.HINTS, DataTypes.AUTHORITATIVE])
def test_native_types_need_a_schema(data_types):
    error = refused(data_types=data_types, features=[Feature.NATIVE_TYPES], columns=["a"])
    assert (error.code, error.text) == ("mapping.schema_missing", "Configuration schema is missing.")
    check(data_types=data_types, columns=["a"])
    check(data_types=DataTypes.NONE, features=[Feature.NATIVE_TYPES], columns=["a"])


def test_authoritative_types_need_a_base_type_for_every_column():
    schema = [{"name": "x"}, TYPED, {"name": "y", "data_type": {}}]
    error = refused(data_types=DataTypes.AUTHORITATIVE, features=[Feature.NATIVE_TYPES], schema=schema)
    assert (error.code, error.text) == ("mapping.data_types_missing", "Missing data type for columns: x, y")
    check(data_types=DataTypes.HINTS, features=[Feature.NATIVE_TYPES], schema=schema)
    check(data_types=DataTypes.AUTHORITATIVE, features=[Feature.NATIVE_TYPES], schema=[TYPED])


def test_slices_need_columns_or_a_schema():
    error = refused(sliced=True)
    assert error.code == "mapping.slices_without_columns"
    assert error.text == 'Sliced file "t.csv" columns specification missing.'
    check(sliced=True, columns=["a"])
    check(sliced=True, schema=[TYPED])


@pytest.mark.parametrize("destination", ["in.c-main.a.b", "in.c-main"])
def test_a_destination_has_three_parts(destination):
    error = refused(destination=destination)
    assert error.code == "mapping.invalid_destination"
    assert error.text == f'Failed to resolve valid destination. "{destination}" is not a valid table ID.'


def test_checks_come_in_the_platforms_order():
    native = {"data_types": DataTypes.HINTS, "features": [Feature.NATIVE_TYPES]}
    wrong = {"columns": ["_timestamp"], "sliced": True, "destination": "x"}
    assert refused(**wrong, **native).code == "mapping.system_columns"
    assert refused(sliced=True, destination="x", **native).code == "mapping.schema_missing"
    assert refused(sliced=True, destination="x").code == "mapping.slices_without_columns"
