"""`tablemill replay`: a run of any component done again, from what the platform gives for debugging or from cases."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from component.cli import replay_options as options
from component.cli.boundary import fail
from component.errors import UserError
from component.report.lines import LineHandler, is_utf8, write_text
from component.report.log import Log
from component.runner.interrupts import Interrupted, ignore_interrupts, interruptible

if TYPE_CHECKING:
    from rich.console import Console

    from component.replay.container import Container
    from component.replay.profile import Profile
    from component.replay.request import Handling
    from component.report.replayed import Replay

WIDTH: Final = 140
"""Columns of a report where nobody says how wide the screen is: in a pipe, in the log of a CI job."""


def replay(
    source: options.Source,
    command: options.Words = None,
    image: options.Image = None,
    engine: options.Engine = None,
    memory: options.Memory = None,
    network: options.Network = None,
    user: options.User = "random",
    cwd: options.Cwd = None,
    timeout: options.Timeout = None,
    env: options.Env = None,
    keep_out: options.KeepOut = False,
    work: options.Work = None,
    keep_work: options.KeepWork = False,
    profile: options.ProfileFile = None,
    secret: options.Secret = None,
    config: options.ConfigFile = None,
    allow_gaps: options.AllowGaps = False,
    component_id: options.ComponentId = None,
    config_id: options.ConfigId = None,
    branch_id: options.BranchId = None,
    data_types: options.DataTypes = None,
    feature: options.Feature = None,
    default_bucket: options.DefaultBucket = None,
    rules: options.Rules = "2026",
    mapping: options.Mapping = "fail",
    expected: options.Expected = None,
    update: options.Update = False,
    ordered: options.Ordered = False,
    tolerance: options.Tolerance = None,
    ignore_column: options.IgnoreColumn = None,
    ignore_table: options.IgnoreTable = None,
    ignore_file: options.IgnoreFile = None,
    ignore_key: options.IgnoreKey = None,
    ignore_timestamps: options.IgnoreTimestamps = False,
    empty_is_null: options.EmptyIsNull = False,
    parquet_content: options.ParquetContent = False,
    show: options.Show = 5,
    strict: options.Strict = False,
    output_format: options.Format = "text",
    junit: options.Junit = None,
) -> None:
    """Do a run again as the platform would, and compare what comes out with what is expected.

    Runs Tablemill, an image (--image), or any command (-- COMMAND). Exit code 0: all is as expected; 1: it is not, or
    it was not run; 2: a fault of Tablemill.
    """
    said = {
        "component_id": component_id,
        "config_id": config_id,
        "branch_id": branch_id,
        "dev_branch": True if branch_id else None,
        "data_types": data_types,
        "feature_gates": tuple(feature) if feature else None,
        "default_bucket": default_bucket,
        "memory": memory,
        "network": network,
        "timeout": timeout,
    }
    counting = {
        "tolerance": tolerance,
        "ignored_columns": tuple(ignore_column or ()),
        "ignored_tables": tuple(ignore_table or ()),
        "ignored_files": tuple(ignore_file or ()),
        "ignored_keys": frozenset(ignore_key or ()),
        "ordered": ordered,
        "ignore_timestamps": ignore_timestamps,
        "empty_is_null": empty_is_null,
        "parquet_content": parquet_content,
        "show": show,
    }
    running = Running(image, engine, user, cwd, tuple(env or ()), tuple(command or ()))
    handled = {
        "secrets": tuple(secret or ()),
        "config": config,
        "work": work,
        "keep_work": keep_work,
        "keep_out": keep_out,
        "allow_gaps": allow_gaps,
        "rules": rules,
        "mapping": mapping,
        "strict": strict,
        "update": update,
    }
    asked = Asked(source, expected, profile, said, counting, running, handled)
    raise typer.Exit(replay_asked(asked, junit, as_json=output_format == "json"))


@dataclass(frozen=True, slots=True)
class Running:
    """How the component is run, as the command line has it."""

    image: str | None = None
    engine: str | None = None
    user: str = "random"
    folder: str | None = None
    variables: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for; the dictionaries are fields of Profile, CompareOptions and Handling."""

    source: Path
    expected: Path | None = None
    profile: Path | None = None
    said: Mapping[str, Any] = field(default_factory=dict)
    counting: Mapping[str, Any] = field(default_factory=dict)
    running: Running = Running()
    handled: Mapping[str, Any] = field(default_factory=dict)


