"""The command `tablemill`: its commands, in the order that its help lists them."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from component import __version__
from component.cli import dataset
from component.cli.run import run

app = typer.Typer(
    name="tablemill",
    help="Mill data folders into partitioned, indexed Kartothek datasets, and back.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"tablemill {__version__}")
        raise typer.Exit


@app.callback()
def _tablemill(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Mill data folders into partitioned, indexed Kartothek datasets, and back."""


app.command(epilog="Example: tablemill run --data ./data-sample")(run)
app.add_typer(dataset.app)


def main() -> None:
    """Run the command line."""
    try:
        app()
    finally:
        _let_go_of_stdout()


def _let_go_of_stdout() -> None:
    """Write out what is left; where nobody reads any more, let Python not complain about it at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
