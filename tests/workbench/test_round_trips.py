"""Every structure of Workbench and back; and each by way of a dataset, a records directory and out/tables."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from component.config.parameters import LimitsConfig
from component.config.reading import FileReading, RecordsReading, TextTable
from component.dataset.commits.commit import commit, plan_commit
from component.dataset.format.layout import Layout
from component.dataset.reading.reader import open_dataset, read_dataset
from component.formats.csv.dialect import Dialect
from component.formats.csv.write import CsvWriting
from component.formats.delimited.write import unwritable
from component.outputs.file_formats import writing_of_records
from component.outputs.workbench_files import WorkbenchWriting
from component.plan.asked import Asked
from component.plan.build import plan_limits
from component.plan.model import Source, SourceSlice
from component.plan.parsed_sources import arrow_file_source, file_source, text_source
from component.plan.records_sources import records_source
from component.plan.splits import reader_of, splits_of
from component.records.format_file import FormatType, RecordsFormat
from component.records.hints import dialect_of, resolve_hints
from component.records.places import LocalListing
from component.records.statistics import statistics_of
from component.records.writing import WrittenDataFile, data_file_name, finish_directory
from component.tables.types import TableSchema
from component.workbench.cache.parquet_cache import decode_table, encode_table
from component.workbench.conversion.from_tablemill import from_tablemill
from component.workbench.files.arrow_file import read_arrow_file, sidecar_of
from component.workbench.files.arrow_writing import write_arrow_file
from component.workbench.files.http_file import HttpFile, write_http_file
from component.workbench.files.table_metadata import metadata_of, metadata_text
from component.workbench.frames.process_result import coerce, process_result, rendered
from component.workbench.render.rendered import Rendered
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import Era
from tests.dataset.making import UUID, new_store, write_files
from tests.strategies.typed_tables import NAMES, texts
from tests.strategies.workbench_tables import same_tables, workbench_tables

LIMITS = plan_limits(LimitsConfig())
with_files = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
with_columns = workbench_tables(exact_moments=True).filter(lambda table: table.columns)


@contextmanager
def new_folder():
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def rows_of(source: Source, schema: TableSchema | None = None):
    """What a run reads of a source."""
    reader = reader_of(source, schema or source.schema, reject=False)
    parsed = [one.rows for split in splits_of(source, LIMITS, 2) for one in reader.read(split)]
    return pa.concat_tables([reader.schema.arrow.empty_table(), *parsed]).combine_chunks()


# Structure 1, a text in the configuration, and 2, fetched files: all is text


@st.composite
def text_tables(draw):
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, 4))]
    row = st.lists(texts.map(lambda text: text.replace("\0", "")), min_size=len(names), max_size=len(names))
    return names, draw(st.lists(row, max_size=6))


def as_csv(names, rows, **dialect):
    sink = io.StringIO()
    csv.writer(sink, quoting=csv.QUOTE_ALL, **dialect).writerows([names, *rows])
    return sink.getvalue()


def columns_of(names, rows):
    return {name: [row[number] for row in rows] for number, name in enumerate(names)}


@with_files
@given(text_tables(), st.sampled_from([None, ",", ";", "\t"]))
def test_a_text_in_the_configuration_comes_back(table, delimiter):
    names, rows = table
    text = as_csv(names, rows, delimiter=delimiter or ",")
    given_table = TextTable(name="t", csv=text, delimiter=delimiter or ",", reading="strict")
    with new_folder() as folder:
        source, said = text_source(given_table, folder)
        assert rows_of(source).to_pydict() == columns_of(names, rows)
    assert said == ()


@with_files
@given(text_tables(), st.sampled_from(["text/csv", "text/tab-separated-values; charset=utf-16", None]))
def test_a_fetched_table_comes_back(table, content_type):
    names, rows = table
    tabs, wide = "tab" in (content_type or ""), "utf-16" in (content_type or "")
    body = as_csv(names, rows, delimiter="\t" if tabs else ",").encode("utf-16" if wide else "utf-8")
    headers = () if content_type is None else (("Content-Type", content_type),)
    with new_folder() as folder:
        path = folder / "t.httpfile"
        path.write_bytes(write_http_file(HttpFile({"url": "http://x/t.csv"}, "200 OK", headers, body)))
        source, said = file_source(path, path.name, "t", ("t",), Asked(scratch=folder))
        assert rows_of(source).to_pydict() == columns_of(names, rows)
    assert said == ()


# Structure 3, Arrow files of both eras


@with_files
@given(with_columns)
def test_an_arrow_file_comes_back_through_reading_and_writing(table):
    with new_folder() as folder:
        write_arrow_file(folder / "X.arrow", table)
        source, said = arrow_file_source(folder / "X.arrow", "X", ("X",), FileReading(), folder)
        again = written(source.schema, rows_of(source), folder / "Y.arrow")
        assert same_tables(again, table)
        assert sidecar_of(folder / "Y.arrow").read_bytes() == sidecar_of(folder / "X.arrow").read_bytes()
    assert said == ()


def written(schema, rows, path):
    """The table that an output of the format `workbench` has of rows of ours."""
    attributes = {column.name: dict(column.attributes) for column in schema.columns}
    with closing(WorkbenchWriting().open(path, rows.schema, attributes)) as writer:
        writer.write(rows)
    return read_arrow_file(path).table


@with_files
@given(workbench_tables(era_2019=True, exact_moments=True).filter(lambda table: table.columns))
def test_an_arrow_file_of_2019_becomes_the_same_in_2021(table):
    with new_folder() as folder:
        path = folder / "X.arrow"
        with pa.ipc.new_file(str(path), table.rows.schema) as writer:
            writer.write_table(table.rows.combine_chunks())
        sidecar_of(path).write_text(metadata_text(metadata_of(table), Era.E2019), encoding="utf-8")
        source, _ = arrow_file_source(path, "X", ("X",), FileReading(), folder)
        assert same_tables(written(source.schema, rows_of(source), folder / "Y.arrow"), table)


# Structure 4, the cache's Parquet, and 5, what a pandas module returns


@given(with_columns)
def test_a_cached_table_comes_back_from_parquet(table):
    assert same_tables(decode_table(encode_table(table), metadata_of(table)), table)


@given(workbench_tables(nulls=False, exact_moments=True).filter(lambda table: table.columns))
def test_a_result_of_pandas_comes_back(table):
    result = process_result(Rendered(table, json={"a": [1]}))
    formats = {one.name: str(one.format or one.unit) for one in table.columns if one.format or one.unit}
    document = {"dataframe": result.dataframe, "json": {"a": [1]}, "column_formats": formats}
    back = rendered(coerce(document))
    assert same_tables(back.table, table)
    assert (back.json, back.errors) == ({"a": [1]}, ())


# By way of the other families


def ours(table, folder):
    """The table as a run reads it."""
    write_arrow_file(folder / "X.arrow", table)
    source, _ = arrow_file_source(folder / "X.arrow", "X", ("X",), FileReading(), folder)
    return source.schema, rows_of(source)


@with_files
@given(with_columns)
def test_a_table_comes_back_from_a_dataset_with_formats_and_units(table):
    with new_folder() as folder, new_store() as store:
        schema, rows = ours(table, folder)
        known = tuple((column.name, column.attributes) for column in schema.columns if column.attributes)
        plan = plan_commit(store, Layout(UUID, rows.schema, attributes=known), "overwrite")
        commit(store, plan, [write_files(store, plan.layout, rows)])
        dataset = open_dataset(store, UUID)
        read = pa.concat_tables([rows.schema.empty_table(), *read_dataset(dataset)])
        described = TableSchema(dataset.described(schema.names))
        assert same_tables(from_tablemill(described, read.select(schema.names), ReadingMode.STRICT).table, table)


RECORDS = [
    RecordsFormat(FormatType.PARQUET),
    RecordsFormat(FormatType.AVRO),
    RecordsFormat(FormatType.DELIMITED, resolve_hints("bluelabs", {})[0]),
]


@pytest.mark.parametrize("chosen", RECORDS, ids=["parquet", "avro", "delimited"])
@with_files
@given(workbench_tables(exact_moments=True).filter(lambda table: table.columns))
def test_a_table_comes_back_from_a_records_directory_without_formats_and_units(chosen, table):
    with new_folder() as folder:
        schema, rows = ours(table, folder)
        if chosen.hints is not None:
            assume(unwritable(rows, schema, dialect_of(chosen.hints)) is None)
        read, found = through_records(chosen, schema, rows, folder / "records")
        assert found.names == schema.names
        assert [column.type for column in found.columns] == [column.type for column in schema.columns]
        delimited = chosen.type is FormatType.DELIMITED
        assert read.to_pylist() == (without_empty_text(rows) if delimited else rows).to_pylist()


def through_records(chosen, schema, rows, folder):
    folder.mkdir()
    name = data_file_name(1, chosen)
    attributes = {column.name: dict(column.attributes) for column in schema.columns}
    with closing(writing_of_records(chosen).open(folder / name, rows.schema, attributes)) as writer:
        writer.write(rows)
    size = (folder / name).stat().st_size
    finish_directory(LocalListing(folder), chosen, schema, [WrittenDataFile(name, size, statistics_of(rows))])
    source, _ = records_source(folder, "records", "records", ("records",), RecordsReading(), folder)
    return rows_of(source).cast(rows.schema), source.schema


def without_empty_text(rows):
    """Delimited text tells null and the empty text apart in none of its dialects (docs/records.md)."""
    return pa.table(
        [
            pa.array([cell or None for cell in column.to_pylist()], column.type)
            if pa.types.is_string(column.type)
            else column
            for column in rows.columns
        ],
        rows.column_names,
    )


@with_files
@given(with_columns)
def test_a_table_comes_back_from_a_table_of_the_platform_with_its_types(table):
    with new_folder() as folder:
        schema, rows = ours(table, folder)
        assume(not any("\0" in cell for row in rows.to_pylist() for cell in row.values() if isinstance(cell, str)))
        path = folder / "t.csv"
        with closing(CsvWriting(header=False, gzip=False).open(path, rows.schema, {})) as writer:
            writer.write(rows)
        part = SourceSlice("t.csv", path, path.stat().st_size)
        source = Source("t.csv", "t", ("t",), "csv", (part,), schema, dialect=Dialect())
        read = rows_of(source)
        assert read.schema == rows.schema
        assert read.to_pylist() == rows.to_pylist()
        assert same_tables(from_tablemill(schema, read, ReadingMode.STRICT).table, table)


def test_a_message_of_reading_is_data_too(tmp_path):
    path = tmp_path / "rows.json"
    path.write_bytes(b'[{"a": 1, "a": 2}]')
    asked = Asked(files={"rows": FileReading(reading="lenient")}, scratch=tmp_path)
    _, (said,) = file_source(path, path.name, "rows", ("rows",), asked)
    text = "ignored duplicate column a starting at row 0"
    assert said == f"rows.json: {text}"
    assert json.loads(json.dumps(said.data)) == {
        "input": "rows.json",
        "message": {"id": "TODO_i18n", "arguments": {"text": text}},
    }
