"""`tablemill check`: everything about a folder before a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from component.cli.boundary import fail
from component.cli.printing import print_json, print_tables
from component.cli.run import Folder, FollowLinks
from component.report.messages.lines import LineHandler
from component.report.messages.log import Log

if TYPE_CHECKING:
    from component.report.results.checked import CheckReport


def check(
    folder: Folder = None,
    data: Annotated[
        Path | None, typer.Option(help="The data folder; default is KBC_DATADIR, else /data.", show_default=False)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings too.")] = False,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["text", "json"], typer.Option(help="How the report is printed.")
    ] = "text",
    follow_links: FollowLinks = False,
) -> None:
    """Check everything about a folder before a run: configuration, manifests, inputs, outputs, space, secrets.

    Nothing is written to the folder and no Spark is started. Exit code 0: a run can start; 1: something is wrong.
    """
    raise typer.Exit(
        check_and_show(os.environ, data or folder, strict=strict, as_json=format == "json", follow_links=follow_links)
    )


def check_and_show(
    variables: Mapping[str, str],
    data: Path | None,
    *,
    strict: bool = False,
    as_json: bool = False,
    follow_links: bool = False,
) -> int:
    """Print the report on a folder and return the exit code; a fault of ours is one sentence on stderr."""
    from component.check.folder import check_folder  # noqa: PLC0415 - loads Arrow, which other commands need not pay

    try:
        report = check_folder(variables, data, follow_links=follow_links)
        _show(report, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        return fail(error, Log(LineHandler(sys.stderr)))
    failing = {"error", "warning"} if strict else {"error"}
    return 1 if any(finding.level.value in failing for finding in report.findings) else 0


def _show(report: CheckReport, *, as_json: bool) -> None:
    if as_json:
        from component.report.results.checked import render_check_json  # noqa: PLC0415

        print_json(render_check_json(report))
        return
    from component.report.results.checked_tables import show_check  # noqa: PLC0415

    print_tables(lambda console: show_check(report, console))
