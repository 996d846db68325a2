"""What a cell is after it was written to a records directory's file and read back: docs/records-types.md says it."""

from __future__ import annotations

import datetime as dt
import math
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from component.errors import Place, UserError
from component.formats.avro import AvroReader, AvroWriting, avro_splits
from component.formats.contract import Writing
from component.formats.delimited.read import DelimitedReader
from component.formats.delimited.write import DelimitedWriting
from component.formats.parquet import ParquetReader, ParquetWriting, parquet_splits
from component.tables.logical import Logical, logical_column
from component.tables.types import Column, TableSchema, TypeName
from tests.formats.delimited.reading import split_of
from tests.strategies.delimited_tables import VARIANTS

TEXT, FLOAT, MOMENT = Column("v"), Column("v", TypeName.FLOAT), Column("v", TypeName.TIMESTAMP)
TIME, TIMETZ, INSTANT = (logical_column("v", one) for one in (Logical.TIME, Logical.TIMETZ, Logical.TIMESTAMPTZ))
CELLS: dict[str, tuple[Column, Any]] = {
    "null, of any type": (TEXT, None),
    "the empty string": (TEXT, ""),
    "text with a comma": (TEXT, "a,b"),
    "text with a euro sign": (TEXT, "€"),
    "text with a quote": (TEXT, 'a"b'),
    "text with a line end": (TEXT, "a\nb"),
    "the text `NULL`": (TEXT, "NULL"),
    "NaN": (FLOAT, math.nan),
    "infinity": (FLOAT, -math.inf),
    "integer of 64 bits": (Column("v", TypeName.INTEGER), -(2**63)),
    "numeric of 38 digits": (Column("v", TypeName.NUMERIC, "38,9"), Decimal("9" * 29 + "." + "9" * 9)),
    "number of more digits, as text": (TEXT, "9" * 76),
    "numeric(10,2) `1.50`": (Column("v", TypeName.NUMERIC, "10,2"), Decimal("1.50")),
    "date in this century": (Column("v", TypeName.DATE), dt.date(2024, 2, 29)),
    "date in the year 1": (Column("v", TypeName.DATE), dt.date(1, 1, 1)),
    "time in whole seconds": (TIME, "01:02:03"),
    "time with a fraction": (TIME, "01:02:03.000004"),
    "time with an offset": (TIMETZ, "01:02:03+02:00"),
    "datetime in whole minutes": (MOMENT, dt.datetime(2024, 2, 29, 13, 5)),  # noqa: DTZ001
    "datetime in whole seconds": (MOMENT, dt.datetime(2024, 2, 29, 13, 5, 7)),  # noqa: DTZ001
    "datetime with a fraction": (MOMENT, dt.datetime(2024, 2, 29, 13, 5, 7, 4)),  # noqa: DTZ001
    "instant (datetimetz) in whole minutes": (INSTANT, dt.datetime(2024, 2, 29, 13, 5)),  # noqa: DTZ001
    "instant in whole seconds": (INSTANT, dt.datetime(2024, 2, 29, 13, 5, 7)),  # noqa: DTZ001
}
FORMATS: dict[str, Writing] = {
    **{name: DelimitedWriting(dialect) for name, dialect in VARIANTS.items()},
    "Parquet": ParquetWriting(),
    "Avro": AvroWriting(),
}


def outcome(folder: Path, writing: Writing, column: Column, value: Any) -> str:
    """`kept`, `null`, `refused`, or what the cell became."""
    columns = TableSchema((column, Column("other")))
    rows = pa.table([pa.array([value], column.arrow), pa.array(["x"])], schema=columns.arrow)
    path = folder / "cell"
    attributes = {"v": dict(column.attributes)}
    try:
        with closing(writing.open(path, columns.arrow, attributes)) as writer:
            writer.write(rows)
    except UserError as error:
        return "refused" if error.code in {"cell.unwritable", "records.hint"} else error.code
    if isinstance(writing, DelimitedWriting):
        parts = DelimitedReader(columns, writing.dialect).read(split_of(path, path.read_bytes()))
    elif isinstance(writing, AvroWriting):
        parts = AvroReader(columns).read(avro_splits(path, Place(), split_bytes=2**30)[0])
    else:
        parts = ParquetReader(columns).read(parquet_splits(path, Place(), split_bytes=2**30)[0])
    (parsed,) = parts
    (back,) = parsed.rows["v"].to_pylist()
    if repr(back) == repr(value):
        return "kept"
    return "null" if back is None else f"`{back}`"
