"""Records directories for tests, right or wrong in one thing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HINTS = {"compression": None, "header-row": False}
SCHEMA = {
    "schema": "bltypes/v1",
    "fields": {"id": {"type": "integer", "index": 1}, "s": {"type": "string", "index": 2}},
    "known_representations": {},
}


def make_directory(
    root: Path,
    files: dict[str, bytes] | None = None,
    *,
    variant: str | None = "bluelabs",
    hints: dict[str, Any] | None = None,
    schema: Any = SCHEMA,
    entries: list[dict[str, Any]] | None = None,
) -> Path:
    """Write a directory of delimited files; `entries` is the manifest's list, by default what is right."""
    root.mkdir(parents=True, exist_ok=True)
    data = {"data001.csv": b"1,a\n"} if files is None else files
    for name, content in data.items():
        (root / name).write_bytes(content)
    if schema is not None:
        (root / "_schema.json").write_text(json.dumps(schema))
    described = {"type": "delimited", "variant": variant, "hints": {**HINTS, **(hints or {})}}
    (root / "_format_delimited").write_text(json.dumps(described))
    listed = [entry_of(root / name) for name in data] if entries is None else entries
    (root / "_manifest").write_text(json.dumps({"entries": listed}))
    return root


def entry_of(path: Path, **changes: Any) -> dict[str, Any]:
    """The entry of a file that is there, changed."""
    meta = {"content_length": path.stat().st_size} if path.exists() else {}
    return {"url": path.absolute().as_uri(), "mandatory": True, "meta": meta} | changes
