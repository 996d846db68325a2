"""`tablemill run`: the configuration of a data folder, from its inputs to its outputs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from component import clock
from component.actions.request import read_request
from component.cli.boundary import each_error, error_code, exit_code, fail, sentence
from component.config.environment import Environment
from component.config.notation import is_loose
from component.folder.links import hold_links
from component.report.messages.lines import KeepingHandler, LineHandler, write_text
from component.report.messages.log import Log
from component.report.messages.opening import open_log, open_progress
from component.report.results.summary import RunSummary, render_json
from component.report.results.summary_text import show_summary
from component.runner.interrupts import Interrupted, deadline, ignore_interrupts, interruptible

if TYPE_CHECKING:
    from component.config.model import Config
    from component.runner.run import StartEngine

Folder = Annotated[
    Path | None,
    typer.Argument(metavar="FOLDER", help="The data folder, or any folder with files in it.", show_default=False),
]
FollowLinks = Annotated[
    bool, typer.Option("--follow-links", help="Read inputs through links that lead out of the data folder.")
]


def run(
    folder: Folder = None,
    data: Annotated[
        Path | None, typer.Option(help="The data folder; default is KBC_DATADIR, else /data.", show_default=False)
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["text", "json"], typer.Option(help="How the summary is printed.")
    ] = "text",
    follow_links: FollowLinks = False,
) -> None:
    """Run a data folder: tables become datasets, datasets become outputs.

    A folder without in/ is any folder: the CSV, Parquet, Avro, Arrow, JSON and Excel files that lie in it are read, and
    what comes of them is in its out/.
    """
    raise typer.Exit(run_folder(os.environ, data or folder, as_json=format == "json", follow_links=follow_links))


def run_folder(
    variables: Mapping[str, str],
    data: Path | None,
    *,
    as_json: bool = False,
    start: StartEngine | None = None,
    follow_links: bool = False,
) -> int:
    """Run a data folder and return the exit code; an error is one sentence on stderr.

    With `as_json` stdout is one document, whether the run succeeds or not. `start` gives the Spark to run on; None
    starts one of its own. `follow_links`: inputs may lie outside of the folder, behind links.
    """
    voice = Voice(as_json)
    try:
        with interruptible():
            environment = Environment.from_variables(variables, data)
            voice.log.hide(environment.secrets)
            hold_links(environment.data_dir, follow_input=follow_links)
            if (request := read_request(environment)) is not None and request.action:
                from component.actions import dispatch  # noqa: PLC0415 - what a run does not need

                voice.act(dispatch.quiet_log())
                write_text(sys.stdout, dispatch.answer(request, voice.log) + "\n")
                return 0
            from component.config.load import load_config  # noqa: PLC0415 - 100 ms that a help text need not pay

            config = load_config(environment.data_dir, hide=voice.log.hide)
            voice.speak_to(environment, config)
            with deadline(config.parameters.limits.deadline_seconds):
                voice.conclude(_run_logged(environment, config, voice, start))
            if not as_json and is_loose(environment.data_dir):
                voice.log.info(f"Results are in {environment.data_dir / 'out'}.")
            return 0
    except BaseException as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        if isinstance(error, Interrupted):
            ignore_interrupts()  # until the process has ended: it was asked to once, and it does
        return voice.fail(error)
    finally:
        voice.log.close()


@dataclass(slots=True)
class Voice:
    """Where a run says what it has to say: lines or a screen on stdout, GELF, or one JSON document at its end."""

    as_json: bool
    kept: KeepingHandler = field(default_factory=KeepingHandler)
    log: Log = field(init=False)

    def __post_init__(self) -> None:
        self.log = Log(self.kept if self.as_json else LineHandler(sys.stdout))

    @property
    def terminal(self) -> bool:
        """Whether stdout is drawn on."""
        return not self.as_json and sys.stdout.isatty()

    def speak_to(self, environment: Environment, config: Config) -> None:
        """Turn to where the environment and the configuration want messages; secrets stay hidden."""
        if environment.logger_addr or not self.as_json:
            self.log = open_log(
                logger_addr=environment.logger_addr,
                logger_port=environment.logger_port,
                logger_type=environment.logger_type or config.image_parameters.logger,
                terminal=self.terminal,
                secrets=self.log.secrets,
            )

    def speak_here(self) -> None:
        """Turn to the screen of the person who typed the command, if there is one."""
        if self.terminal:
            self.log = open_log(terminal=True, secrets=self.log.secrets)

    def act(self, log: Log) -> None:
        """Turn to the log of a synchronous action: stdout is the answer's alone."""
        log.hide(self.log.secrets)
        self.log, self.as_json = log, False

    def conclude(self, summary: RunSummary) -> None:
        """Show what the run did."""
        if self.as_json:
            self._print(render_json(summary) | {"log": self.kept.messages})
        else:
            show_summary(summary, self.log)

    def fail(self, error: BaseException) -> int:
        """Say what went wrong and return the exit code."""
        if not self.as_json:
            return fail(error, self.log)
        text = sentence(error, self.log)
        told = {"code": error_code(error), "text": text}
        self._print({"error": told | each_error(error), "log": self.kept.messages})
        write_text(sys.stderr, f"{text}\n")
        return exit_code(error)

    def _print(self, document: dict[str, Any]) -> None:
        write_text(sys.stdout, json.dumps(self.log.mask_json(document), indent=2) + "\n")


def _run_logged(environment: Environment, config: Config, voice: Voice, start: StartEngine | None) -> RunSummary:
    progress = open_progress(voice.terminal, voice.log, clock.monotonic)
    try:
        progress.stage("plan")  # the imports below take most of the first second: the screen shows life before them
        from component.runner.run import run as run_component  # noqa: PLC0415 - Spark is loaded only by what needs it
        from component.spark.engine import Engine  # noqa: PLC0415

        return run_component(environment, config, voice.log, progress, start=start or Engine)
    finally:
        progress.finish()
