"""A component's image, run by a container engine with the flags of the platform (reference keboola 1.8, 7.3)."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal
from uuid import uuid4

from component.errors import UserError
from component.findings import Finding, Level
from component.replay.process import Command, Ended, run_command
from component.replay.source import Workspace

ENGINES: Final = ("docker", "podman")
NETWORKS: Final = ("bridge", "none")
MEMORY: Final = "256m"
ENGINE_FAILED: Final = 125
"""What the engine's own command ends with when it could not run the image."""
_OF_ENGINE: Final = re.compile(r"PATH|HOME|TMPDIR|SSL_CERT_FILE|(DOCKER|CONTAINERS?|PODMAN|BUILDAH|XDG|LD)_.*")
_USER_IDS: Final = range(20_000, 60_000)
_SHOWN: Final = 5
_ANSWER_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Container:
    """How an image is run. `user` is `random` (one that no image knows), `image` (what the image says), or UID:GID."""

    image: str
    engine: str
    memory: str = MEMORY
    network: Literal["bridge", "none"] = "bridge"
    user: str = "random"
    cpus: float | None = None
    folder: str | None = None
    arguments: tuple[str, ...] = ()
    name: str = field(default_factory=lambda: f"tablemill-replay-{uuid4().hex[:12]}")


def find_engine(asked: str | None) -> str:
    """Return the engine's command: the one asked for, else the first that is found; UserError `replay.command`."""
    for name in (asked,) if asked else ENGINES:
        if found := shutil.which(name):
            return found
    remedy = "Install one, or run the component with -- COMMAND."
    raise UserError("replay.command", f"There is no container engine ({asked or ' or '.join(ENGINES)})", remedy=remedy)


def flags(container: Container, work: Workspace, variables: Mapping[str, str], user: str | None) -> list[str]:
    """Return the engine's arguments, as the platform gives them.

    Values of variables are not among them, since others can read a command line; but for those that the engine's own
    command would take for its own, which are no secrets.
    """
    words = ["run", "--name", container.name, "--volume", f"{work.data}:/data", "--volume", f"{work.tmp}:/tmp"]
    words += ["--memory", container.memory, "--network", container.network]
    if container.cpus is not None:
        words += ["--cpus", f"{container.cpus:g}"]
    if user is not None:
        words += ["--user", user]
        if Path(container.engine).name == "podman" and os.getuid():
            words += ["--userns", "keep-id"]
    if container.folder is not None:
        words += ["--workdir", container.folder]
    for name in sorted(variables):
        words += ["--env", f"{name}={variables[name]}" if _OF_ENGINE.fullmatch(name) else name]
    return [*words, container.image, *container.arguments]


def run_container(
    container: Container, work: Workspace, variables: Mapping[str, str], timeout: float
) -> tuple[Ended, list[Finding]]:
    """Run an image on a working folder, which it owns meanwhile, and remove its container.

    UserError `replay.command` when the engine cannot run it.
    """
    user = _user(container, work)
    words = [container.engine, *flags(container, work, variables, user)]
    handed = {name: value for name, value in variables.items() if not _OF_ENGINE.fullmatch(name)}
    command = Command(words, {**os.environ, **handed}, None, timeout)
    try:
        ended = run_command(command, work.root, on_timeout=lambda: _kill(container))
        state = _state(container)
        if not state or (ended.exit_code == ENGINE_FAILED and state.get("Error")):
            raise _not_run(container, ended, state)
        remarks = _written_elsewhere(container)
    finally:
        _ask(container, "rm", "--force", container.name)
        _take_back(work)
    told = state.get("ExitCode")
    code = told if isinstance(told, int) and not ended.timed_out else ended.exit_code
    return replace(ended, exit_code=code, out_of_memory=state.get("OOMKilled") is True), remarks


def _user(container: Container, work: Workspace) -> str | None:
    """Return the user that the component runs as; the working folder is given to that user where we may do so."""
    if container.user == "image":
        return None
    if container.user != "random":
        user = container.user
    elif os.getuid():
        return f"{os.getuid()}:{os.getgid()}"  # only root can give a folder to somebody else
    else:
        uid = _USER_IDS[secrets.randbelow(len(_USER_IDS))]
        user = f"{uid}:{uid}"
    owner, _, group = user.partition(":")
    if os.getuid() == 0 and owner.isdigit() and (group or owner).isdigit():
        _give(work, int(owner), int(group or owner))
    return user


def _give(work: Workspace, owner: int, group: int) -> None:
    work.root.chmod(0o755)
    for top in (work.data, work.tmp):
        for path in (top, *top.rglob("*")):
            os.chown(path, owner, group, follow_symlinks=False)


def _take_back(work: Workspace) -> None:
    if os.getuid() == 0:
        with suppress(OSError):
            _give(work, 0, 0)


def _ask(container: Container, *words: str) -> str:
    """Return what the engine answers, nothing where it does not."""
    try:
        asked = subprocess.run(  # noqa: S603 - the engine that was found on PATH
            [container.engine, *words], capture_output=True, text=True, timeout=_ANSWER_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout if asked.returncode == 0 else ""


def _kill(container: Container) -> None:
    _ask(container, "kill", container.name)


def _state(container: Container) -> dict[str, object]:
    try:
        found = json.loads(
            _ask(container, "inspect", "--type", "container", "--format", "{{json .State}}", container.name)
        )
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _written_elsewhere(container: Container) -> list[Finding]:
    """Say what the component wrote outside of /data and /tmp: it is gone after a run, and counts against 10 GB."""
    lines = [line.split(maxsplit=1) for line in _ask(container, "diff", container.name).splitlines()]
    paths = [words[1] for words in lines if len(words) == 2]
    files = [path for path in paths if not any(other.startswith(f"{path}/") for other in paths)]
    files = [path for path in files if not path.startswith(("/data", "/tmp", "/proc", "/dev"))]  # noqa: S108 - no file
    if not files:
        return []
    text = f"It wrote outside of /data and /tmp: {', '.join(files[:_SHOWN])}{', …' if len(files) > _SHOWN else ''}."
    return [Finding(Level.WARNING, "replay.written_elsewhere", "", text)]


def _not_run(container: Container, ended: Ended, state: Mapping[str, object]) -> UserError:
    said = ended.stderr.split("\n\n")[0].strip()  # the rest is how the engine is called
    why = str(state.get("Error") or "") or said or "it does not answer"
    remedy = "Check that the engine runs and that the image is there or can be fetched."
    return UserError("replay.command", f"The image {container.image!r} cannot be run: {why[:500]}", remedy=remedy)
