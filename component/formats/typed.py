"""The formats whose files say their columns and types themselves, by name. Each is loaded when something is of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from component.errors import Place
from component.formats.columns import FileColumns
from component.formats.contract import Reader, Split, Writing
from component.staging.locations import Location
from component.tables.types import TableSchema

TypedKind = Literal["parquet", "avro", "arrow", "jsonl"]


@dataclass(frozen=True, slots=True)
class TypedFormat:
    """What the rest of the house needs of a format; `writing` of JSON lines takes whether they are gzip."""

    columns: Callable[[Location, Place], FileColumns]
    splits: Callable[..., Sequence[Split]]
    reader: Callable[[TableSchema], Reader]
    writing: Callable[..., Writing]


def typed_format(kind: TypedKind) -> TypedFormat:
    """Return a format. Its module is loaded here and nowhere above: most runs read and write CSV only."""
    if kind == "parquet":
        from component.formats import parquet  # noqa: PLC0415 - as said above

        return TypedFormat(
            parquet.parquet_columns, parquet.parquet_splits, parquet.ParquetReader, parquet.ParquetWriting
        )
    if kind == "avro":
        from component.formats import avro  # noqa: PLC0415 - as said above

        return TypedFormat(avro.avro_columns, avro.avro_splits, avro.AvroReader, avro.AvroWriting)
    if kind == "arrow":
        from component.formats import arrow_ipc as arrow  # noqa: PLC0415 - as said above

        return TypedFormat(arrow.arrow_columns, arrow.arrow_splits, arrow.ArrowReader, arrow.ArrowWriting)
    from component.formats import json_lines as lines  # noqa: PLC0415 - as said above

    return TypedFormat(
        lambda location, place: FileColumns(lines.json_lines_schema(location, place)),
        lines.json_lines_splits,
        lines.JsonLinesReader,
        lines.JsonLinesWriting,
    )
