"""The command line: `tablemill run`. Exit codes: 0 done, 1 the user or a retry can help, 2 a fault of ours."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from component import __version__, clock
from component.config.environment import Environment
from component.errors import TablemillError
from component.report.failure import render_failure
from component.report.log import LineHandler, Log, open_log
from component.report.progress import open_progress
from component.report.summary import render_json, show_summary
from component.runner.interrupts import Interrupted, ignore_interrupts, interruptible

if TYPE_CHECKING:
    from component.runner.run import StartEngine

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


@app.command(epilog="Example: tablemill run --data ./data-sample")
def run(
    data: Annotated[
        Path | None, typer.Option(help="The data folder; default is KBC_DATADIR, else /data.", show_default=False)
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["text", "json"], typer.Option(help="How the summary is printed.")
    ] = "text",
) -> None:
    """Run the configuration of a data folder: tables become datasets, datasets become outputs."""
    raise typer.Exit(run_folder(os.environ, data, as_json=format == "json"))


def run_folder(
    variables: Mapping[str, str], data: Path | None, *, as_json: bool = False, start: StartEngine | None = None
) -> int:
    """Run a data folder and return the exit code; an error is one sentence on stderr.

    `start` gives the Spark to run on; None starts one of its own.
    """
    terminal = sys.stdout.isatty() and not as_json
    log = _open_log(None, None, terminal=terminal, as_json=as_json)
    try:
        chosen = {**variables, "KBC_DATADIR": str(data)} if data is not None else variables
        environment = Environment.from_variables(chosen)
        log.close()
        port = None if environment.logger_port is None else str(environment.logger_port)
        log = _open_log(environment.logger_addr, port, terminal=terminal, as_json=as_json)
        with interruptible():
            return _run_logged(environment, log, start, as_json=as_json, terminal=terminal)
    except BaseException as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        if isinstance(error, Interrupted):
            ignore_interrupts()  # until the process has ended: it was asked to once, and it does
        return _fail(error, log)
    finally:
        log.close()


def _open_log(address: str | None, port: str | None, *, terminal: bool, as_json: bool) -> Log:
    """Open the log; where stdout is for JSON only, what people must see goes to stderr."""
    if not as_json or address:
        return open_log(logger_addr=address, logger_port=port, terminal=terminal)
    handler = LineHandler(sys.stderr)
    handler.addFilter(lambda record: record.levelno >= logging.WARNING)
    return Log(handler)


def _run_logged(environment: Environment, log: Log, start: StartEngine | None, *, as_json: bool, terminal: bool) -> int:
    from component.runner.run import run as run_component  # noqa: PLC0415 - Spark is loaded only by what needs it
    from component.spark.engine import Engine  # noqa: PLC0415

    progress = open_progress(terminal, log, clock.monotonic)
    try:
        summary = run_component(environment, log, progress, start=start or Engine)
    finally:
        progress.finish()
    if as_json:
        import json  # noqa: PLC0415

        sys.stdout.write(json.dumps(render_json(summary), indent=2) + "\n")
    else:
        show_summary(summary, log)
    return 0


def _fail(error: BaseException, log: Log) -> int:
    if isinstance(error, Interrupted):
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    width = log.screen.width if log.screen is not None else None
    sys.stderr.write(render_failure(error, width, log=log) + "\n")
    return error.exit_code if isinstance(error, TablemillError) else 2


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
