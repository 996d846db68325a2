"""Texts as splits, and rows read in the obvious way."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

from component.formats.csv.split import ByteRange
from component.formats.delimited.dialect import ENCODINGS, DelimitedDialect
from component.formats.delimited.read import DelimitedReader
from component.formats.delimited.source import DelimitedSplit
from component.formats.delimited.tokenizer import EndsEarlyError
from component.tables.types import Column, TableSchema
from tests.formats.delimited.slow import tokenize

MARKS = {"UTF8BOM": "\ufeff", "UTF16": "\ufeff", "UTF16BOM": "\ufeff"}


def texts_schema(width: int) -> TableSchema:
    return TableSchema(tuple(Column(f"c{number}") for number in range(width)))


def encoded(text: str, dialect: DelimitedDialect) -> bytes:
    codec = ENCODINGS[dialect.encoding].replace("utf-16", "utf-16-le") if "LE" not in dialect.encoding else "utf-16-le"
    if dialect.encoding == "UTF16BE":
        codec = "utf-16-be"
    data = (MARKS.get(dialect.encoding, "") + text).encode(codec)
    return {"GZIP": gzip.compress, "BZIP": bz2.compress}.get(str(dialect.compression), bytes)(data)


def split_of(path: Path, data: bytes, *, block_bytes: int = 1 << 20) -> DelimitedSplit:
    path.write_bytes(data)
    return DelimitedSplit("t", path.name, path, ByteRange(0, len(data)), block_bytes)


def rows_of(reader: DelimitedReader, split: DelimitedSplit) -> list[tuple[str | None, ...]]:
    """Rows that fit, and of the others their number and code."""
    rows: list[tuple[str | None, ...]] = []
    for parsed in reader.read(split):
        rows += [tuple(row.values()) for row in parsed.rows.to_pylist()]
        rows += [(f"{bad.row}", bad.code) for bad in parsed.bad]
    return rows


def rows_obviously(
    text: str, width: int, dialect: DelimitedDialect, *, keep_quoted_empty: bool = False
) -> tuple[list[tuple[str | None, ...]], str | None]:
    """What the tokenizer says: the rows that fit, number and code of the others; and how the text ends too early."""
    good: list[tuple[str | None, ...]] = []
    number = 0
    try:
        for record in tokenize(text, dialect):
            if width > 1 and record.is_blank:
                continue
            number += 1
            if record.after_quote:
                good.append((f"{number}", "csv.after_quote"))
            elif len(record.cells) != width:
                good.append((f"{number}", "row.cells"))
            else:
                good.append(
                    tuple(cell.text or ("" if cell.quoted and keep_quoted_empty else None) for cell in record.cells)
                )
    except EndsEarlyError as error:
        return good, str(error.ending)
    return good, None
