from __future__ import annotations

import json

import pytest

from component.errors import UserError
from component.records.format_file import FormatType, RecordsFormat, format_file, format_name, read_hints
from component.records.hint_values import NAMES, VARIANTS
from component.records.hints import resolve_hints


def refused(call, *arguments, **options):
    with pytest.raises(UserError) as error:
        call(*arguments, **options)
    return error.value


@pytest.mark.parametrize("kind", FormatType)
def test_the_name_says_the_format(kind):
    assert format_name([f"_format_{kind}", "_schema", "data001.csv", "._format_x"]) == (f"_format_{kind}", kind)


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["data001.csv"],
        ["_format_parquet", "_format_delimited"],
        ["_format_delimited", "_format_delimited.crc"],
        ["_format_orc"],
        ["_format"],
    ],
)
def test_exactly_one_known_format_is_taken(names):
    error = refused(format_name, names)
    assert error.code == "records.format"
    assert "_format_delimited" in str(error)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_written_has_all_hints_and_reads_back_the_same(variant):
    hints, _ = resolve_hints(variant, {})
    name, data = format_file(RecordsFormat(FormatType.DELIMITED, hints))
    document = json.loads(data)
    assert name == "_format_delimited"
    assert list(document) == ["type", "variant", "hints"]
    assert tuple(document["hints"]) == NAMES
    for defaults in ("tablemill", "spec", "client"):
        assert read_hints(data, defaults=defaults) == (hints, ())


def test_null_that_the_client_refuses_is_never_written():
    hints, _ = resolve_hints("dumb", {"dateformat": None, "record-terminator": None})
    document = json.loads(format_file(RecordsFormat(FormatType.DELIMITED, hints))[1])
    assert document["hints"]["dateformat"] == "YYYY-MM-DD"
    assert document["hints"]["record-terminator"] == "\n"


@pytest.mark.parametrize("kind", [FormatType.PARQUET, FormatType.AVRO])
def test_the_simple_form_is_an_empty_file(kind):
    assert format_file(RecordsFormat(kind)) == (f"_format_{kind}", b"")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'"csv"',
        b'{"variant": 1}',
        b'{"variant": "csv", "hints": []}',
        b'{"variant": "csv",}',
        b"\xff",
    ],
)
def test_what_is_no_format_file_is_refused(data):
    assert refused(read_hints, data).code == "records.format"


def test_a_format_file_without_variant_is_refused():
    assert refused(read_hints, b'{"hints": {}}').code == "records.hint"


def test_hints_may_be_absent_and_other_keys_are_ignored():
    hints, said = read_hints(b'{"variant": "csv", "whatever": 1}')
    assert hints == resolve_hints("csv", {})[0]
    assert said == ()


def test_a_type_that_is_not_the_files_own_is_remarked():
    assert [one.code for one in read_hints(b'{"type": "parquet", "variant": "csv"}')[1]] == ["format.type"]


def test_hints_of_the_reader_stand_above_those_of_the_file():
    data = b'{"variant": "csv", "hints": {"compression": "GZIP"}}'
    assert read_hints(data, given={"compression": None})[0].compression is None
