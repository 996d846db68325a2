"""The nasty folder: input tables as hostile as their formats allow, and what each of them holds.

Files are written here byte by byte, and what they hold is known from the Python objects they were written from; neither
Tablemill nor the csv module takes part. `tests/folders/test_nasty.py` holds that the csv module agrees.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.folders.nasty_layout import INPUT_BUCKET, NastyTable, encode_rows, pack
from tests.folders.nasty_tables import nasty_tables


@dataclass(frozen=True, slots=True)
class NastyExpectation:
    """The folder that was made and what each table in it holds, by file name."""

    root: Path
    tables: Mapping[str, NastyTable] = field(repr=False)


def make_nasty_folder(root: Path, *, only: Iterable[str] | None = None) -> NastyExpectation:
    """Write the nasty data folder, or only the named tables of it, and return what it holds."""
    wanted = None if only is None else set(only)
    tables = {table.name: table for table in nasty_tables() if wanted is None or table.name in wanted}
    folder = root / "in" / "tables"
    for made in (folder, root / "in" / "files", root / "out" / "tables", root / "out" / "files"):
        made.mkdir(parents=True)
    for table in tables.values():
        write_table(folder, table)
    (root / "in" / "state.json").write_text("{}")
    (root / "config.json").write_text(json.dumps(_config(tables), indent=4))
    return NastyExpectation(root, tables)


def write_table(folder: Path, table: NastyTable) -> None:
    """Write one table and its manifest into a folder."""
    path = folder / table.name
    if table.slices:
        path.mkdir()
        (path / ".DS_Store").write_bytes(b"\x00no slice")
        for part in table.slices:
            (path / part.name).write_bytes(pack(encode_rows(part.rows, part.layout), part.packed))
    else:
        header = [table.columns] if table.header else []
        path.write_bytes(encode_rows([*header, *table.cells], table.layout))
    if table.manifest is not None:
        (folder / f"{table.name}.manifest").write_text(json.dumps(table.manifest, indent=4))


def _config(tables: Iterable[str]) -> dict[str, Any]:
    mappings = [{"source": f"{INPUT_BUCKET}.{name}", "destination": name} for name in tables]
    storage = {"input": {"tables": mappings, "files": []}, "output": {"tables": [], "files": []}}
    return {
        "storage": storage,
        "parameters": [],
        "image_parameters": [],
        "authorization": [],
        "action": "run",
    }
