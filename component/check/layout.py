"""The tree of the folder itself: what the platform always makes, and what has no business in it.

Reference keboola 1.1, S6, S8.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from component.check.finding import error, note, relative, warning
from component.findings import Finding
from component.folder.earlier import earlier_outputs
from component.folder.layout import DataFolder
from component.folder.out_listing import VERSION_CONTROL_FOLDERS
from component.report.words.amounts import counted

KNOWN: Final = {
    "": {"config.json", "config.yml", "in", "out"},
    "in": {"tables", "files", "user", "state.json", "state.yml"},
    "out": {"tables", "files", "state.json", "state.yml", "usage.json", "result.json"},
}
"""What the platform and a component put where."""
SHOWN: Final = 5


def check_layout(folder: DataFolder) -> Iterator[Finding]:
    """Yield what is missing, what is too much, and what a run cannot write to."""
    if folder.loose:
        yield from _writable(folder)
        return
    for path in (folder.in_tables, folder.in_files, folder.out_tables, folder.out_files):
        if not _is_folder(path):
            place = relative(path, folder.root)
            if os.path.lexists(path):
                yield error("folder.missing", place, "It is no folder", "Make a folder in its place.")
            else:
                yield note("folder.missing", place, "The folder is not there; the platform always makes it")
    for place, known in KNOWN.items():
        yield from _junk(folder.root / place, place, known)
    yield from _leftovers(folder)
    yield from _writable(folder)


def _junk(path: Path, place: str, known: set[str]) -> Iterator[Finding]:
    names = [name for name in _names(path) if name not in known and not name.startswith(".")]
    if names:
        text = f"The platform has no {_listed(names)} here: nobody reads it, and a debug job uploads it"
        yield note("folder.junk", place or "/", text, "Keep working files in /tmp.")


def _leftovers(folder: DataFolder) -> Iterator[Finding]:
    for path in (folder.out_tables, folder.out_files):
        place = relative(path, folder.root)
        names = _names(path)
        going = {one.name for one in earlier_outputs(folder) if one.parent == path} | VERSION_CONTROL_FOLDERS
        seen = [name for name in names if not name.startswith(".") and name not in going]
        if seen:
            text = f"There is {_listed(seen)} already: the platform takes it for output of the run"
            yield warning("folder.leftover", place, text, "Empty the folder before the run.")
        hidden = [name for name in names if name.startswith(".") and name != ".gitkeep"]
        if hidden:
            yield note("folder.junk", place, f"The platform does not see {_listed(hidden)}: the name begins with a dot")
    nested = [name for name in _names(folder.out_files) if _is_folder(folder.out_files / name)]
    if nested:
        text = f"The platform leaves {_listed(nested)} out: it uploads no folders from out/files"
        yield warning("folder.junk", relative(folder.out_files, folder.root), text, "Put the files side by side.")


def _writable(folder: DataFolder) -> Iterator[Finding]:
    for path in (folder.out, folder.out_tables, folder.out_files):
        if _is_folder(path) and not os.access(path, os.W_OK | os.X_OK):
            place = relative(path, folder.root)
            remedy = "Give the user that runs Tablemill the right to write in out/."
            yield error("output.unwritable", place, "The folder is not writable", remedy)


def _names(path: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in path.iterdir())
    except OSError:  # missing, or no folder: said above; unreadable: said where it is read
        return []


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - a Path raises for what may not be searched


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:SHOWN])
    hidden = len(names) - SHOWN
    return f"{shown} and {counted(hidden, 'more', 'more')}" if hidden > 0 else shown
