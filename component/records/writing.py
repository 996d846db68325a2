"""Writing a records directory: data files by tasks, then everything else, in the order that the spec demands.

The manifest is the last file. Until it is there a directory is not whole, and no reader takes it for one: so whatever
fails before leaves nothing that looks complete (reference records 1, 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from component.errors import TablemillError, UserError
from component.records.format_file import FormatType, RecordsFormat, format_file
from component.records.manifest import MANIFEST, ManifestEntry, manifest_bytes
from component.records.places import Listing
from component.records.schema import schema_files
from component.records.statistics import FieldStatistics, merged, with_statistics
from component.records.types import records_schema
from component.tables.types import TableSchema

_COMPRESSED: Final = {None: "", "GZIP": ".gz", "BZIP": ".bz2", "LZO": ".lzo"}
_PLAIN: Final = {FormatType.DELIMITED: ".csv", FormatType.PARQUET: ".parquet", FormatType.AVRO: ".avro"}


@dataclass(frozen=True, slots=True)
class WrittenDataFile:
    """A data file that a task has written: its name, its length in bytes, and what was seen of each column."""

    name: str
    size: int
    statistics: tuple[FieldStatistics, ...] = ()


def data_file_name(number: int, chosen: RecordsFormat) -> str:
    """Return the name of the data file of a number from 1: the client's, by which Spark knows the compression too."""
    suffix = _COMPRESSED[chosen.hints.compression] if chosen.hints is not None else ""
    return f"data{number:03d}{_PLAIN[chosen.type]}{suffix}"


def check_target(target: Listing) -> None:
    """Hold that nothing is where a directory is to be written, hidden files included; UserError `records.target`."""
    names = target.names()
    if names:
        text = f"The target {target.url} is not empty: it has {names[0]}"
        text += f" and {len(names) - 1} more files" if len(names) > 1 else ""
        remedy = "Choose a new place, or remove what is there."
        raise UserError("records.target", text, remedy=remedy)


def finish_directory(
    target: Listing,
    chosen: RecordsFormat,
    schema: TableSchema,
    files: Sequence[WrittenDataFile],
    *,
    base_url: str | None = None,
) -> None:
    """Write what makes data files a records directory: schema, format, and the manifest last.

    `base_url` is where the files will be read from when that is not the target, as for an archive; it ends in a slash.
    When a step fails, what this call wrote is removed again as far as that works.
    """
    written: list[str] = []
    try:
        for name, data in directory_files(target, chosen, schema, files, base_url=base_url):
            written.append(name)
            target.put(name, data)
    except BaseException:
        remove(target, reversed(written))
        raise


def directory_files(
    target: Listing,
    chosen: RecordsFormat,
    schema: TableSchema,
    files: Sequence[WrittenDataFile],
    *,
    base_url: str | None = None,
) -> Iterable[tuple[str, bytes]]:
    """Yield names and contents of the files that `finish_directory` writes, in their order."""
    described = records_schema(schema.columns)
    seen = merged([file.statistics for file in files if file.statistics], len(described.fields))
    fields = [with_statistics(field, one) for field, one in zip(described.fields, seen, strict=True)]
    yield from schema_files(replace(described, fields=tuple(fields)))
    yield format_file(chosen)
    urls = [base_url + file.name if base_url else target.url_of(file.name) for file in files]
    yield MANIFEST, manifest_bytes(ManifestEntry(url, True, file.size) for url, file in zip(urls, files, strict=True))


def remove(target: Listing, names: Iterable[str]) -> None:
    """Remove files as far as that works, the manifest before all others."""
    for name in sorted(names, key=lambda one: one != MANIFEST):
        with suppress(TablemillError, OSError):
            target.delete(name)
