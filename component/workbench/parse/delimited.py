"""CSV, TSV and TXT to a table (reference workbench 5, "Sniff", "CSV machine", "Header", "Numbers").

The text is read block by block, so that its size does not matter.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from component.errors import Place, UserError
from component.workbench.parse.build import final_names, named_table
from component.workbench.parse.columns_of_text import TextColumns
from component.workbench.parse.content import Content
from component.workbench.parse.numbers import with_numbers
from component.workbench.parse.options import PARSER, ParsedFile, ParseOptions
from component.workbench.parse.records import RecordReader, Repairs, strict_records
from component.workbench.parse.text import Decoding
from component.workbench.render.messages import Message
from component.workbench.rules.limits import too_large
from component.workbench.rules.reading import ReadingMode

DELIMITERS: Final = ",;\t"
_SNIFFED: Final = 1024 * 1024
"""Characters that a delimiter is looked for in."""


def parse_delimited(data: bytes | Content, options: ParseOptions, place: Place) -> ParsedFile:
    """Return the table of delimited text; `options.delimiter` None: the one that the text looks like.

    Strict reading raises UserError `csv.encoding`, those of `strict_records`, `column.duplicate`, `source.format` and
    `workbench.limit` where lenient reading repairs, fills up, renames or leaves out; and it tells null, an empty cell,
    from the empty string, an empty cell in quotes, which Workbench does not.
    """
    content = Content.of(data)
    too_long = _beyond_bytes(content.size, options)
    decoding = Decoding(content, options.encoding, options.reading, place, options.limits.csv_bytes)
    delimiter = options.delimiter or sniff_delimiter(_beginning(decoding))
    records = RecordReader(decoding.blocks, delimiter, place)
    strict = options.reading is ReadingMode.STRICT
    gathered = _gathered(strict_records(decoding.blocks(), delimiter, place) if strict else records, options)
    columns = gathered.finish()
    cut = gathered.messages()
    if cut and strict:
        raise too_large(cut[0])
    names, renamed = _names(columns, options, place)
    cells = [column.slice(1) if options.has_header else column for column in columns]
    converted = [with_numbers(column, name, options.numbers) for name, column in zip(names, cells, strict=True)]
    kept = [message for _, message in converted if message is not None]
    table = named_table(names, (column for column, _ in converted))
    said = (*too_long, *decoding.messages, *cut, *_repaired(records.repairs), *renamed, *kept)
    if strict:
        return ParsedFile(table, said)
    guess = Message("tablemill.guessed_delimiter", {"delimiter": "tab" if delimiter == "\t" else delimiter}, PARSER)
    guesses = (*decoding.notes, *(() if options.delimiter else (guess,)))
    return ParsedFile(table, said, (*guesses, *_notes(gathered, records.repairs)))


def _gathered(records: Iterable[Sequence[str | None]], options: ParseOptions) -> TextColumns:
    """Return the cells of all records."""
    gathered = TextColumns(options.limits.table)
    for row in records:
        gathered.add(row)
    return gathered


def sniff_delimiter(text: str) -> str:
    """Return the comma, semicolon or tab that a text looks to be delimited by; the comma when nothing tells."""
    try:
        found = csv.Sniffer().sniff(text[:_SNIFFED], DELIMITERS).delimiter
    except csv.Error:
        return ","
    return found if found in DELIMITERS else ","


def _beginning(decoding: Decoding) -> str:
    """Return the text that a delimiter is looked for in."""
    found: list[str] = []
    for block in decoding.blocks():
        found.append(block)
        if sum(map(len, found)) >= _SNIFFED:
            break
    return "".join(found)


def _beyond_bytes(size: int, options: ParseOptions) -> tuple[Message, ...]:
    most = options.limits.csv_bytes
    if most is None or size <= most:
        return ()
    counts = {"n_bytes_truncated": size - most, "max_n_bytes": most}
    if options.reading is ReadingMode.STRICT:
        raise UserError(
            "workbench.limit",
            f"The text has {size:,} bytes, and the limit is {most:,}",
            remedy="Make it smaller, raise the limit, or set reading to lenient, which cuts it.",
        )
    return (Message("csv.truncated_file", counts, PARSER),)


def _repaired(repairs: Repairs) -> list[Message]:
    found = []
    if repairs.first:
        where = {"row_number": repairs.first[0], "column_number": repairs.first[1]}
        found.append(Message("csv.repaired_quotes", {"n_values": repairs.count, **where}, PARSER))
    if repairs.closed_by_end:
        found.append(Message("csv.repaired_eof", {}, PARSER))
    return found


def _notes(gathered: TextColumns, repairs: Repairs) -> Iterator[Message]:
    """Yield what is said of rows that were filled up, that of names included, and of lines that were left out."""
    width = max(gathered.widths, default=0)
    if short := gathered.widths.total() - gathered.widths[width]:
        yield Message("tablemill.padded_rows", {"n_rows": short, "n_columns": width}, PARSER)
    if repairs.empty:
        yield Message("tablemill.empty_lines", {"n_lines": repairs.empty}, PARSER)


def _names(columns: Sequence[Any], options: ParseOptions, place: Place) -> tuple[list[str], tuple[Message, ...]]:
    most = options.limits.table.name_bytes
    if options.has_header:
        found = [column[0].as_py() if len(column) else None for column in columns]
        return final_names(found, most, options.reading, place)
    return [f"Column {number}" for number in range(1, len(columns) + 1)], ()


def parse_params_table(text: str, options: ParseOptions, place: Place) -> ParsedFile:
    """Return the table of a text in `parameters`; a delimiter that is not given is looked for.

    Errors as `parse_delimited`; of encodings there is none, since the configuration is text already.
    """
    seen = replace(options, delimiter=options.delimiter or sniff_delimiter(text))
    return parse_delimited(text.encode("utf-8", "replace"), seen, place)
