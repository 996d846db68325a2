"""Delimited text by what is said of it and what is found out: names, and slices that the CSV reader takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from component.config.reading import TextOptions
from component.errors import Place, UserError
from component.folder.magic import HTML_HEAD, refuse_html
from component.formats.csv.dialect import Dialect
from component.formats.detect.dialect import TextDialect
from component.formats.detect.plain import HeaderRecords, is_line_wise, is_packed, read_head, write_cells, write_lines
from component.formats.detect.ranking import Given
from component.formats.detect.sample import encoding_of, sample_of
from component.formats.detect.verdict import detect
from component.formats.rows import mended_text
from component.plan.asked import Asked
from component.plan.model import SourceSlice
from component.staging.locations import open_location
from component.staging.scratch import scratch_path

_ONE_COLUMN: Final = (",", ";", "\t", "|", "\x1f")
"""What may stand for the delimiter of one column: the first that the beginning of the text does not hold."""


@dataclass(frozen=True, slots=True)
class Text:
    """How the text of a source is read: names of columns, slices of plain CSV, and the first record of all.

    `warnings`: what a lenient reading mended where the text was written again.
    """

    names: tuple[str, ...]
    slices: tuple[SourceSlice, ...]
    dialect: Dialect
    first: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


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
    `config.value` for `names` of another number, and as `read_head`, `write_lines` and `write_cells`.
    """
    slices: list[SourceSlice] = []
    names: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    mended = 0
    for part in parts:
        found, part_names, head, count = _slice(name, part, dialect, options, columns, asked)
        first, mended = first or head.first, mended + count
        if names and part_names and part_names != names:
            raise UserError(
                "column.sets_differ",
                f"The slices have different columns: {', '.join(names)}; and {', '.join(part_names)}",
                place=Place(table=name, slice=part.name),
                remedy="Give all slices of a table the same columns.",
            )
        names = names or part_names
        slices.append(found)
    plain = replace(Dialect(), strict=options.is_strict)
    if _keeps_cells(dialect, options):
        plain = Dialect(dialect.delimiter, dialect.enclosure, options.is_strict)
    said = (mended_text(name, mended),) if mended else ()
    return Text(names or tuple(columns), tuple(slices), plain, first, said)


def _keeps_cells(dialect: TextDialect, options: TextOptions) -> bool:
    return is_line_wise(dialect) and not options.null_values


def _slice(
    name: str, part: SourceSlice, dialect: TextDialect, options: TextOptions, columns: Sequence[str], asked: Asked
) -> tuple[SourceSlice, tuple[str, ...], HeaderRecords, int]:
    place = Place(table=name, slice=part.name)
    path: Path | None = None
    rest = dialect
    if not dialect.is_plain or not is_line_wise(dialect) or is_packed(part.location):
        path = scratch_path(asked.scratch, ".csv")
        comments = write_lines(part.location, path, dialect, place)
        rest = replace(dialect, skip_rows=0)
        if comments:
            asked.say(f"{part.name}: {comments:,} line{'s' * (comments > 1)} of comments left out")
    head, mended = read_head(path or part.location, rest, place, strict=options.is_strict), 0
    names = _names(head, options, columns, place, row_names=dialect.row_names)
    if not _keeps_cells(dialect, options):
        if path is None:
            path = scratch_path(asked.scratch, ".csv")
            write_lines(part.location, path, dialect, place)
            head = read_head(path, replace(dialect, skip_rows=0), place, strict=options.is_strict)
        target = scratch_path(asked.scratch, ".csv")
        start, nulls = head.data_start, options.null_values
        mended = write_cells(path, target, names, dialect, start, nulls, place, strict=options.is_strict)
        path.unlink()
        path, head = target, replace(head, data_start=0)
    if path is None:
        return replace(part, gzip=False, data_start=head.data_start), names, head, mended
    return SourceSlice(part.name, path, path.stat().st_size, data_start=head.data_start), names, head, mended


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
