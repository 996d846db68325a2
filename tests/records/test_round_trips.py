"""A records directory as it is written and read again, whole: any variant, any hints, any format, any table.

What a dialect cannot carry is refused; of what it takes, only the empty string changes: to null (docs/records.md).
"""

from __future__ import annotations

import json
import shutil
from contextlib import closing

import pyarrow as pa
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from component.config.reading import RecordsReading
from component.errors import UserError
from component.formats.delimited.write import is_invertible
from component.outputs.file_formats import writing_of_records
from component.plan.model import Limits
from component.plan.records_sources import records_source
from component.plan.splits import reader_of, splits_of
from component.records.format_file import FormatType, RecordsFormat
from component.records.hint_values import VARIANTS
from component.records.hints import dialect_of, resolve_hints
from component.records.places import LocalListing
from component.records.statistics import statistics_of
from component.records.writing import WrittenDataFile, data_file_name, finish_directory
from component.tables.logical import RECORDS_FIELD, Logical, logical_of
from component.tables.types import TableSchema
from tests.records.published import published
from tests.strategies.delimited_tables import same, typed_tables

SETTINGS = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much], max_examples=60
)
DATES = ["YYYY-MM-DD", "MM-DD-YYYY", "DD-MM-YYYY", "MM/DD/YY", "DD/MM/YY", "DD-MM-YY"]
CLOCKS = ["HH24:MI:SS", "HH:MI:SS", "HH12:MI AM", "HH24:MI", "HH12:MI:SS AM"]
LIMITS = Limits(split_bytes=7, block_bytes=1000, buffer_bytes=1000, direct_files=1, slice_bytes=1, max_slices=1)
HINTS = {
    "header-row": st.booleans(),
    "field-delimiter": st.sampled_from([",", "|", "\t", ";", "\x01", "§"]),
    "record-terminator": st.sampled_from(["\n", "\r\n", "\r", "\x02", "~~end~~"]),
    "compression": st.sampled_from(["GZIP", "BZIP", None]),
    "quoting": st.sampled_from(["all", "minimal", "nonnumeric", None]),
    "quotechar": st.sampled_from(['"', "'"]),
    "doublequote": st.booleans(),
    "escape": st.sampled_from(["\\", None]),
    "encoding": st.sampled_from(["UTF8", "UTF16", "UTF16LE", "UTF16BE", "UTF16BOM", "UTF8BOM", "LATIN1", "CP1252"]),
    "dateformat": st.sampled_from(DATES),
    "timeonlyformat": st.sampled_from(CLOCKS),
    "datetimeformat": st.sampled_from([f"{date} {clock}" for date in DATES for clock in CLOCKS]),
    "datetimeformattz": st.sampled_from(
        [f"{date} {clock}{offset}" for date in DATES for clock in CLOCKS for offset in ("", "OF")]
    ),
}
ISO = {"dateformat": "YYYY-MM-DD", "timeonlyformat": "HH24:MI:SS", "datetimeformat": "YYYY-MM-DD HH24:MI:SS"}
given_hints = st.fixed_dictionaries({}, optional=HINTS)
FULL = [
    (variant, {**ISO, "datetimeformattz": "YYYY-MM-DD HH24:MI:SSOF", "compression": compression})
    for variant in VARIANTS
    for compression in ("GZIP", None)
]


def code_of(act):
    """The code of the error that an act ends with, None when it does not."""
    try:
        act()
    except UserError as error:
        return error.code
    return None


def format_of(variant, hints):
    """The format of hints, None where they contradict each other."""
    found = []
    code = code_of(lambda: found.append(RecordsFormat(FormatType.DELIMITED, resolve_hints(variant, hints)[0])))
    assert code in {None, "records.hint"}
    return found[0] if found else None


