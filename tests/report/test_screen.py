from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import textwrap

import pytest

from component.report.messages.progress import StageView
from component.report.messages.screen import fitting

ESCAPE = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])")

RUN = """
    import sys, threading, time
    from component.report.messages.opening import open_log, open_progress
    from component.report.results.summary import OutputSummary, RunSummary
    from component.report.results.summary_text import show_summary

    log = open_log(terminal=sys.stdout.isatty(), secrets=["s3cret"])
    progress = open_progress(sys.stdout.isatty(), log, time.monotonic)
    progress.stage("Start Spark")
    time.sleep(0.3)
    progress.stage("Mill flights", total_splits=4, total_bytes=400_000_000)
    def work():
        for _ in range(4):
            time.sleep(0.2)
            progress.advance(splits=1, rows=84_194, byte_count=100_000_000)
    worker = threading.Thread(target=work)
    worker.start()
    log.warning("no manifest for s3cret weather")
    print("a line that a library prints")
    worker.join()
    FINISH
    flights = OutputSummary("flights", 5, 0, 9, "out.c-main.flights", "s3cret rule")
    show_summary(RunSummary((), (flights,), progress.stages, 1.1), log)
    print("end")
"""

FAIL = """
    try:
        progress.stage("Commit", total_splits=2)
        time.sleep(0.3)
        raise OSError("disk full")
    except OSError as error:
        log.error(str(error))
    finally:
        progress.finish()
"""


class Screen:
    """A terminal of the few codes that a progress line needs; an unknown one fails the test."""

    def __init__(self) -> None:
        self.lines: list[str] = [""]
        self.row = 0
        self.column = 0
        self.cursor_shown = True
        self.drawn: list[str] = []

    def feed(self, text: str) -> None:
        place = 0
        while place < len(text):
            if code := ESCAPE.match(text, place):
                self._control(*code.groups())
                place = code.end()
            else:
                self._put(text[place])
                place += 1

    def _put(self, char: str) -> None:
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.drawn.append(self.lines[self.row])
            self.row += 1
            self.lines += [""] * (self.row + 1 - len(self.lines))
        else:
            assert char.isprintable()
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[: self.column] + char + line[self.column + 1 :]
            self.column += 1

    def _control(self, private: str, number: str, letter: str) -> None:
        if letter == "K":
            assert number == "2"
            self.drawn.append(self.lines[self.row])
            self.lines[self.row] = ""
        elif letter == "A":
            self.row -= int(number or "1")
        elif private and number == "25":
            self.cursor_shown = letter == "h"
        else:
            assert letter == "m", f"{private}{number}{letter}"

    @property
    def text(self) -> list[str]:
        return [line.rstrip() for line in self.lines]


