"""`tablemill replay`: a run of any component done again, from what the platform gives for debugging or from cases."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from component.cli.boundary import fail
from component.cli.grouped import grouped
from component.cli.printing import print_json, print_tables
from component.cli.replay_options import ComparisonOptions, PlatformOptions, ReportOptions, RunOptions, Source, Words
from component.errors import UserError
from component.report.messages.lines import LineHandler
from component.report.messages.log import Log
from component.runner.interrupts import Interrupted, ignore_interrupts, interruptible

if TYPE_CHECKING:
    from component.replay.compare.options import CompareOptions
    from component.replay.profile import Profile
    from component.replay.request import Component, Handling
    from component.report.results.replayed import Replay, Replayed


@dataclass(frozen=True, slots=True)
class ReplayCall:
    """What the command line asks for; `words` are the command, or the arguments of an image."""

    source: Path
    words: tuple[str, ...]
    run: RunOptions
    platform: PlatformOptions
    comparison: ComparisonOptions
    report: ReportOptions


@grouped
def replay(
    source: Source,
    run: RunOptions,
    platform: PlatformOptions,
    comparison: ComparisonOptions,
    report: ReportOptions,
    command: Words = None,
) -> None:
    """Do a run again as the platform would, and compare what comes out with what is expected.

    Runs Tablemill, an image (--image), or any command (-- COMMAND). Exit code 0: all is as expected; 1: it is not, or
    it was not run; 2: a fault of Tablemill.
    """
    raise typer.Exit(replay_asked(ReplayCall(source, tuple(command or ()), run, platform, comparison, report)))


def replay_asked(asked: ReplayCall, variables: Mapping[str, str] = os.environ) -> int:
    """Replay, report, and return the exit code; an error of ours or of the call is one sentence on stderr."""
    log = Log(LineHandler(sys.stderr))
    try:
        with interruptible():
            result = _replay(asked, variables)
        if asked.report.junit is not None:
            _write_junit(result, asked.report.junit)
    except BaseException as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        if isinstance(error, Interrupted):
            ignore_interrupts()  # until the process has ended: it was asked to once, and it does
        return fail(error, log)
    return result.exit_code


def _replay(asked: ReplayCall, variables: Mapping[str, str]) -> Replay:
    """Replay run by run; text is printed as soon as a run has ended, JSON when all have."""
    from component.replay.cases import find_cases  # noqa: PLC0415 - loaded only by the command that needs it
    from component.replay.run import replay_case  # noqa: PLC0415
    from component.report.results.replayed import Replay, render_json  # noqa: PLC0415
    from component.report.results.replayed_text import show_run, show_total  # noqa: PLC0415

    handling = _handling(asked, variables)
    cases = find_cases(asked.source, asked.comparison.expected, update=handling.update)
    as_json = asked.report.output_format == "json"
    runs: list[Replayed] = []
    for case in cases:
        runs.append(replay_case(case, handling))
        if not as_json:
            print_tables(partial(show_run, runs[-1], single=len(cases) == 1))
    result = Replay(tuple(runs))
    if as_json:
        print_json(render_json(result))
    else:
        print_tables(partial(show_total, result))
    return result


def _handling(asked: ReplayCall, variables: Mapping[str, str]) -> Handling:
    from component.replay.request import Handling  # noqa: PLC0415

    profile = _profile(asked)
    return Handling(
        profile,
        _component(asked, profile, variables),
        _compare_options(asked.comparison),
        variables,
        secrets=tuple(asked.platform.secret or ()),
        config=asked.platform.config,
        work=asked.run.work,
        keep_work=asked.run.keep_work,
        keep_out=asked.run.keep_out,
        allow_gaps=asked.platform.allow_gaps,
        rules=asked.platform.rules,
        mapping=asked.platform.mapping,
        strict=asked.report.strict,
        update=asked.comparison.update,
    )


def _profile(asked: ReplayCall) -> Profile:
    """Return the profile, with what options say in its place."""
    from component.replay.profile import load_profile, overridden  # noqa: PLC0415

    run, platform = asked.run, asked.platform
    said = {
        "component_id": platform.component_id,
        "config_id": platform.config_id,
        "branch_id": platform.branch_id,
        "dev_branch": True if platform.branch_id else None,
        "data_types": platform.data_types,
        "feature_gates": tuple(platform.feature) if platform.feature else None,
        "default_bucket": platform.default_bucket,
        "memory": run.memory,
        "network": run.network,
        "timeout": run.timeout,
    }
    return overridden(load_profile(platform.profile), said)


def _component(asked: ReplayCall, profile: Profile, variables: Mapping[str, str]) -> Component:
    from component.replay.container import MEMORY, Container, find_engine  # noqa: PLC0415
    from component.replay.request import IN_DATA, TIMEOUT, Component  # noqa: PLC0415
    from component.replay.variables import given_variables  # noqa: PLC0415

    run = asked.run
    timeout = profile.timeout or TIMEOUT
    extra = given_variables(run.env or (), variables)
    if not run.image:
        return Component(words=asked.words, folder=run.cwd, timeout=timeout, extra=extra)
    container = Container(
        image=run.image,
        engine=find_engine(run.engine),
        memory=profile.memory or MEMORY,
        network=profile.network or "bridge",
        user=run.user,
        cpus=profile.cpus,
        folder="/data" if run.cwd == IN_DATA else run.cwd,
        arguments=asked.words,
    )
    return Component(container, timeout=timeout, extra=extra)


def _compare_options(asked: ComparisonOptions) -> CompareOptions:
    from component.replay.compare.near import MOST_TOLERANCE  # noqa: PLC0415
    from component.replay.compare.options import CompareOptions  # noqa: PLC0415

    if asked.tolerance is not None and not 0 <= asked.tolerance < MOST_TOLERANCE:
        text = f"The tolerance {asked.tolerance} is not from 0 to {MOST_TOLERANCE}"
        raise UserError("replay.profile", text, remedy="It is relative: 0.001 is a thousandth.")
    return CompareOptions(
        tolerance=asked.tolerance,
        ignored_columns=tuple(asked.ignore_column or ()),
        ignored_tables=tuple(asked.ignore_table or ()),
        ignored_files=tuple(asked.ignore_file or ()),
        ignored_keys=frozenset(asked.ignore_key or ()),
        ordered=asked.ordered,
        ignore_timestamps=asked.ignore_timestamps,
        empty_is_null=asked.empty_is_null,
        parquet_content=asked.parquet_content,
        show=asked.show,
    )


def _write_junit(result: Replay, path: Path) -> None:
    from component.report.results.replayed_junit import render_junit  # noqa: PLC0415
    from component.store.files import failing  # noqa: PLC0415

    with failing(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_junit(result))
