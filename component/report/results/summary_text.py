"""Shows the summary of a run: as tables on a terminal, as lines in a log."""

from __future__ import annotations

import contextlib
import io
import textwrap
from typing import Final

from component.report.messages.log import Log
from component.report.results.summary import RunSummary, summary_lines
from component.report.words.masking import masked

NARROW: Final = 80
"""Columns below which tables give way to lines."""
LINES_PER_MESSAGE: Final = 100
"""A summary of a thousand outputs would be cut as one message."""


def show_summary(summary: RunSummary, log: Log) -> None:
    """Show a summary where the log goes: as tables on a terminal, else as messages of compact lines."""
    if log.screen is None:
        lines = summary_lines(summary)
        for first in range(0, len(lines), LINES_PER_MESSAGE):
            log.info("\n".join(lines[first : first + LINES_PER_MESSAGE]))
        return
    from rich.text import Text  # noqa: PLC0415 # rich costs 40 ms that a log need not pay

    # masked before the tables fold: a secret that is cut in two would not be found any more
    shown, width = masked(summary, log.mask), log.screen.width
    coloured = render_text(shown, width, colour=log.screen.color_system is not None)
    with contextlib.suppress(OSError, ValueError):  # the terminal is gone: nowhere to say so
        log.screen.print(Text.from_ansi(coloured), soft_wrap=True)


def render_text(summary: RunSummary, width: int | None, *, colour: bool = False) -> str:
    """Return tables of at most `width` columns, or with None compact lines for a log; no newline at the end.

    Below `NARROW` columns, where tables would be cut to pieces, the lines are folded instead.
    """
    if width is None:
        return "\n".join(summary_lines(summary))
    if width < NARROW:
        return "\n".join(textwrap.fill(line, max(width, 20), subsequent_indent="  ") for line in summary_lines(summary))
    from rich.console import Console  # noqa: PLC0415 # the same

    from component.report.results.summary_tables import tables_of  # noqa: PLC0415 # the same

    written = io.StringIO()
    console = Console(
        file=written,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        force_jupyter=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(tables_of(summary))
    return "\n".join(line.rstrip() for line in written.getvalue().rstrip().splitlines())
