"""Reports on stdout: JSON for machines, tables for people.

A character that the screen's encoding does not have is written out, and a reader that is gone is nobody's error.
"""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from component.report.lines import write_text

if TYPE_CHECKING:
    from rich.console import Console

WIDTH: Final = 140
"""Columns of tables where nobody says how wide the screen is: in a pipe, in the log of a CI job."""


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
