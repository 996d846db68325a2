from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from rich.table import Table

from component.cli.printing import WIDTH, print_json, print_tables


@pytest.fixture
def screen(monkeypatch):
    """Put a stream of an encoding in the place of stdout."""

    def set_up(encoding="utf-8"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding, newline="")
        monkeypatch.setattr(sys, "stdout", stream)
        return stream

    return set_up


def text_of(stream):
    stream.flush()
    return stream.buffer.getvalue().decode(stream.encoding)


def draw(console):
    table = Table(title=None)
    table.add_column("ž")
    table.add_row("ť")
    console.print(table)


def test_a_screen_shows_what_its_encoding_has(screen):
    stream = screen()
    print_tables(draw)
    assert "ť" in text_of(stream)


def test_other_characters_are_written_out(screen):
    stream = screen("ascii")
    print_tables(draw)
    assert "\\u0165" in text_of(stream)


@pytest.mark.parametrize(("columns", "width"), [(None, WIDTH), ("77", 77)])
def test_the_width_is_told_or_wide(screen, monkeypatch, columns, width):
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    screen()
    seen = []
    print_tables(lambda console: seen.append(console.width))
    assert seen == [width]


def test_a_pipe_has_no_colours(screen):
    stream = screen()
    print_tables(lambda console: console.print("x", style="bold red"))
    assert text_of(stream) == "x\n"


def test_json_is_ascii(screen):
    stream = screen("ascii")
    print_json({"ž": ["\ud800"]})
    assert json.loads(text_of(stream)) == {"ž": ["\ud800"]}


def test_a_reader_that_is_gone_is_nobodys_error(tmp_path):
    tables = tmp_path / "out" / "tables"
    tables.mkdir(parents=True)
    for number in range(3000):
        (tables / f"in.c-main.t{number}.csv").write_text("")
    command = f"{sys.executable} -m component resolve --data {tmp_path} | head -1"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("These are the 3,000 tables")
    assert (ended.stdout.count("\n"), ended.stderr) == (1, "")
