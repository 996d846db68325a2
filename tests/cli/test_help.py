"""The help on a terminal of 80 columns, as it is typed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import typer

from component.cli import main as cli
from component.cli.printing import folded


def commands(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = dict(commands(typer.main.get_command(cli.app)))


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_no_name_of_an_option_is_cut(words, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tablemill", *words, "--help"])
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 0
    text = capsys.readouterr().out
    names = [name for one in ALL[words].params for name in (*one.opts, *one.secondary_opts) if name.startswith("--")]
    assert [name for name in names if not re.search(rf"{name}(?![\w-])", text)] == []
    assert max(map(len, text.splitlines())) <= 80


def test_the_shell_can_complete_commands():
    assert "--install-completion" in [name for one in typer.main.get_command(cli.app).params for name in one.opts]


def test_lines_are_folded_only_for_a_terminal(monkeypatch):
    line = "columns: " + ", ".join(f"column_{number} string" for number in range(20))
    assert folded([line]) == [line]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    found = folded(["short", line])
    assert found[0] == "short"
    assert all(len(one) <= 60 for one in found)
    assert " ".join(" ".join(found[1:]).split()) == line


def test_the_page_that_shows_completion_names_the_option():
    assert "--install-completion" in (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
