"""The first record of a table beside what its manifest says: processors take headers away, or leave them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from component.config.reading import HeaderWord
from component.errors import Place, UserError
from component.folder.magic import is_gzip
from component.folder.tables import HeaderMode, InputTable, header_mode
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import read_header
from component.plan.model import SourceSlice

_MOST_NAMES: Final = 5


def header_mode_seen(
    table: InputTable, first_record: Callable[[], Sequence[str]], header: HeaderWord = "error"
) -> tuple[HeaderMode, tuple[str, ...]]:
    """Return where the column names of a table are, and a warning where its first record casts doubt on it.

    `first_record` returns the cells of that record; it is called only where they matter.

    The platform's own tables begin with the names that the manifest lists (reference keboola 2.1). One whose first
    record has none of them has lost its header to a processor: then every line is a row. One whose manifest says that
    every line is a row is read so, as the platform reads it, also when the first line repeats the names. One that is
    configured to have a header which disagrees with the manifest has one.

    UserError `source.manifest` as of `header_mode`, and when the first record has another number of cells too.
    """
    mode = header_mode(table)
    columns = table.manifest.columns if table.manifest else ()
    said = table.manifest is not None and table.manifest.has_header is not None
    if said or not columns:
        return mode, ()
    first = tuple(first_record())
    if mode is HeaderMode.MANIFEST and first == columns:
        text = f"The first row of {table.name!r} repeats the names of its columns and is read as a row"
        return mode, (f'{text}, as the platform does; if it is a header, add "has_header": true to the manifest.',)
    if mode is not HeaderMode.FIRST_LINE or header != "error" or not first or _has_names(first, columns):
        return mode, ()
    if len(first) == len(columns):
        return HeaderMode.MANIFEST, (
            f"The first row of {table.name!r} holds none of the columns that its manifest names: it is read as a row.",
        )
    raise UserError(
        "source.manifest",
        f"The first row has {len(first)} cells, and the manifest names {len(columns)} other columns",
        place=Place(table=table.name),
        remedy='Correct "columns" of the manifest, or add "has_header": true if the first row is a header.',
    )


def agreed_columns(
    found: tuple[str, ...], columns: tuple[str, ...], header: HeaderWord, place: Place
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of a table whose header is `found` and whose manifest names `columns`, and warnings.

    UserError `source.manifest` where they disagree and nothing is configured, where names cannot be mapped because one
    of the manifest is not in the header, or positions because there are more of one than of the other.
    """
    if not columns or not found or found == columns:
        return found or columns, ()
    said = f"The header of {place.slice or place.table!r} and the manifest disagree: {_difference(found, columns)}"
    missing = [name for name in columns if name not in found]
    if header == "by_name" and not missing:
        extra = [name for name in found if name not in columns]
        more = f"; {', '.join(extra)} {'is' if len(extra) == 1 else 'are'} not in the manifest" if extra else ""
        return found, (f"{said}. The columns are called as in the header{more}.",)
    if header == "by_position" and len(found) == len(columns):
        return columns, (f"{said}. The columns are called as in the manifest, by their position.",)
    remedy = 'Correct the one that is wrong, or set "header" of the table to "by_name" or "by_position".'
    if header == "by_name":
        remedy = f"Correct the header: it lacks {', '.join(missing)}."
    if header == "by_position":
        remedy = "Give the header as many names as the manifest has."
    raise UserError("source.manifest", said, place=place, remedy=remedy)


def _difference(found: Sequence[str], columns: Sequence[str]) -> str:
    """Say how a header differs from the names of a manifest."""
    if sorted(found) == sorted(columns):
        at = next(at for at, pair in enumerate(zip(found, columns, strict=True)) if pair[0] != pair[1])
        return f"other order, from column {at + 1} on ({found[at]}, and {columns[at]} in the manifest)"
    missing = [name for name in columns if name not in found]
    extra = [name for name in found if name not in columns]
    sides = ((missing, "only the manifest has"), (extra, "only the header has"))
    parts = [f"{words} {_shortened(names)}" for names, words in sides if names]
    return "; ".join(parts) or f"{len(found)} names, and {len(columns)} in the manifest"


def _shortened(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"


def first_record(table: InputTable, parts: Sequence[SourceSlice], dialect: Dialect) -> tuple[str, ...]:
    """Return the cells of the first record; none when they cannot be read, which is reported when they must be."""
    part = next((part for part in parts if part.size), None)
    if part is None:
        return ()
    try:
        place = Place(table=table.name, slice=part.name)
        dialect = replace(dialect, strict=False)
        return read_header(part.location, dialect, gzip=is_gzip(part.location), place=place)[0]
    except UserError:
        return ()


def _has_names(first: Sequence[str], columns: Sequence[str]) -> bool:
    """Tell whether a record is a header of these columns, some of them perhaps under another name."""
    known = {name.lower() for name in columns}
    return any(cell.lower() in known for cell in first)
