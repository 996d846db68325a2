"""What a component left besides its outputs: its documents are what the platform takes, and the rest is as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from component.check.layout import KNOWN
from component.config.json_text import JsonFaultError, json_path, parse_json
from component.errors import shorten
from component.folder.result import Result
from component.folder.usage import Usage
from component.mapping.model import Level
from component.naming import MIB, RESULT_FILE, STATE_FILE, USAGE_FILE
from component.report.replayed import Remark

STATE_GUIDELINE: Final = 1 * MIB
"""Reference keboola 1.3."""
_SHOWN: Final = 5

Snapshot = dict[str, tuple[int, ...]]
"""What the files below a folder are, by path: size, and times that no program can set back."""


def document_remarks(out: Path, notation: str = "json") -> Iterator[Remark]:
    """Yield what is wrong with out/state.json, usage.json and result.json, as the platform reads them."""
    yield from _state(out)
    usage = _read(out / USAGE_FILE, Level.ERROR)
    if isinstance(usage, Remark):
        yield usage
    elif usage is not None:
        yield from _against(Usage, usage[0], USAGE_FILE, Level.ERROR)
    result = _read(out / RESULT_FILE, Level.WARNING)
    if isinstance(result, Remark):
        yield result
    elif result is not None:
        yield from _against(Result, result[0], RESULT_FILE, Level.WARNING)
    if notation == "json" and (out / "state.yml").exists():
        yield Remark(Level.WARNING, "replay.state", "config.json asks for state.json, so state.yml is not read.", "out")


def snapshot(folder: Path) -> Snapshot:
    """Return what is below a folder now."""
    found: Snapshot = {}
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(parent, name)
            state = path.lstat()
            is_folder = path.is_dir() and not path.is_symlink()
            key = path.relative_to(folder).as_posix()
            found[key] = () if is_folder else (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)
    return found


def input_remarks(before: Snapshot, after: Snapshot) -> Iterator[Remark]:
    """Yield that a component changed its input, if it did."""
    for text, paths in (
        ("wrote into", sorted(after.keys() - before.keys())),
        ("removed", sorted(before.keys() - after.keys())),
        ("changed", sorted(path for path in before.keys() & after.keys() if before[path] != after[path])),
    ):
        if paths:
            yield Remark(Level.WARNING, "replay.input_changed", f"It {text} its input: {_listed(paths)}.", "in")


def junk_remarks(data: Path) -> Iterator[Remark]:
    """Yield what lies where the platform has nothing (seed keboola-data-folders, "/data/ Root Folder")."""
    for place in ("", "out"):
        folder = data / place
        names = sorted(path.name for path in folder.iterdir() if path.name not in KNOWN[place])
        if names:
            text = f"There is {_listed(names)}, which the platform knows nothing of; debug ZIPs contain it."
            yield Remark(Level.WARNING, "replay.junk", text, place or "/")


def _state(out: Path) -> Iterator[Remark]:
    place = f"out/{STATE_FILE}"
    read = _read(out / STATE_FILE, Level.ERROR)
    if isinstance(read, Remark):
        yield read
    elif read is None:
        text = "It left no state: the platform clears the one there is, it does not keep it."
        yield Remark(Level.NOTE, "replay.state", text, place)
    elif (size := (out / STATE_FILE).stat().st_size) > STATE_GUIDELINE:
        yield Remark(Level.WARNING, "replay.state", f"The state has {size:,} bytes; 1 MB is advised.", place)


def _read(path: Path, level: Level) -> tuple[Any] | Remark | None:
    """Return the value of a document, what is wrong with its text, or None where there is none."""
    place = f"out/{path.name}"
    try:
        return (parse_json(path.read_bytes()),)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Remark(level, "replay.document", f"It cannot be read: {error.strerror}.", place)
    except JsonFaultError as fault:
        return Remark(level, "replay.document", f"It {fault}.", place)


def _against(model: type[Usage | Result], value: Any, name: str, level: Level) -> Iterator[Remark]:
    try:
        model.model_validate(value)
    except ValidationError as error:
        for one in error.errors(include_input=False, include_url=False)[:_SHOWN]:
            text = f"{json_path(one['loc']) or 'The whole'}: {one['msg']}."
            yield Remark(level, "replay.document", text, f"out/{name}")


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(shorten(name)) for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
