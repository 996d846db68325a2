"""Any file to a table: unpacked, recognised, parsed (reference workbench 3, 4, 5)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import unquote, urlsplit

from component.errors import Place, UserError
from component.file_types import PARQUET
from component.folder.magic import HTML_HEAD, refuse_html
from component.workbench.files.http_file import MOST_HEAD, HttpFile, read_http_head
from component.workbench.parse.content import Content
from component.workbench.parse.delimited import parse_delimited
from component.workbench.parse.excel import parse_excel
from component.workbench.parse.json_table import parse_json, parse_json_lines
from component.workbench.parse.kind import ContentKind, kind_by_content, kind_by_name, kind_by_type
from component.workbench.parse.options import PARSER, Numbers, ParsedFile, ParseOptions
from component.workbench.parse.packed import unpack
from component.workbench.render.messages import Message
from component.workbench.rules.reading import ReadingMode

_MOST_LAYERS: Final = 4
_HTTP_START: Final = re.compile(rb"\{[^\r\n]*\}\r?\n[^\r\n]*\r?\n")
_FILE_NAME: Final = re.compile(r"filename\s*=\s*\"?([^\";]+)", re.IGNORECASE)
_DRIVE: Final = "https://www.googleapis.com/"
"""Of what comes from there the stated charset is not believed: it lies (reference workbench 3)."""
TYPED: Final = frozenset({ContentKind.PARQUET, ContentKind.ARROW, ContentKind.ARROW_STREAM, ContentKind.AVRO})
"""Kinds that say their columns and types themselves; the `formats` room reads them."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file, unpacked, and what it is; `options` have what an httpfile says of its body."""

    kind: ContentKind
    content: Content
    name: str
    options: ParseOptions


def recognise(data: bytes | Content, name: str, options: ParseOptions, place: Place) -> Recognised:
    """Return what a file is: its bytes decide, then the MIME type, then the name.

    A packed file (gzip, bzip2, zstd, a ZIP of one file) is what is in it; an httpfile is its body, by what the server
    says of it. UserError `gzip.truncated` and `workbench.http_file` for damage, `source.format` for a ZIP of several.
    """
    content = Content.of(data)
    for _ in range(_MOST_LAYERS):
        kind = kind_by_content(content)
        if kind is None:
            found = kind_by_type(options.mime_type) or kind_by_name(name) or ContentKind.UNKNOWN
            return Recognised(found, content, name, options)
        inside = unpack(kind, content, name, place)
        if inside is None:
            return Recognised(kind, content, name, options)
        content, inner_name = inside
        if kind is ContentKind.GZIP and _HTTP_START.match(head := content.head(MOST_HEAD + 1)):
            http, start = read_http_head(head, place, strict=options.reading is ReadingMode.STRICT)
            content, name, options = content.after(start), _name_of_body(http, name), _options_of_body(http, options)
        else:
            name = inner_name
    raise UserError("source.format", f"The file is packed more than {_MOST_LAYERS} times", place=place)


def _name_of_body(http: HttpFile, name: str) -> str:
    """Return the name that the server gives the body, else that of the URL's path, if it has a suffix that we know."""
    given = _FILE_NAME.search(http.header("content-disposition") or "")
    candidates = (given[1].strip() if given else "", unquote(urlsplit(http.url).path))
    return next((one for one in candidates if kind_by_name(one)), name)


def _options_of_body(http: HttpFile, options: ParseOptions) -> ParseOptions:
    charset = None if http.url.startswith(_DRIVE) else http.charset
    return replace(
        options,
        mime_type=options.mime_type or http.header("content-type"),
        encoding=options.encoding or charset,
    )


def parse_file(data: bytes | Content, name: str, options: ParseOptions, place: Place) -> ParsedFile:
    """Return the table of a file of text or of a spreadsheet; errors as `recognise` and `parse_recognised`."""
    return parse_recognised(recognise(data, name, options, place), place)


