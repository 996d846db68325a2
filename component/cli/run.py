"""`tablemill run`: the configuration of a data folder, from its inputs to its outputs."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from component import clock
from component.cli.boundary import fail
from component.config.environment import Environment
from component.report.log import LineHandler, Log, open_log
from component.report.progress import open_progress
from component.report.summary import render_json, show_summary
from component.runner.interrupts import Interrupted, ignore_interrupts, interruptible

if TYPE_CHECKING:
    from component.runner.run import StartEngine


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
        return fail(error, log)
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
