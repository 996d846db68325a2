"""The codes of what a check finds, and how a finding is made: from facts, or from an error that would end a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from component import findings
from component.config.json_text import Step, json_path
from component.errors import REMEDIES, TablemillError
from component.findings import Finding
from component.mapping.platform.model import RefusedError
from component.naming import CONFIG_FILE, CONFIG_YAML_FILE

CHECK_CODES: Final[Mapping[str, str]] = {
    "secret.encrypted": "A secret is still encrypted: only the platform can decrypt it.",
    "secret.hidden": "A value was replaced by [hidden] when the folder was made.",
    "text.trimmed": "A text was cut off when the folder was made.",
    "state.size": "The state is larger than the platform advises.",
    "manifest.missing": "An input has no manifest.",
    "manifest.orphan": "A manifest has no input beside it.",
    "manifest.unknown_key": "A manifest has keys that Tablemill does not know and leaves alone.",
    "manifest.unknown_type": "A manifest gives a column a type that is not known; it is read as a string.",
    "staging.expired": "The credentials of an input that lies in an object store have expired.",
    "staging.old": "The credentials of an input that lies in an object store may have expired.",
    "archive.warning": "Something about a dataset archive that a run would warn of.",
    "archive.older": "Archives of a dataset that a run does not use, because a newer one is there.",
    "source.warning": "Something about an input that a run would warn of.",
    "source.loss": "Reading an input changes the type of a column, or drops its zone.",
    "source.chosen": "Which of several files of one name or tag a run reads.",
    "source.none": "There is nothing to read.",
    "output.loss": "The format of an output does not have what the type of a column holds: a zone, a narrower type.",
    "output.types": "An output has configured types that its manifest cannot say.",
    "config.warning": "Something about the configuration that a run would warn of.",
    "mapping.warning": "The platform would log a warning about an output.",
    "folder.missing": "A folder that the platform always makes is not there.",
    "folder.junk": "A file or folder is where the platform has none.",
    "folder.leftover": "There is something in out/ already, which the platform would take for output of the run.",
    "space.short": "There may be too little space for what a run writes.",
    "space.none": "There is far too little space for what a run writes.",
}
"""Code -> what it means. Codes that begin with `finding.` or `mapping.` are the resolver's."""

CHECK_REMEDIES: Final[Mapping[str, str]] = {
    "secret.encrypted": "Put the plain value there.",
    "secret.hidden": "Put the value there.",
    "text.trimmed": "Put the whole text there.",
    "state.size": "Remove keys that nobody reads, or split the configuration: it names the commit of each dataset.",
    "manifest.missing": "Put a manifest beside it, or configure its types.",
    "manifest.orphan": "Put the input there, or remove the manifest.",
    "manifest.unknown_key": "Remove the key, or leave it: it does no harm.",
    "manifest.unknown_type": "Use STRING, INTEGER, NUMERIC, FLOAT, BOOLEAN, DATE or TIMESTAMP.",
    "staging.expired": "Make the folder again: the platform gives new credentials to each job.",
    "staging.old": "Make the folder again: the platform gives new credentials to each job.",
    "archive.warning": "docs/archives.md says which input mapping brings it.",
    "archive.older": "Nothing is to be done.",
    "source.warning": "Change the input or its options if this is not meant.",
    "source.loss": "Configure a type for the column in `columns`, or leave it: a run goes on.",
    "source.chosen": "Nothing is to be done; name another one if that is wrong.",
    "output.loss": "Write it as Parquet or Arrow, which keep it, or leave it: a run goes on.",
    "output.types": "Leave those types out of data_types, or use the schema family.",
    "source.none": "Map an input to the component.",
    "config.warning": "Change the configuration if this is not meant.",
    "mapping.warning": "Change the output mapping or the manifest if this is not meant.",
    "folder.missing": "Make the folder.",
    "folder.junk": "Remove it.",
    "folder.leftover": "Empty the folder before the run.",
    "space.short": "Make room, or give the run another disk.",
    "space.none": "Make room, or give the run another disk.",
}
"""Code -> what to do, where a finding says nothing more precise."""


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