def run_on_terminal(script: str, *, width: int = 100, **environment: str) -> tuple[str, bytes]:
    """Run a script with stdout on a pseudo-terminal; return what it wrote there and on stderr."""
    outside, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    kept = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES", "NO_COLOR", "CI"}}
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdin=subprocess.DEVNULL,
        stdout=inside,
        stderr=subprocess.PIPE,
        env=kept | {"TERM": "xterm-256color", "PYTHONUTF8": "1", **environment},
    )
    os.close(inside)
    received = b""
    while True:
        try:
            piece = os.read(outside, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        received += piece
    os.close(outside)
    errors = process.communicate(timeout=30)[1]
    assert process.returncode == 0, errors
    return received.decode("utf-8"), errors


@pytest.fixture(scope="module")
def written():
    return run_on_terminal(RUN.replace("FINISH", "progress.finish()"))


@pytest.fixture(scope="module")
def screen(written):
    shown = Screen()
    shown.feed(written[0])
    return shown


def test_the_current_stage_is_drawn_while_it_runs(screen):
    drawn = "\n".join(screen.drawn)
    assert re.search(r"^[-\\|/] +Start Spark +\S+ +\d+\.\d s so far", drawn, re.MULTILINE)
    assert re.search(
        r"^[-\\|/] +Mill flights +\S.* +[123] of 4 splits +[\d,]+ rows +[\d.]+ MB/s +\d+\.\d s left",
        drawn,
        re.MULTILINE,
    )


def test_a_clean_screen_is_left_with_one_line_per_stage_and_every_message(screen):
    start, *middle, end = screen.text[:5]
    assert re.fullmatch(r"Start Spark: \d+\.\d s", start)
    assert middle[:2] == ["warning: no manifest for [hidden] weather", "a line that a library prints"]
    assert re.fullmatch(r"Mill flights: 4 splits, 336,776 rows, 400\.0 MB in \d+\.\d s \([\d.]+ MB/s\)", middle[2])
    assert end.split() == ["Output", "Rows", "Slices", "Size", "Destination", "Why"]
    assert screen.text[-2:] == ["end", ""]
    assert screen.cursor_shown


def test_the_summary_is_drawn_with_secrets_hidden(screen):
    assert "flights      5        -    9 B   out.c-main.flights   [hidden] rule" in screen.text


def test_nothing_is_written_to_stderr(written):
    assert written[1] == b""


def test_a_run_that_fails_in_a_stage_leaves_a_clean_screen_too():
    failing = RUN.replace("FINISH", FAIL)
    shown = Screen()
    shown.feed(run_on_terminal(failing)[0])
    assert any("Commit" in line and "0 of 2 splits" in line for line in shown.drawn)
    assert sum("Commit" in line for line in shown.text) == 2  # its line, and the summary
    assert "error: disk full" in shown.text
    assert shown.cursor_shown


def test_what_is_meant_for_stderr_stays_there_while_a_stage_is_drawn():
    speaking = RUN.replace("FINISH", "print('from below', file=sys.stderr); progress.finish()")
    written, errors = run_on_terminal(speaking)
    assert errors == b"from below\n"
    assert "from below" not in written


def test_a_terminal_without_colours_gets_none():
    written, _ = run_on_terminal(RUN.replace("FINISH", "progress.finish()"), NO_COLOR="1")
    styles = {number for _, number, letter in ESCAPE.findall(written) if letter == "m"}
    assert not any(part in styles for part in ("31", "32", "33", "36"))


def test_a_terminal_that_cannot_move_its_cursor_gets_lines():
    written, _ = run_on_terminal(RUN.replace("FINISH", "progress.finish()"), TERM="dumb")
    assert "\x1b" not in written
    assert re.match(r"Start Spark: \d+\.\d s\r\n", written)


@pytest.mark.parametrize(
    ("width", "figures", "bar"),
    [
        (200, ["2 of 4 splits", "168,388 rows", "50.0 MB/s", "4.0 s left"], 24),
        (60, ["2 of 4 splits", "168,388 rows", "50.0 MB/s", "4.0 s left"], 8),
        (59, ["2 of 4 splits", "168,388 rows", "50.0 MB/s", "4.0 s left"], 0),
        (49, ["2 of 4 splits", "168,388 rows", "4.0 s left"], 8),
        (25, ["2 of 4 splits", "4.0 s left"], 0),
        (24, ["4.0 s left"], 12),
        (9, [], 0),
    ],
)
def test_what_is_wanted_most_is_shown_where_not_everything_fits(width, figures, bar):
    view = StageView("Mill", total_splits=4, splits=2, rows=168_388, byte_count=200_000_000, seconds=4.0)
    assert fitting(view, width) == (figures, bar)


@pytest.mark.parametrize("width", [20, 60])
def test_a_narrow_terminal_is_not_flooded_by_lines_that_wrap(width):
    written, _ = run_on_terminal(RUN.replace("FINISH", "progress.finish()"), width=width)
    shown = Screen()
    shown.feed(written)
    assert sum("Start Spark" in line for line in shown.text) == 2  # its line, and the summary
    assert all(len(line) <= width for line in shown.drawn if line[:2] in {"- ", "\\ ", "| ", "/ "})
