"""Sources that are records directories: folders, archives of them, URLs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from component.config.reading import RecordsReading
from component.formats.delimited.dialect import DelimitedDialect
from component.plan.model import Source, SourceKind, SourceSlice
from component.records.directory import DirectoryOptions, RecordsDirectory, open_directory
from component.records.format_file import FormatType
from component.records.waiting import Patience
from component.staging.scratch import scratch_path


def records_source(
    where: str | Path,
    file_name: str,
    own_name: str,
    names: tuple[str, ...],
    reading: RecordsReading,
    scratch: Path | None,
) -> tuple[Source, tuple[str, ...]]:
    """Return the source of a records directory, and what is to be said of it; UserError as `open_directory`."""
    options = DirectoryOptions(
        lax=reading.lax,
        outside=reading.outside,
        hints=reading.hints,
        defaults=reading.defaults,
        patience=None if reading.wait_seconds is None else Patience(reading.wait_seconds),
    )
    found = open_directory(where, scratch_path(scratch), options)
    source = Source(
        file_name,
        own_name,
        names,
        _KINDS[found.format],
        tuple(SourceSlice(file.name, file.location, file.size, gzip=_is_packed(found)) for file in found.files),
        found.schema,
        frozenset(found.schema.names),
        delimited=found.dialect,
        assume_tz=reading.assume_timezone,
        keep_quoted_empty=reading.keep_quoted_empty,
    )
    return source, tuple(f"{file_name}: {finding.text}" for finding in found.findings)


_KINDS: Final[Mapping[FormatType, SourceKind]] = {
    FormatType.DELIMITED: "delimited",
    FormatType.PARQUET: "parquet",
    FormatType.AVRO: "avro",
}


def _is_packed(found: RecordsDirectory) -> bool:
    dialect: DelimitedDialect | None = found.dialect
    return dialect is not None and dialect.compression is not None