def parse_recognised(file: Recognised, place: Place) -> ParsedFile:
    """Return the table of a file of text or of a spreadsheet.

    Lenient: an unknown kind is an empty table with a message; text of no stated delimiter is looked at. Strict:
    UserError `source.format` for both. ValueError for a kind of `TYPED`.
    """
    if file.kind in TYPED:
        raise ValueError(file.kind)
    if file.kind is ContentKind.EMPTY:
        return ParsedFile()
    if file.options.reading is ReadingMode.STRICT:
        _refuse_other_content(file, place)
    parser = _PARSERS.get(file.kind)
    if parser is None:
        return _unknown(file, place)
    delimiter = file.options.delimiter or _DELIMITERS.get(file.kind)
    if file.kind is ContentKind.TEXT and delimiter is None and file.options.reading is ReadingMode.STRICT:
        raise UserError(
            "source.format",
            "Nothing says how the text is delimited",
            place=place,
            remedy='Give "delimiter"; leave out reading and numbers, and it is found out; or set reading to lenient.',
        )
    return parser(file.content, replace(file.options, delimiter=delimiter), place)


def _refuse_other_content(file: Recognised, place: Place) -> None:
    """Raise `source.format` for what is not what its name says, and would be read as something else."""
    head = file.content.head(HTML_HEAD)
    if file.kind in _DELIMITED:
        refuse_html(head, place)
    is_text = file.kind in _DELIMITED and b"\0" not in head
    if head.startswith(PARQUET.magic) and not is_text:
        raise UserError(
            "source.format",
            "The Parquet file is truncated: its end is missing",
            place=place,
            remedy="Fetch or write the file again.",
        )


def left_aside(kind: ContentKind, options: ParseOptions) -> tuple[Message, ...]:
    """Return a message for each option that was given and says nothing of a file of a kind."""
    text = kind in _TEXT
    meant = {
        "delimiter": options.delimiter is None or text,
        "encoding": options.encoding is None or text or kind in _JSON,
        "has_header": options.has_header or text or kind in _EXCEL,
        "numbers": options.numbers is Numbers.TEXT or text,
    }
    found = {"option": "", "kind": kind.value}
    return tuple(
        Message("tablemill.unused_option", {**found, "option": name}, PARSER)
        for name, used in meant.items()
        if not used
    )


def _unknown(file: Recognised, place: Place) -> ParsedFile:
    if file.options.reading is ReadingMode.STRICT:
        raise UserError(
            "source.format",
            f"Neither content, nor type, nor the name {file.name!r} says what the file is",
            place=place,
            remedy="Give it a suffix as .csv, .json or .xlsx, or a MIME type.",
        )
    suffix = "".join(f".{part}" for part in file.name.split("/")[-1].split(".")[1:]).lower()
    return ParsedFile(messages=(Message("file.unknown_ext", {"ext": suffix}, PARSER),))


_DELIMITED: Final = frozenset({ContentKind.CSV, ContentKind.TSV, ContentKind.TEXT})
_TEXT: Final = _DELIMITED | {ContentKind.EMPTY, ContentKind.UNKNOWN}
_JSON: Final = frozenset({ContentKind.JSON, ContentKind.JSON_LINES})
_EXCEL: Final = frozenset({ContentKind.XLSX, ContentKind.XLS})
_DELIMITERS: Final = {ContentKind.CSV: ",", ContentKind.TSV: "\t"}
_PARSERS: Final[dict[ContentKind, Callable[[Content, ParseOptions, Place], ParsedFile]]] = {
    ContentKind.CSV: parse_delimited,
    ContentKind.TSV: parse_delimited,
    ContentKind.TEXT: parse_delimited,
    ContentKind.JSON: parse_json,
    ContentKind.JSON_LINES: parse_json_lines,
    ContentKind.XLSX: parse_excel,
    ContentKind.XLS: parse_excel,
}
