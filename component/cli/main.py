"""The command `tablemill`: its commands, in the order that its help lists them."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from component import __version__
from component.cli.check import check
from component.cli.convert import convert
from component.cli.dataset.commands import app as dataset_commands
from component.cli.replay import replay
from component.cli.resolve import resolve
from component.cli.run import run

app = typer.Typer(
    name="tablemill",
    help="Mill data folders into partitioned, indexed Kartothek datasets, and back.",
    no_args_is_help=True,
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
app.command(epilog="Example: tablemill resolve --data ./data-sample --default-bucket in.c-main")(resolve)
app.command(epilog="Example: tablemill check --data ./data-sample")(check)
app.command(epilog="Example: tablemill convert flights.csv.gz ./flights/ --variant bluelabs")(convert)
app.command(epilog="Example: tablemill replay stage_0.zip --expected stage_output.zip")(replay)

app.add_typer(dataset_commands)


def main() -> None:
    """Run the command line."""
    _open_missing_streams()
    if "--help" in sys.argv or len(sys.argv) <= 2:
        keep_option_names_whole()
    logging.getLogger().addHandler(logging.NullHandler())  # py4j tells stderr of an interrupt, with a stack trace
    try:
        app()
    finally:
        _let_go_of_stdout()


def keep_option_names_whole() -> None:
    """Let the help give its room to the names of options, and fold what it says of them: typer cuts names short."""
    from rich.table import Table  # noqa: PLC0415 - as below
    from typer import rich_utils  # noqa: PLC0415 - 40 ms that only a help text needs

    class OptionTable(Table):
        def add_row(self, *cells: Any, **more: Any) -> None:
            super().add_row(*cells, **more)
            for column, cell in zip(self.columns[:-1], cells, strict=False):
                column.no_wrap = column.no_wrap or "--" in str(cell)
            for column in self.columns:
                column.overflow = "fold"

    vars(rich_utils)["Table"] = OptionTable


def _open_missing_streams() -> None:
    """Open nothing for a stream that was closed; else the next file, or Java's output, would take its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for good


def _let_go_of_stdout() -> None:
    """Write out what is left; where nobody reads any more, let Python not complain about it at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