def replay_asked(
    asked: Asked, junit: Path | None = None, *, as_json: bool = False, variables: Mapping[str, str] = os.environ
) -> int:
    """Replay, report, and return the exit code; an error of ours or of the call is one sentence on stderr."""
    log = Log(LineHandler(sys.stderr))
    try:
        with interruptible():
            result = _replay(asked, variables, as_json=as_json)
        if junit is not None:
            _write_junit(result, junit)
    except BaseException as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        if isinstance(error, Interrupted):
            ignore_interrupts()  # until the process has ended: it was asked to once, and it does
        return fail(error, log)
    return result.exit_code


def _replay(asked: Asked, variables: Mapping[str, str], *, as_json: bool) -> Replay:
    """Replay run by run; text is printed as soon as a run has ended, JSON when all have."""
    from component.replay.cases import find_cases  # noqa: PLC0415 - loaded only by the command that needs it
    from component.replay.run import replay_case  # noqa: PLC0415
    from component.report.replayed import Replay, render_json  # noqa: PLC0415
    from component.report.replayed_text import show_run, show_total  # noqa: PLC0415

    handling = _handling(asked, variables)
    cases = find_cases(asked.source, asked.expected)
    if handling.update and any(case.expected is None for case in cases if not case.exit_code):
        raise UserError("replay.expected", "There is nothing to update", remedy="Name a folder with --expected.")
    console, runs = _console(), []
    for case in cases:
        runs.append(replay_case(case, handling))
        if not as_json:
            show_run(runs[-1], console, single=len(cases) == 1)
    result = Replay(tuple(runs))
    if as_json:
        write_text(sys.stdout, json.dumps(render_json(result), indent=2) + "\n")
    else:
        show_total(result, console)
    return result


def _handling(asked: Asked, variables: Mapping[str, str]) -> Handling:
    from component.replay.compare.near import MOST_TOLERANCE  # noqa: PLC0415
    from component.replay.compare.options import CompareOptions  # noqa: PLC0415
    from component.replay.profile import load_profile  # noqa: PLC0415
    from component.replay.request import TIMEOUT, Component, Handling  # noqa: PLC0415
    from component.replay.variables import given_variables  # noqa: PLC0415

    tolerance = asked.counting.get("tolerance")
    if tolerance is not None and not 0 <= tolerance < MOST_TOLERANCE:
        text = f"The tolerance {tolerance} is not from 0 to {MOST_TOLERANCE}"
        raise UserError("replay.profile", text, remedy="It is relative: 0.001 is a thousandth.")
    loaded = load_profile(asked.profile)
    profile = loaded.model_copy(update={key: value for key, value in asked.said.items() if value is not None})
    running = asked.running
    component = Component(
        container=_container(running, profile) if running.image else None,
        words=() if running.image else running.words,
        folder=running.folder,
        timeout=profile.timeout or TIMEOUT,
        extra=given_variables(running.variables, variables),
    )
    return Handling(profile, component, CompareOptions(**asked.counting), variables, **asked.handled)


def _container(running: Running, profile: Profile) -> Container:
    from component.replay.container import MEMORY, Container, find_engine  # noqa: PLC0415

    return Container(
        image=running.image or "",
        engine=find_engine(running.engine),
        memory=profile.memory or MEMORY,
        network=profile.network or "bridge",
        user=running.user,
        cpus=profile.cpus,
        folder="/data" if running.folder == "data" else running.folder,
        arguments=running.words,
    )


def _write_junit(result: Replay, path: Path) -> None:
    from component.report.replayed_junit import render_junit  # noqa: PLC0415
    from component.store.files import failing  # noqa: PLC0415

    with failing(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_junit(result))


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415 - rich costs 40 ms that other commands need not pay

    width = shutil.get_terminal_size((WIDTH, 24)).columns
    return Console(
        width=width, highlight=False, markup=False, emoji=False, force_jupyter=False, safe_box=not is_utf8(sys.stdout)
    )
