"""What a component left besides its outputs: its documents are what the platform takes, and the rest is as it was."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from component.check.layout import KNOWN
from component.config.json_text import LONGEST, JsonFaultError, json_path, parse_json
from component.config.problems import input_words
from component.errors import shorten
from component.findings import Finding, Level
from component.folder.result import Result
from component.folder.state import GUIDELINE_BYTES
from component.folder.usage import Usage
from component.naming import RESULT_FILE, STATE_FILE, USAGE_FILE

_SHOWN: Final = 5

Snapshot = dict[str, tuple[int, ...]]
"""What the files below a folder are, by path: size, time of the last change, and number."""


def document_remarks(out: Path, notation: str = "json") -> Iterator[Finding]:
    """Yield what is wrong with out/state.json, usage.json and result.json, as the platform reads them."""
    yield from _state(out)
    usage = _read(out / USAGE_FILE, Level.ERROR)
    if isinstance(usage, Finding):
        yield usage
    elif usage is not None:
        yield from _against(Usage, usage[0], USAGE_FILE, Level.ERROR)
    result = _read(out / RESULT_FILE, Level.WARNING)
    if isinstance(result, Finding):
        yield result
    elif result is not None:
        yield from _against(Result, result[0], RESULT_FILE, Level.WARNING)
    if notation == "json" and (out / "state.yml").exists():
        yield Finding(
            Level.WARNING, "replay.state", "out", "config.json asks for state.json, so state.yml is not read."
        )


def snapshot(folder: Path) -> Snapshot:
    """Return what is below a folder now."""
    found: Snapshot = {}
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(parent, name)
            state = path.lstat()
            key = path.relative_to(folder).as_posix()
            # Not the time of the last change of state: the folder is given to a container's user, and taken back.
            found[key] = () if stat.S_ISDIR(state.st_mode) else (state.st_size, state.st_mtime_ns, state.st_ino)
    return found


def input_remarks(before: Snapshot, after: Snapshot) -> Iterator[Finding]:
    """Yield that a component changed its input, if it did."""
    for text, paths in (
        ("wrote into", sorted(after.keys() - before.keys())),
        ("removed", sorted(before.keys() - after.keys())),
        ("changed", sorted(path for path in before.keys() & after.keys() if before[path] != after[path])),
    ):
        if paths:
            yield Finding(Level.WARNING, "replay.input_changed", "in", f"It {text} its input: {_listed(paths)}.")


def restored_folders(data: Path) -> list[Finding]:
    """Return which folders of the platform are gone or something else, and put an empty one in the place of each.

    So what is asked of the data folder later finds folders, and no link leads it out of there.
    """
    gone: list[str] = []
    for name in ("", "in", "out", "out/tables", "out/files"):
        path = data / name
        if path.is_symlink() or not path.is_dir():
            if path.is_symlink() or path.exists():
                path.unlink()
            path.mkdir()
            if not any(name.startswith(other) for other in gone):
                gone.append(name)
    text = "It removed the folder, or put something else in its place: the platform cannot read its outputs."
    return [Finding(Level.ERROR, "replay.folder", name or "/", text) for name in gone if name != "in"]


def unknown_names(data: Path) -> frozenset[tuple[str, str]]:
    """Return what lies where the platform has nothing (reference keboola 1.1)."""
    return frozenset(
        (place, path.name)
        for place in ("", "out")
        for path in (data / place).iterdir()
        if path.name not in KNOWN[place]
    )


def junk_remarks(before: frozenset[tuple[str, str]], after: frozenset[tuple[str, str]]) -> Iterator[Finding]:
    """Yield what a component left where the platform has nothing."""
    for place in ("", "out"):
        names = sorted(name for folder, name in after - before if folder == place)
        if names:
            text = f"It left {_listed(names)}, which the platform knows nothing of; debug ZIPs contain it."
            yield Finding(Level.WARNING, "replay.junk", place or "/", text)


def _state(out: Path) -> Iterator[Finding]:
    place = f"out/{STATE_FILE}"
    read = _read(out / STATE_FILE, Level.ERROR)
    if isinstance(read, Finding):
        yield read
    elif read is None:
        text = "It left no state: the platform clears the one there is, it does not keep it."
        yield Finding(Level.NOTE, "replay.state", place, text)
    elif (size := (out / STATE_FILE).stat().st_size) > GUIDELINE_BYTES:
        yield Finding(Level.WARNING, "replay.state", place, f"The state has {size:,} bytes; 1 MB is advised.")


def _read(path: Path, level: Level) -> tuple[Any] | Finding | None:
    """Return the value of a document, what is wrong with its text, or None where there is none."""
    place = f"out/{path.name}"
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            return Finding(level, "replay.document", place, "It is no file.")
        if state.st_size > LONGEST:
            text = f"It has {state.st_size:,} bytes; more than {LONGEST:,} are not read."
            return Finding(level, "replay.document", place, text)
        return (parse_json(path.read_bytes()),)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Finding(level, "replay.document", place, f"It cannot be read: {error.strerror}.")
    except JsonFaultError as fault:
        return Finding(level, "replay.document", place, f"It {fault}.")


def _against(model: type[Usage | Result], value: Any, name: str, level: Level) -> Iterator[Finding]:
    try:
        model.model_validate(value)
    except ValidationError as error:
        for one in error.errors(include_input=False, include_url=False)[:_SHOWN]:
            text = f"{json_path(one['loc']) or 'The whole'}: {input_words(one)}."
            yield Finding(level, "replay.document", f"out/{name}", text)


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(shorten(name)) for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
