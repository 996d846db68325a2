"""What the real records-mover is asked for by tests: runs in its own environment (tests/foreign/serving.py).

Rows travel as lists of plain Python values. Nothing of Tablemill is imported here.
"""

import json
from pathlib import Path

import pandas as pd
from records_mover import Session
from records_mover.records import DelimitedRecordsFormat, ParquetRecordsFormat
from records_mover.records.processing_instructions import ProcessingInstructions
from records_mover.records.schema import RecordsSchema

DTYPES = {
    "integer": "Int64",
    "decimal": "float64",
    "boolean": "bool",
    "string": object,
    "date": object,
    "time": object,
    "datetime": "datetime64[ns]",
}
RECORDS = Session(session_type="env").records


def url_of(root):
    return f"{Path(root).as_uri()}/"


def series_of(values, kind, zone):
    if kind == "datetimetz":
        return pd.Series(pd.to_datetime(values, utc=True)).dt.tz_convert(zone)
    if kind == "datetime":
        return pd.Series(pd.to_datetime(values))
    return pd.Series(values, dtype=DTYPES[kind])


def format_of(variant, hints):
    return ParquetRecordsFormat() if variant is None else DelimitedRecordsFormat(variant=variant, hints=hints)


def write(root, variant, hints, columns, types, rows, zone):
    """Write a directory of one data file, with an explicit schema; variant None is Parquet."""
    lists = [list(values) for values in zip(*rows, strict=True)] or [[] for _ in columns]
    series = {name: series_of(values, kind, zone) for name, kind, values in zip(columns, types, lists, strict=True)}
    fields = {
        name: {"type": kind, "index": number, "constraints": {"required": False}}
        for number, (name, kind) in enumerate(zip(columns, types, strict=True), 1)
    }
    schema = RecordsSchema.from_data({"schema": "bltypes/v1", "fields": fields, "known_representations": {}})
    source = RECORDS.sources.dataframe(df=pd.DataFrame(series), records_schema=schema)
    RECORDS.move(source, RECORDS.targets.directory_from_url(url_of(root), records_format=format_of(variant, hints)))


def read(root):
    """Names of the columns, and rows as texts of what pandas has, None for null."""
    source = RECORDS.sources.directory_from_url(url_of(root))
    instructions = ProcessingInstructions()
    with (
        source.to_fileobjs_source(processing_instructions=instructions) as files,
        files.to_dataframes_source(instructions) as frames,
    ):
        frame = pd.concat(list(frames.dfs))
    rows = [[plain(value) for value in row] for row in frame.itertuples(index=False, name=None)]
    return [str(name) for name in frame.columns], rows


def plain(value):
    """The value without numpy and pandas; null is None."""
    if pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if hasattr(value, "item") else value


def describe(root):
    """What the client makes of the files beside the data: schema, format and manifest."""
    directory = RECORDS.sources.directory_from_url(url_of(root)).records_directory()
    format_ = directory.load_format(fail_if_dont_understand=True)
    schema = directory.load_schema_json_obj()
    return {
        "schema": json.loads(schema.to_json()) if schema is not None else None,
        "format": format_.format_type,
        "variant": getattr(format_, "variant", None),
        "hints": dict(getattr(format_, "hints", None) or {}),
        "urls": list(directory.manifest_entry_urls()),
    }


def copy(root, target):
    """Move one directory into another, in the same format."""
    source = RECORDS.sources.directory_from_url(url_of(root))
    RECORDS.move(source, RECORDS.targets.directory_from_url(url_of(target)))


CALLS = {call.__name__: call for call in (write, read, describe, copy)}
