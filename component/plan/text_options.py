"""Options of text that say nothing of a source: refused where they would change its rows or names, else told."""

from __future__ import annotations

from collections.abc import Mapping

from component.config.reading import TextOptions
from component.errors import Place, UserError


def hold_usable(said: TextOptions, place: Place) -> None:
    """Hold that all options of text are known to the parsers of whole files; UserError `config.value`."""
    unknown = {
        "delimiter": said.delimiter is not None and len(said.delimiter) > 1,
        "enclosure": said.enclosing not in {None, '"'},
        "escape": said.escape is not None,
        "skip_rows": bool(said.skip_rows),
        "comment": said.comment is not None,
        "header_rows": said.header_rows not in {None, 0, 1},
        "names": bool(said.names),
        "null_values": bool(said.null_values),
        "decimal": said.decimal is not None,
        "thousands": said.thousands is not None,
    }
    if refused := _quoted(unknown):
        text = f"{' and '.join(refused)} cannot be used for a file that is parsed whole"
        remedy = 'Leave it out, or, for text, leave out "file" (reading, numbers) and "format": "file".'
        raise UserError("config.value", text, place=place, remedy=remedy)


def beside_types(kind: str, said: TextOptions, place: Place) -> tuple[str, ...]:
    """Return a warning where options of text say nothing of a source that says its types itself.

    UserError `config.value` for those that would change its rows or names.
    """
    changing = {
        "skip_rows": bool(said.skip_rows),
        "comment": said.comment is not None,
        "header_rows": said.header_rows is not None,
        "names": bool(said.names),
        "null_values": bool(said.null_values),
        "decimal": said.decimal is not None,
        "thousands": said.thousands is not None,
    }
    if refused := _quoted(changing):
        text = f"{' and '.join(refused)} can be used for text only, and the source is {kind}"
        raise UserError("config.value", text, place=place, remedy="Leave it out.")
    unused = {
        "delimiter": said.delimiter is not None,
        "enclosure": said.enclosure is not None,
        "escape": said.escape is not None,
        "encoding": said.encoding is not None,
        "quotes": not said.is_strict,
    }
    return tuple(f"{place.table}: {name} says nothing of a source that is {kind}." for name in _quoted(unused))


def _quoted(options: Mapping[str, bool]) -> list[str]:
    return [f'"{name}"' for name, is_used in options.items() if is_used]
