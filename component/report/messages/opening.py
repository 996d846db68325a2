"""Opens the log and the progress that fit the place: the platform's log server, a terminal, or plain lines.

What a place needs is imported where it is opened: rich, http.client and ssl cost 40 ms each, which others need not pay.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from component.report.messages.lines import LineHandler, is_utf8
from component.report.messages.log import Log
from component.report.messages.progress import LINE_SECONDS, Clock, LineProgress, Progress


def open_log(
    *,
    logger_addr: str | None = None,
    logger_port: int | None = None,
    logger_type: str | None = None,
    terminal: bool = False,
    secrets: Iterable[str] = (),
    debug: bool = False,
    stream: TextIO | None = None,
) -> Log:
    """Open the log that the environment asks for: `logger_addr` and `logger_port` are KBC_LOGGER_ADDR and _PORT.

    With an address messages go by GELF (`logger_type` tcp, udp or http; tcp by default) and nothing is printed, unless
    the server cannot be reached; else to `stream` (stdout), drawn with colours if it is a `terminal`.
    """
    output = stream or sys.stdout
    lines = LineHandler(output)
    if logger_addr:
        from component.report.messages.gelf import open_gelf  # noqa: PLC0415

        handler = open_gelf(logger_type or "tcp", logger_addr, logger_port)
        return Log(handler, fallback=lines, secrets=secrets, debug=debug)
    if terminal and is_utf8(output):
        from component.report.messages.screen import ScreenHandler, open_screen  # noqa: PLC0415

        screen = open_screen(output)
        return Log(ScreenHandler(screen), secrets=secrets, debug=debug, screen=screen)
    return Log(lines, secrets=secrets, debug=debug)


def open_progress(terminal: bool, log: Log, clock: Clock, interval: float = LINE_SECONDS) -> Progress:
    """Open the display that fits: drawn where the log has a terminal, else log lines every `interval` seconds."""
    if terminal and log.screen is not None and not log.screen.is_dumb_terminal:
        from component.report.messages.screen import ScreenProgress  # noqa: PLC0415

        return ScreenProgress(log, log.screen, clock)
    lines = LineProgress(log, clock, interval)
    lines.start_ticking()
    return lines
