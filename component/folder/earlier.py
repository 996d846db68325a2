"""What the run before left in out/: outside of the platform nobody empties the folder between two runs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from component.folder.json_file import write_json
from component.folder.layout import DataFolder

RECORD: Final = ".tablemill-outputs.json"
"""In out/; the platform sees no names with a dot in front."""


def earlier_outputs(folder: DataFolder) -> frozenset[Path]:
    """Return the tables, files and manifests in out/ that the run before wrote; none where no record of it is."""
    try:
        written = json.loads((folder.out / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    names = {
        place: written.get(key, ()) if isinstance(written, dict) else ()
        for key, place in (("tables", folder.out_tables), ("files", folder.out_files))
    }
    return frozenset(
        place / name
        for place, found in names.items()
        for name in (found if isinstance(found, list) else ())
        if isinstance(name, str) and name == Path(name).name
    )


def record_outputs(folder: DataFolder, written: Iterable[Path]) -> None:
    """Note what a run has written, for the one after it."""
    paths = sorted(written)
    names = {
        key: [path.name for path in paths if path.parent == place]
        for key, place in (("tables", folder.out_tables), ("files", folder.out_files))
    }
    write_json(folder.out / RECORD, names)