def write(root, table, schema, chosen, files):
    """Write a directory as a run does: its data files, each with its statistics, then everything else."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    attributes = {column.name: dict(column.attributes) for column in schema.columns}
    written = []
    for number in range(files):
        part = table.slice(
            table.num_rows * number // files,
            table.num_rows * (number + 1) // files - table.num_rows * number // files,
        )
        path = root / data_file_name(number + 1, chosen)
        with closing(writing_of_records(chosen).open(path, table.schema, attributes)) as writer:
            writer.write(part)
        written.append(WrittenDataFile(path.name, path.stat().st_size, statistics_of(part)))
    finish_directory(LocalListing(root), chosen, schema, written)


def read(root, **reading):
    """Read a directory as a run does, in splits of a few bytes; return its rows, its columns and what is said."""
    said = RecordsReading(**reading)
    source, remarks = records_source(root, "r", "r", ("r",), said, root.parent / "scratch")
    reader = reader_of(source, source.schema, reject=False)
    splits = splits_of(source, LIMITS, cores=2)
    rows = [parsed.rows for split in splits for parsed in reader.read(split)]
    return pa.concat_tables([source.schema.arrow.empty_table(), *rows]), source.schema, remarks


def without_empty_text(table):
    """The table as it comes back: the empty string is null (docs/records.md, "Null")."""
    columns = [
        pa.array([cell or None for cell in column.to_pylist()], column.type)
        if pa.types.is_string(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(columns, table.column_names)


def bare(schema: TableSchema):
    return [(column.name, column.type, column.arrow, kind_of(column)) for column in schema.columns]


def kind_of(column):
    """The kind that a records schema has a word for; a timestamp with the zone it came with is text there."""
    kind = logical_of(column)
    return None if kind is Logical.ZONED else kind


def assert_comes_back(root, table, schema):
    found, columns, remarks = read(root)
    assert same(found, without_empty_text(table))
    assert bare(columns) == bare(schema)
    assert all(column.attribute(RECORDS_FIELD) for column in columns.columns)
    assert remarks == ()
    published().validate(json.loads((root / "_schema.json").read_bytes()))


@SETTINGS
@given(drawn=typed_tables(), variant=st.sampled_from(VARIANTS), hints=given_hints, files=st.integers(1, 3))
def test_whatever_is_written_with_whatever_hints_comes_back(tmp_path, drawn, variant, hints, files):
    table, schema = drawn
    chosen = format_of(variant, hints)
    assume(chosen is not None)
    refused = code_of(lambda: write(tmp_path / "r", table, schema, chosen, files))
    if refused is not None:
        event("refused")
        assert refused == "cell.unwritable"
        assert not is_invertible(dialect_of(chosen.hints)) or table.num_columns == 1
        return
    assert_comes_back(tmp_path / "r", table, schema)


@SETTINGS
@given(drawn=typed_tables(), chosen=st.sampled_from(FULL), files=st.integers(1, 3))
def test_every_variant_with_full_formats_takes_every_value_but_what_it_cannot_delimit(tmp_path, drawn, chosen, files):
    table, schema = drawn
    assume(table.num_columns > 1)
    variant, hints = chosen
    format_ = RecordsFormat(FormatType.DELIMITED, resolve_hints(variant, hints)[0])
    forbidden = {"dumb": ",\n\r", "vertica": "\x01\x02"}.get(variant, "")
    texts = [cell for column in table.columns for cell in column.to_pylist() if isinstance(cell, str)]
    # A mark of byte order at the beginning of a file would be the file's (docs/records.md, "Encodings").
    assume(not (forbidden and any(str(cell).startswith("\ufeff") for cell in table.columns[0].to_pylist())))
    if any(character in text for text in texts for character in forbidden):
        assert code_of(lambda: write(tmp_path / "r", table, schema, format_, files)) == "cell.unwritable"
        return
    write(tmp_path / "r", table, schema, format_, files)
    assert_comes_back(tmp_path / "r", table, schema)


@SETTINGS
@given(drawn=typed_tables(), kind=st.sampled_from([FormatType.PARQUET, FormatType.AVRO]), files=st.integers(1, 3))
def test_parquet_and_avro_bring_back_everything(tmp_path, drawn, kind, files):
    table, schema = drawn
    write(tmp_path / "r", table, schema, RecordsFormat(kind), files)
    found, columns, remarks = read(tmp_path / "r")
    assert same(found, table)
    assert (bare(columns), remarks) == (bare(schema), ())


@settings(SETTINGS, max_examples=30)
@given(drawn=typed_tables())
def test_the_empty_string_stays_with_minimal_quoting_for_who_looks_at_quotes(tmp_path, drawn):
    table, schema = drawn
    assume(table.num_columns > 1)
    format_ = RecordsFormat(FormatType.DELIMITED, resolve_hints("bigquery", {})[0])
    write(tmp_path / "r", table, schema, format_, 1)
    assert same(read(tmp_path / "r", keep_quoted_empty=True)[0], table)
