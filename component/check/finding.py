"""How a finding is made: from facts, or from the error that a run would end with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from component import findings
from component.check.codes import CHECK_REMEDIES
from component.config.json_text import Step, json_path
from component.errors import REMEDIES, TablemillError
from component.findings import Finding
from component.mapping.platform.model import RefusedError
from component.naming import CONFIG_FILE, CONFIG_YAML_FILE

CONFIG_FILES: Final = (CONFIG_FILE, CONFIG_YAML_FILE)


def error(code: str, place: str, text: str, remedy: str = "") -> Finding:
    """Return a finding that a run would fail of."""
    return findings.error(code, place, text, remedy_of(code, remedy))


def warning(code: str, place: str, text: str, remedy: str = "") -> Finding:
    """Return a finding that a run may fail of, or give something else than was meant."""
    return findings.warning(code, place, text, remedy_of(code, remedy))


def note(code: str, place: str, text: str, remedy: str = "") -> Finding:
    """Return a finding that is good to know."""
    return findings.note(code, place, text, remedy)


def remedy_of(code: str, remedy: str = "") -> str:
    """Return a remedy, or what helps against everything of a code where nothing more precise is said."""
    return remedy or CHECK_REMEDIES.get(code, "") or REMEDIES.get(code, "")


def of_error(found: TablemillError, place: str) -> Finding:
    """Return the finding for an error that a run would end with; what the error knows of its place is in the text."""
    if isinstance(found, RefusedError):
        return error(found.error.code, place, found.error.text, found.remedy)
    where = str(found.place)
    text = f"{found.text.rstrip('.')} ({where})" if where else found.text
    return error(found.code, place, text, found.remedy)


def place_in(file: str, steps: Sequence[Step]) -> str:
    """Return a path inside a document; the configuration is the one that paths are in where none is named."""
    path = json_path(tuple(steps))
    if file in CONFIG_FILES:
        return path or file
    return f"{file}: {path}" if path else file


def relative(path: Path, root: Path) -> str:
    """Return a path as people know it in the folder: `in/tables/a.csv`."""
    return path.relative_to(root).as_posix()
