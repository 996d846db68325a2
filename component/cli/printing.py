"""Reports on stdout: JSON for machines, tables for people.

A character that the screen's encoding does not have is written out, and a reader that is gone is nobody's error.
"""

from __future__ import annotations

import io
import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from component.report.messages.lines import write_text

if TYPE_CHECKING:
    from rich.console import Console

WIDTH: Final = 140
"""Columns of tables where nobody says how wide the screen is: in a pipe, in the log of a CI job."""


def terminal_width() -> int | None:
    """Return the columns of the terminal that stdout is; None where it is none, and nothing needs to fit."""
    return shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else None


def folded(lines: Iterable[str]) -> list[str]:
    """Return lines that fit the terminal, what goes on indented."""
    width = terminal_width()
    if width is None:
        return list(lines)
    return [part for line in lines for part in _fold(line, max(width, 20))]


def _fold(line: str, width: int) -> list[str]:
    return [line] if len(line) <= width else textwrap.wrap(line, width, subsequent_indent="  ")


def print_json(value: Any) -> None:
    """Print a JSON value."""
    write_text(sys.stdout, json.dumps(value, indent=2) + "\n")


def print_tables(show: Callable[[Console], None]) -> None:
    """Print what `show` draws, with colours if stdout is a terminal; COLUMNS and NO_COLOR are respected."""
    from rich.console import Console  # noqa: PLC0415 - rich costs 40 ms that JSON need not pay

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    drawn = io.BytesIO()
    with io.TextIOWrapper(drawn, encoding, errors="backslashreplace", newline="", write_through=True) as file:
        console = Console(
            file=file,
            width=shutil.get_terminal_size((WIDTH, 24)).columns,
            force_terminal=sys.stdout.isatty(),
            force_jupyter=False,
            highlight=False,
            markup=False,
            emoji=False,
        )
        show(console)
        write_text(sys.stdout, drawn.getvalue().decode(encoding))
