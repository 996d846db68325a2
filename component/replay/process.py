"""A command run to its end, with its output on disk, and killed with all it started when it takes too long."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component import clock
from component.errors import UserError
from component.report.record import MESSAGE_LIMIT, TRIMMED

KILLED: Final = 128 + signal.SIGKILL


@dataclass(frozen=True, slots=True)
class Command:
    """What is started: words, all of its environment, its working directory, and seconds that it may take."""

    words: Sequence[str]
    environment: Mapping[str, str]
    folder: Path | None
    timeout: float


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; a code of 128 and more says by which signal. Texts are cut as the platform cuts them."""

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    out_of_memory: bool = False


def run_command(command: Command, outputs: Path, on_timeout: Callable[[], None] = lambda: None) -> Ended:
    """Run a command; `outputs` is a folder for its output, `on_timeout` ends what a signal to it would not reach.

    UserError `replay.command` when it cannot be started. Whatever ends this call ends the command too.
    """
    begun = clock.monotonic()
    with (outputs / "stdout").open("w+b") as stdout, (outputs / "stderr").open("w+b") as stderr:
        try:
            process = subprocess.Popen(  # noqa: S603 - to run what the caller names is the purpose
                list(command.words),
                env=dict(command.environment),
                cwd=command.folder,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise _not_started(command.words[0], error.strerror or str(error)) from error
        except ValueError as error:
            raise _not_started(command.words[0], str(error)) from error
        timed_out = False
        try:
            process.wait(command.timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            on_timeout()
        finally:
            _end(process)
        code = process.returncode
    seconds = clock.monotonic() - begun
    code = KILLED if timed_out else 128 - code if code < 0 else code
    return Ended(code, _text(outputs / "stdout"), _text(outputs / "stderr"), seconds, timed_out)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the command's process group, as the platform does: without a chance to tidy up."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _text(path: Path) -> str:
    """Return the beginning of an output; bytes that are no UTF-8 are replaced (reference keboola 1.5)."""
    with path.open("rb") as file:
        text = file.read(4 * MESSAGE_LIMIT + 1).decode("utf-8", "replace")
    return text if len(text) <= MESSAGE_LIMIT else text[:MESSAGE_LIMIT] + TRIMMED


def _not_started(name: str, why: str) -> UserError:
    remedy = "Name a program that is found on PATH, or give its path."
    return UserError("replay.command", f"{name!r} cannot be started: {why}", remedy=remedy)
