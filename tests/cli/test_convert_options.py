"""The options of `tablemill convert`, in the words of a configuration."""

from __future__ import annotations

import pytest

from component.cli.convert_options import DatasetOptions, MoreOptions, ReadOptions, WriteOptions, options_of
from component.config.model import OutputConfig, TableConfig
from component.errors import UserError


def options(read=None, write=None, dataset=None, more=None):
    return options_of(
        read or ReadOptions(), write or WriteOptions(), dataset or DatasetOptions(), more or MoreOptions()
    )


def test_nothing_said_is_nothing_configured():
    found = options()
    assert (found.table, found.dataset, found.output, found.parameters) == ({}, {}, {}, {})


def test_options_of_a_records_directory_are_those_of_a_table():
    read = ReadOptions(
        source_hint=["header-row=true", "field-delimiter=|", 'quoting="all"', "escape=null"],
        lax=True,
        wait=5,
        assume_timezone="US/Eastern",
        keep_quoted_empty=True,
    )
    table = options(read).table
    assert table["records"] == {
        "hints": {"header-row": True, "field-delimiter": "|", "quoting": "all", "escape": None},
        "lax": True,
        "wait_seconds": 5,
        "assume_timezone": "US/Eastern",
        "keep_quoted_empty": True,
    }
    assert TableConfig.model_validate({"source": "x", **table}).records.keep_quoted_empty


def test_options_of_writing_are_those_of_an_output():
    write = WriteOptions(variant="vertica", hint=["compression=null"], file_mb=3, columns="a, b", where=["n > 1"])
    output = options(write=write).output
    assert output["records"] == {"variant": "vertica", "hints": {"compression": None}, "file_bytes": 3_000_000}
    assert output["columns"] == ["a", "b"]
    made = OutputConfig.model_validate({"dataset": "x", "as": "file", "format": "records", **output})
    assert made.records.file_bytes == 3_000_000


def test_types_and_json_stand_above_single_options():
    read = ReadOptions(column=["amount:numeric(12,2)", "day:date"], delimiter=";")
    found = options(read, more=MoreOptions(table_options='{"delimiter": "|"}')).table
    assert found["delimiter"] == "|"
    assert found["columns"] == [
        {"name": "amount", "type": "numeric", "length": "12,2"},
        {"name": "day", "type": "date"},
    ]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"read": ReadOptions(source_hint=["header-row"])}, "config.value"),
        ({"read": ReadOptions(column=["amount"])}, "config.value"),
        ({"more": MoreOptions(parameters="{")}, "config.syntax"),
        ({"more": MoreOptions(output_options="[]")}, "config.syntax"),
    ],
)
def test_what_cannot_be_understood_is_refused(given, code):
    with pytest.raises(UserError) as caught:
        options(**given)
    assert caught.value.code == code


def test_json_adds_to_what_single_options_say_of_a_file():
    read = ReadOptions(reading="lenient", numbers="exact")
    found = options(read, more=MoreOptions(table_options='{"format": "file", "file": {"numbers": "text"}}')).table
    assert found == {"format": "file", "file": {"reading": "lenient", "numbers": "text"}}
