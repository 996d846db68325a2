"""A command run to its end, the beginning of its output kept on disk; killed with all it started after its time."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from component import clock
from component.errors import UserError
from component.naming import KIB, MIB
from component.report.messages.record import MESSAGE_LIMIT, TRIMMED

KILLED: Final = 128 + signal.SIGKILL
KEPT_BYTES: Final = 64 * MIB
"""Of each output that is kept on disk: a component that never stops talking must not fill it."""
LAST_WORDS: Final = 5.0
"""Seconds to wait for the rest of an output; a process that left its group may hold it open for ever."""
_PIECE_BYTES: Final = 64 * KIB


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
    process = _started(command)
    timed_out = False
    kept: list[threading.Thread] = []
    try:
        kept += [_kept(pipe, outputs / name) for pipe, name in _outputs(process)]
        process.wait(command.timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        on_timeout()
    finally:
        _end(process)
    for thread in kept:
        thread.join(LAST_WORDS)
    code = process.returncode
    seconds = clock.monotonic() - begun
    code = KILLED if timed_out else 128 - code if code < 0 else code
    return Ended(code, _text(outputs / "stdout"), _text(outputs / "stderr"), seconds, timed_out)


def _started(command: Command) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - to run what the caller names is the purpose
            list(command.words),
            env=dict(command.environment),
            cwd=command.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise _not_started(command, error.strerror or str(error)) from error
    except ValueError as error:
        raise _not_started(command, str(error)) from error


def _outputs(process: subprocess.Popen[bytes]) -> list[tuple[IO[bytes], str]]:
    return [(pipe, name) for pipe, name in ((process.stdout, "stdout"), (process.stderr, "stderr")) if pipe is not None]


def _kept(pipe: IO[bytes], path: Path) -> threading.Thread:
    """Write the beginning of an output to a file, and read the rest too, so that nobody waits for a full pipe."""
    path.touch()
    thread = threading.Thread(target=_keep, args=(pipe, path), daemon=True)
    thread.start()
    return thread


def _keep(pipe: IO[bytes], path: Path) -> None:
    left = KEPT_BYTES
    with pipe, path.open("wb", buffering=0) as file:
        while block := os.read(pipe.fileno(), _PIECE_BYTES):
            with suppress(OSError):  # a full disk
                file.write(block[:left])
            left -= len(block[:left])


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


def _not_started(command: Command, why: str) -> UserError:
    name, folder = command.words[0], command.folder
    if folder is not None and not folder.is_dir():
        remedy = "Name another one with --cwd, or data for the data folder."
        return UserError("replay.command", f"The working directory {str(folder)!r} is not there", remedy=remedy)
    remedy = "Name a program that is found on PATH, or give its path."
    return UserError("replay.command", f"{name!r} cannot be started: {why}", remedy=remedy)
