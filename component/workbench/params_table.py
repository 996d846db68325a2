"""A table that stands in the configuration itself (reference workbench 6, "params")."""

from __future__ import annotations

from component.errors import Place
from component.workbench.parse.delimited import parse_delimited
from component.workbench.parse.options import FileOptions, ParsedFile


def parse_params_table(text: str, options: FileOptions, place: Place) -> ParsedFile:
    """Return the table of a text in `parameters`; a delimiter that is not given is looked for.

    Errors as `parse_delimited`; of encodings there is none, since the configuration is text already.
    """
    return parse_delimited(text.encode("utf-8", "replace"), options, place)
