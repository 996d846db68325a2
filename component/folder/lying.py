"""A folder of files as a person has it: without in/ and manifests, what lies in it is read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component.folder.layout import DataFolder, entries
from component.folder.magic import is_records, kind_of_content
from component.naming import ARCHIVE_SUFFIX, CONFIG_FILE, CONFIG_YAML_FILE

READ: Final = re.compile(
    r".+\.(csv|tsv|parquet|avro|arrow|feather|json|jsonl|ndjson|xlsx|xls)(\.(gz|bz2|zst))?", re.IGNORECASE
)
"""Names of files that are tables; others are if their first bytes say so."""
_NOT_INPUT: Final = frozenset({CONFIG_FILE, CONFIG_YAML_FILE, "out"})
_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Lying:
    """What lies in a folder: files that are read, and names of those that are not, each with the reason."""

    taken: tuple[Path, ...]
    left_out: tuple[tuple[str, str], ...]

    def told(self) -> tuple[str, ...]:
        """Say what is left out, in one sentence; nothing where nothing is."""
        if not self.left_out:
            return ()
        shown = ", ".join(f"{name!r} ({why})" for name, why in self.left_out[:_SHOWN])
        more = f" and {len(self.left_out) - _SHOWN} more" if len(self.left_out) > _SHOWN else ""
        return (f"Left out of the folder: {shown}{more}.",)


def lying_in(folder: DataFolder) -> Lying:
    """Look at a folder without in/. Names with a dot in front, the configuration and out/ are not looked at."""
    taken: list[Path] = []
    left_out: list[tuple[str, str]] = []
    for path in entries(folder.root):
        if path.name in _NOT_INPUT:
            continue
        why = _why_not(path)
        if why:
            left_out.append((path.name, why))
        else:
            taken.append(path)
    return Lying(tuple(taken), tuple(left_out))


def _why_not(path: Path) -> str:
    """Return why a path is not read; empty where it is."""
    if path.is_dir():
        return "" if is_records(path) else "a folder"
    if not path.is_file():
        return "no file"
    if path.stat().st_size == 0:
        return "empty"
    named = READ.fullmatch(path.name) or path.name.endswith(ARCHIVE_SUFFIX)
    return "" if named or kind_of_content(path) or is_records(path) else "neither name nor content says it is a table"
