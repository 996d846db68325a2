"""A folder for what a process unpacks or converts; it is gone when the process ends."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from component import identity


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="tablemill-inputs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def scratch_path(scratch: Path | None, suffix: str = "") -> Path:
    """Return a path that nothing has yet, in a folder that its owner removes, or in that of the process."""
    return (scratch or _folder()) / f"{identity.new_hex()}{suffix}"
