"""JSON files that are there whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from component.folder.layout import writing


def write_json(path: Path, value: Any) -> None:
    """Write a JSON value; UserError `output.unwritable` or `store.full`.

    The temporary file lies beside the other, so that the rename stays on one file system; the platform takes nothing
    from out/ itself but the files it knows by name, and no dot files at all (reference keboola 1.1, 6.2).
    """
    text = json_text(value)
    with writing(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def json_text(value: Any) -> str:
    """Return a value as it is written: in its own order, so that the same value has the same bytes."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False, indent=2)
