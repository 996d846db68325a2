"""The codes of what a check finds beside the errors that a run would end with (`component.errors.CODES`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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
    "source.chosen": "Which of several files of one name or tag a run reads.",
    "source.none": "There is nothing to read.",
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
