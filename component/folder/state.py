"""State between runs: in/state.json and out/state.json (reference keboola 1.3)."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from component.config.json_text import JsonFaultError, describe, read_json
from component.errors import UserError
from component.folder.layout import writing


def read_state(path: Path) -> dict[str, Any]:
    """Return the state of a file; a missing one, and PHP's `[]`, are the empty state.

    UserError `state.syntax` for anything else that is no JSON object.
    """
    try:
        state = read_json(path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError("state.syntax", f"The state {str(path)!r} cannot be read: {error.strerror}") from error
    except JsonFaultError as error:
        raise UserError("state.syntax", f"The state {str(path)!r} {error}") from None
    if state == []:
        return {}
    if isinstance(state, dict):
        return state
    raise UserError("state.syntax", f"The state {str(path)!r} must be an object, but is {describe(state)}")


def write_state(path: Path, state: Mapping[str, Any]) -> None:
    """Write a state whole or not at all; UserError `output.unwritable` or `store.full`.

    The temporary file lies beside the state, so that the rename stays on one file system; the platform takes nothing
    from out/ itself but the files it knows by name, and no dot files at all (reference keboola 1.1, 6.2).
    """
    text = json.dumps(state, allow_nan=False, ensure_ascii=False, indent=2)
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
