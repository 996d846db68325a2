"""Delimited text by what is said of it and what is found out: names, and slices that the CSV reader takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from component.config.reading import TextOptions
from component.errors import Place, UserError
from component.folder.magic import HTML_HEAD, is_packed, refuse_html
from component.formats.csv.dialect import Dialect
from component.formats.detect.dialect import TextDialect
from component.formats.detect.plain import HeaderRecords, csv_dialect, read_head, write_text
from component.formats.detect.ranking import Given
from component.formats.detect.sample import encoding_of, sample_of
from component.formats.detect.verdict import detect
from component.plan.asked import Asked
from component.plan.model import SourceSlice, Text
from component.staging.locations import open_location
from component.staging.scratch import scratch_path

_ONE_COLUMN: Final = (",", ";", "\t", "|", "\x1f")
"""What may stand for the delimiter of one column: the first that the beginning of the text does not hold."""


def detected(
    name: str,
    parts: Sequence[SourceSlice],
    options: TextOptions,
    default: Dialect,
    asked: Asked,
    *,
    expects_header: bool = False,
) -> tuple[TextDialect, tuple[str, ...]]:
    """Return how a file is delimited, what is not said of it found out from its first slice, and what is doubtful.

    The configuration's log gets the reading in one line. UserError `csv.ambiguous`, `csv.encoding`, `gzip.truncated`.
    """
    part = next((part for part in parts if part.size), None)
    if part is None:
        return stated(options, default, header_rows=1), ()
    place = Place(table=name, slice=part.name)
    sample = sample_of(part.location, place, options.encoding)
    if options.is_strict:
        refuse_html(sample.head[:HTML_HEAD].encode(), place)
    given = Given(options.delimiter, options.enclosing, options.escape, options.comment)
    found = detect(
        sample,
        given,
        place,
        skip_rows=options.skip_rows,
        header_rows=options.header_rows,
        expects_header=expects_header,
    )
    asked.say(f"{name}: {found.sentence}")
    dialect = found.dialect
    if dialect.is_one_column:
        dialect = replace(dialect, delimiter=next(mark for mark in _ONE_COLUMN if mark not in sample.head))
    return dialect, tuple(f"{name}: {doubt}." for doubt in found.doubts)


def stated(options: TextOptions, default: Dialect, *, header_rows: int, part: SourceSlice | None = None) -> TextDialect:
    """Return what is said of a text; a byte order mark says its encoding where nobody does."""
    return TextDialect(
        options.delimiter or default.delimiter,
        default.enclosure if options.enclosing is None else options.enclosing,
        options.escape,
        options.encoding or ("utf-8" if part is None else _marked(part)),
        options.skip_rows or 0,
        options.comment,
        header_rows if options.header_rows is None else options.header_rows,
    )


def _marked(part: SourceSlice) -> str:
    with open_location(part.location, 0, min(part.size, 4)) as file:
        name, mark, _ = encoding_of(file.read(4) or b"")
    return name if mark else "utf-8"


def read_text(
    name: str,
    parts: Sequence[SourceSlice],
    dialect: TextDialect,
    options: TextOptions,
    columns: Sequence[str],
    asked: Asked,
) -> Text:
    """Return names and slices of a text of any dialect; what the CSV reader does not take is written again in scratch.

    `columns` are the names where the text has none. UserError `column.sets_differ` for slices of different columns,
    `config.value` for `names` of another number, and as `read_head` and `write_text`.
    """
    slices: list[SourceSlice] = []
    names: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    for part in parts:
        found, part_names, head = _slice(name, part, dialect, options, columns, asked)
        first = first or head.first
        if names and part_names and part_names != names:
            raise UserError(
                "column.sets_differ",
                f"The slices have different columns: {', '.join(names)}; and {', '.join(part_names)}",
                place=Place(table=name, slice=part.name),
                remedy="Give all slices of a table the same columns.",
            )
        names = names or part_names
        slices.append(found)
    plain = csv_dialect(dialect, strict=options.is_strict, null_values=options.null_values)
    if all(_is_read_in_place(part, dialect) for part in parts):
        plain = replace(plain, original=None)
    return Text(names or tuple(columns), tuple(slices), plain, first)


def _is_read_in_place(part: SourceSlice, dialect: TextDialect) -> bool:
    return dialect.is_plain and not is_packed(part.location)


def _slice(
    name: str, part: SourceSlice, dialect: TextDialect, options: TextOptions, columns: Sequence[str], asked: Asked
) -> tuple[SourceSlice, tuple[str, ...], HeaderRecords]:
    place = Place(table=name, slice=part.name)
    rest = dialect
    if not _is_read_in_place(part, dialect):
        path = scratch_path(asked.scratch, ".csv")
        written = write_text(part.location, path, dialect, place)
        if written.comments:
            asked.say(f"{part.name}: {written.comments:,} line{'s' * (written.comments > 1)} of comments left out")
        part = SourceSlice(part.name, path, path.stat().st_size, not_encoded=written.not_encoded)
        rest = replace(dialect, skip_rows=0)
    head = read_head(part.location, rest, place, strict=options.is_strict, not_encoded=part.not_encoded)
    names = _names(head, options, columns, place, row_names=dialect.row_names)
    return replace(part, gzip=False, data_start=head.data_start), names, head


def _names(
    head: HeaderRecords, options: TextOptions, columns: Sequence[str], place: Place, *, row_names: bool
) -> tuple[str, ...]:
    """Return the names of columns: the configured ones, else those of the header, else those known, else numbers.

    `row_names`: the header has none for the first column.
    """
    width = (max([*map(len, head.records), 0]) or head.width) + row_names
    if options.names:
        if width and len(options.names) != width:
            raise UserError(
                "config.value",
                f"names has {len(options.names)} names, and the first record has {width} cells",
                place=place,
                remedy="Name every column once, in the order of the file.",
            )
        return options.names
    if not head.records:
        return tuple(columns) or tuple(f"column_{number}" for number in range(1, width + 1))
    padded = [[*[""] * row_names, *record, *[""] * (width - len(record) - row_names)] for record in head.records]
    return tuple("_".join(filter(None, cells)) for cells in zip(*padded, strict=True))
