from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from component.cli.grouped import grouped


@dataclass(frozen=True, slots=True)
class Size:
    width: Annotated[int, typer.Option(help="How wide.")] = 1
    tags: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Look:
    bright: bool = False


@pytest.fixture
def invoke():
    app = typer.Typer()

    @app.command()
    @grouped
    def paint(
        name: Annotated[str, typer.Argument()], size: Size, look: Look, more: Annotated[str, typer.Option()] = ""
    ) -> None:
        """Paint something."""
        typer.echo(f"{name} {size} {look} {more!r}")

    return lambda *words: CliRunner().invoke(app, list(words))


def test_every_field_is_an_option_with_its_default(invoke):
    assert invoke("a").stdout == "a Size(width=1, tags=None) Look(bright=False) ''\n"


def test_options_reach_their_group(invoke):
    words = ("a", "--width", "3", "--tags", "x", "--tags", "y", "--bright", "--more", "z")
    assert invoke(*words).stdout == "a Size(width=3, tags=['x', 'y']) Look(bright=True) 'z'\n"


def test_the_help_is_that_of_the_command(invoke):
    shown = invoke("--help").stdout
    assert "Paint something." in shown
    assert "How wide." in shown
    assert "--size" not in shown
