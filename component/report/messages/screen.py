"""A terminal, drawn with rich: coloured messages, and one line at the bottom that shows the current stage."""

from __future__ import annotations

import logging
from typing import Final, TextIO

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from component.report.messages.log import Log
from component.report.messages.progress import Clock, SilentProgress, StageView, ended_line
from component.report.messages.record import marked

DRAWINGS_PER_SECOND: Final = 8
BAR_WIDTHS: Final = (8, 24)
"""Least and most columns of the bar; where fewer are left the numbers have its place."""
GAP: Final = 2

_STYLES: Final = {logging.DEBUG: "dim", logging.WARNING: "yellow", logging.ERROR: "bold red"}


def open_screen(stream: TextIO) -> Console:
    """Return a console that draws on a terminal; NO_COLOR and TERM are respected."""
    return Console(file=stream, force_terminal=True, force_jupyter=False, highlight=False, markup=False, emoji=False)


class ScreenHandler(logging.Handler):
    """Prints a record above the progress line."""

    def __init__(self, screen: Console) -> None:
        super().__init__()
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        """Print as it is, without rich's own folding, so that a message can be copied."""
        parts = [Text(marked(record), style=_STYLES.get(record.levelno, ""))]
        if record.exc_text:
            parts.append(Text(record.exc_text, style="dim"))
        try:
            self._screen.print(Text("\n").join(parts), soft_wrap=True)
        except (OSError, ValueError):  # the terminal is gone: nowhere to say so
            return


class ScreenProgress(SilentProgress):
    """Draws the current stage; a stage that has ended leaves its line, `finish` leaves nothing else."""

    def __init__(self, log: Log, screen: Console, clock: Clock) -> None:
        super().__init__(clock)
        self._log = log
        self._screen = screen
        self._spinner = Spinner("line")
        self._live = Live(
            console=screen,
            get_renderable=self._drawing,
            refresh_per_second=DRAWINGS_PER_SECOND,
            transient=True,
            redirect_stderr=False,  # what is written to stderr must stay there for `2>file`
        )

    def _on_begin(self) -> None:
        self._live.start()

    def _on_end(self, ended: StageView) -> None:
        self._log.info(ended_line(ended))

    def _on_finish(self) -> None:
        self._live.stop()

    def _drawing(self) -> RenderableType:
        view = self.view()
        if view is None:
            return ""
        name = Text(self._log.mask(view.name), style="bold")
        figures, bar_width = fitting(view, self._screen.width - name.cell_len - 2 * GAP - 1)
        cells: list[RenderableType] = [self._spinner, name, *map(Text, figures)]
        if bar_width:
            cells.insert(2, _bar(view, bar_width))
        drawing = Table.grid(padding=(0, GAP, 0, 0), pad_edge=False)
        for _ in cells:
            drawing.add_column(no_wrap=True)
        drawing.add_row(*cells)
        return drawing


def fitting(view: StageView, room: int) -> tuple[list[str], int]:
    """Return the figures of a stage that fit into `room` columns, and the width of the bar, 0 where none fits."""
    most_wanted_first = (view.left_text, view.splits_text, view.rows_text, view.speed_text)
    figures = [figure for figure in most_wanted_first if figure]
    while figures and _width(figures) > room:
        figures.pop()
    bar_width = min(BAR_WIDTHS[1], room - _width(figures) - GAP)
    return [*figures[1:], *figures[:1]], bar_width if bar_width >= BAR_WIDTHS[0] else 0


def _width(figures: list[str]) -> int:
    return sum(len(figure) for figure in figures) + GAP * max(0, len(figures) - 1)


def _bar(view: StageView, width: int) -> ProgressBar:
    return ProgressBar(
        total=1.0, completed=view.share or 0.0, pulse=view.share is None, width=width, animation_time=view.seconds
    )
