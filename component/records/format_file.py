"""The format file: which of the three formats the data files have, and the hints of delimited ones.

Its name says the format; only `_format_delimited` has a content that counts (reference records 1).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from component.config.json_text import JsonFaultError, describe, parse_json
from component.errors import Place, UserError
from component.findings import Finding, warning
from component.records.hint_values import Defaults
from component.records.hints import FORMAT_FILE, Hints, dialect_of, resolve_hints

PREFIX: Final = "_format"


class FormatType(StrEnum):
    """The formats of data files, in the words of the spec."""

    DELIMITED = "delimited"
    PARQUET = "parquet"
    AVRO = "avro"


@dataclass(frozen=True, slots=True)
class RecordsFormat:
    """The format of a directory's data files; `hints` are those of a delimited one, and None otherwise."""

    type: FormatType
    hints: Hints | None = None


def format_name(names: Iterable[str], place: Place | None = None) -> tuple[str, FormatType]:
    """Return the name of the one format file among the names of a directory, and the format that it stands for.

    UserError `records.format` when there is none, more than one, or one of a format that the spec does not have.
    """
    found = sorted(name for name in names if name.startswith(PREFIX))
    known = {f"{PREFIX}_{one}": one for one in FormatType}
    allowed = ", ".join(known)
    if len(found) != 1:
        what = f"There are {len(found)} format files ({', '.join(found)})" if found else "There is no format file"
        kinds = "for delimited text, Parquet or Avro"
        remedy = f"Leave exactly one of {allowed}." if found else f"Put an empty file there, {allowed}: {kinds}."
        raise UserError("records.format", f"{what} in the records directory", place=place, remedy=remedy)
    if found[0] not in known:
        text = f"The format file {found[0]} stands for no format"
        raise UserError("records.format", text, place=place, remedy=f"A format file is one of {allowed}.")
    return found[0], known[found[0]]


def read_hints(
    data: bytes,
    *,
    given: Mapping[str, Any] | None = None,
    lax: bool = False,
    defaults: Defaults = "tablemill",
    place: Place | None = None,
) -> tuple[Hints, tuple[Finding, ...]]:
    """Return the hints in force by the content of `_format_delimited`; `given` ones stand above those of the file.

    UserError `records.format` when it is no JSON object or a part of it has the wrong type, and as `resolve_hints`.
    """
    document = _object(data, place)
    variant, hints = document.get("variant"), document.get("hints", {})
    if variant is not None and not isinstance(variant, str):
        raise _wrong(f'has {describe(variant)} as its "variant"', place)
    if not isinstance(hints, dict):
        raise _wrong(f'has {describe(hints)} as its "hints"', place)
    said: list[Finding] = []
    if document.get("type", FormatType.DELIMITED) != FormatType.DELIMITED:
        said.append(_other_type(document["type"]))
    resolved, doubts = resolve_hints(variant, {**hints, **(given or {})}, lax=lax, defaults=defaults, place=place)
    return resolved, (*said, *doubts)


def format_file(chosen: RecordsFormat) -> tuple[str, bytes]:
    """Return name and content of the format file to write, all 13 hints spelled out (reference records 9.5).

    Null as a date format or terminator is never written: the client refuses it.
    """
    name = f"{PREFIX}_{chosen.type}"
    if chosen.hints is None:
        return name, b""
    dialect = dialect_of(chosen.hints)
    hints = chosen.hints.values() | {"dateformat": dialect.dateformat, "record-terminator": dialect.record_terminator}
    document = {"type": chosen.type, "variant": chosen.hints.variant, "hints": hints}
    return name, json.dumps(document, ensure_ascii=False).encode()


def _object(data: bytes, place: Place | None) -> dict[str, Any]:
    try:
        document = parse_json(data)
    except JsonFaultError as fault:
        raise _wrong(str(fault), place) from None
    if not isinstance(document, dict):
        raise _wrong(f"is {describe(document)} and no object", place)
    return document


def _other_type(said: Any) -> Finding:
    text = f'_format_delimited has {describe(said)} as its "type"; the name of the file counts.'
    return warning("format.type", FORMAT_FILE, text)


def _wrong(what: str, place: Place | None) -> UserError:
    remedy = 'It should be like {"type": "delimited", "variant": "bluelabs", "hints": {}}.'
    return UserError("records.format", f"The format file _format_delimited {what}", place=place, remedy=remedy)
