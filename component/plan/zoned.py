"""Which columns of timestamps hold zones, where the type of the manifest leaves it open.

A type such as TIMESTAMP_TZ says so itself. TIMESTAMP is the base type of timestamps with and without a zone: there the
first records decide. A column that begins without zones and has one later stops the run at that cell, so nothing is
lost in silence.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from component import naming
from component.errors import UserError
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import CsvSplit, open_split
from component.formats.csv.split import ByteRange
from component.plan.model import Source, SourceSlice
from component.tables.cast import WITH_ZONE
from component.tables.logical import zoned
from component.tables.types import TypeName

_LOOKED_AT: Final = 64 * naming.KIB
_WITH_ZONE: Final = re.compile(WITH_ZONE)


def with_zones(source: Source) -> Source:
    """Return a source of CSV whose timestamps keep their zone as text where the first records have one."""
    asked = [
        number
        for number, column in enumerate(source.schema.columns)
        if column.type is TypeName.TIMESTAMP and not column.formats and column.name in source.typed
    ]
    first = next((part for part in source.slices if part.size), None)
    if source.kind != "csv" or not asked or first is None:
        return source
    found = _columns_with_zone(_first_bytes(source, first), source.dialect, asked)
    if not found:
        return source
    columns = tuple(zoned(one) if number in found else one for number, one in enumerate(source.schema.columns))
    return replace(source, schema=replace(source.schema, columns=columns))


def _first_bytes(source: Source, part: SourceSlice) -> bytes:
    """Return the beginning of the first slice; nothing where it cannot be read, which is reported when it must be."""
    split = CsvSplit(
        source.file_name,
        part.name,
        part.location,
        part.gzip,
        ByteRange(part.data_start, part.size),
        data_start=part.data_start,
        skip_header=part.skip_header,
    )
    try:
        with open_split(split, source.dialect) as stream:
            return stream.read(_LOOKED_AT)
    except UserError:
        return b""


def _columns_with_zone(data: bytes, dialect: Dialect, asked: Collection[int]) -> frozenset[int]:
    """Return which of the columns have a zone in a cell; the last record may be cut, and nothing is made of a fault."""
    lines = io.StringIO(data.decode(errors="replace"), newline="")
    if dialect.enclosure:
        records = csv.reader(lines, delimiter=dialect.delimiter, quotechar=dialect.enclosure)
    else:
        records = csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE)
    found: set[int] = set()
    try:
        for record in records:
            found.update(at for at in asked if at < len(record) and _WITH_ZONE.match(record[at].strip(" \t")))
    except csv.Error:
        pass
    return frozenset(found)
