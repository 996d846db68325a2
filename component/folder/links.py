"""Symbolic links that lead out of a data folder: what is read or written through them is not the folder's.

A link in the input could bring any file of the machine into the output, and one in the output could send a table to any
place. Links to places inside of the folder are as good as what they lead to. That the folder itself is a link, or what
lies above it, is the business of who named it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component.errors import UserError
from component.naming import CONFIG_FILE, CONFIG_YAML_FILE

_OUTPUT: Final = "out"
_READ: Final = frozenset({CONFIG_FILE, CONFIG_YAML_FILE, "in", _OUTPUT})


@dataclass(frozen=True, slots=True)
class LinkOut:
    """A link that leads out: its place, as `in/tables/a.csv`, and where it leads."""

    place: str
    target: str

    @property
    def in_output(self) -> bool:
        """Whether it is where a run writes."""
        return self.place.partition("/")[0] == _OUTPUT

    @property
    def error(self) -> UserError:
        """What a run ends with."""
        remedy = (
            "Remove the link: outputs stay in the data folder."
            if self.in_output
            else "Put a copy in its place; or, if you trust the folder, run with --follow-links."
        )
        text = f"{self.place!r} is a link to {self.target!r}, which is not in the data folder"
        return UserError("folder.link", text, remedy=remedy)


def links_out(root: Path) -> Iterator[LinkOut]:
    """Yield the links below a folder that lead out of it, in order of their places; folders are searched once.

    Of a folder with in/ only what a run reads or writes is looked at, of any other what lies right in it, names with a
    dot in front aside, and out/.
    What cannot be listed holds none.
    """
    inside = os.path.realpath(root)
    known = _READ if os.path.lexists(root / "in") else None
    seen: set[str] = set()
    for entry in _listed(inside):
        if entry.name in known if known is not None else not entry.name.startswith("."):
            yield from _links(entry, entry.name, inside, seen, deep=entry.name in _READ)


def hold_links(root: Path, *, follow_input: bool = False) -> None:
    """Refuse a folder with links that lead out of it; in its output always. UserError `folder.link`."""
    for link in links_out(root):
        if link.in_output or not follow_input:
            raise link.error


def _links(entry: os.DirEntry[str], place: str, inside: str, seen: set[str], *, deep: bool) -> Iterator[LinkOut]:
    path = entry.path
    if entry.is_symlink():
        path = os.path.realpath(entry.path)
        if path != inside and not path.startswith(inside.rstrip(os.sep) + os.sep):
            yield LinkOut(place, path)
            return
        if path in seen:
            return
    if not deep or not _is_folder(entry):
        return
    seen.add(path)
    for below in _listed(path):
        yield from _links(below, f"{place}/{below.name}", inside, seen, deep=True)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        return entry.is_dir()
    return False


def _listed(path: str) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(path) as found:
        return sorted(found, key=lambda entry: entry.name)
    return []
