"""What to do about each refusal of the platform, whose own texts never say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from component.mapping.platform.model import MappingError
from component.mapping.platform.texts import quoted

_NO_FILE: Final = "Write a file of this name, or remove the mapping."
_ORPHAN: Final = "Write its file, or remove the manifest."
_MANIFEST: Final = "Correct the manifest."
_DESTINATION: Final = 'Give it a destination of three parts, as "out.c-bucket.table", in a mapping or a manifest.'
_COLUMNS: Final = "List its columns in the manifest or the mapping: slices have no header."
_ENTRY: Final = "Correct storage.output in the configuration."
_SLICING: Final = "Name these options in the manifest instead."

REMEDIES: Final[Mapping[str, str]] = {
    "mapping.orphaned_manifest": _ORPHAN,
    "mapping.source_missing": _NO_FILE,
    "mapping.no_destination": _DESTINATION,
    "mapping.invalid_destination": _DESTINATION,
    "mapping.branch_destination": _DESTINATION,
    "mapping.table_id": _DESTINATION,
    "mapping.manifest": _MANIFEST,
    "mapping.entry": _ENTRY,
    "mapping.merged": "Say each option in one place only, and not both by a schema and by itself.",
    "mapping.system_columns": "Rename or leave out these columns: Storage keeps their names for itself.",
    "mapping.schema_missing": (
        'The project reads schemas: set manifest_family to "schema" or "auto", or data_type_support to "none".'
    ),
    "mapping.data_types_missing": "Give each of them data_type.base.type in the schema.",
    "mapping.slices_without_columns": _COLUMNS,
    "mapping.primary_key_unknown": "Name a column of the schema in primary_key of the mapping.",
    "mapping.several_destinations": "Leave one mapping for each source: the project slices files itself.",
    "mapping.slicing_options": _SLICING,
    "mapping.file_name_dots": _DESTINATION,
    "mapping.source_missing_2017": _NO_FILE,
    "mapping.orphaned_manifest_2017": _ORPHAN,
    "mapping.manifest_2017": _MANIFEST,
    "mapping.manifest_json_2017": _MANIFEST,
    "mapping.options_2017": _MANIFEST,
    "mapping.table_name_2017": _DESTINATION,
    "mapping.slices_without_columns_2017": _COLUMNS,
    "mapping.file_missing": _NO_FILE,
    "mapping.file_orphaned_manifest": _ORPHAN,
    "mapping.file_manifest": _MANIFEST,
    "mapping.file_manifest_2017": _MANIFEST,
    "mapping.file_options": "Use only tags, is_public, is_permanent, is_encrypted and notify.",
    "mapping.file_unprocessed": "Name each file as it is called in out/files, as a text.",
    "mapping.no_configuration": "Set KBC_CONFIGID, or storage.output.default_bucket.",
    "mapping.destination_type": "Write the destination as a text.",
    "mapping.application": "Write the value in the type that the platform documents.",
}
"""Code of a refusal -> what to do."""
_MISSING: Final = frozenset({"mapping.source_missing", "mapping.source_missing_2017", "mapping.file_missing"})
_MOST_NAMES: Final = 5


def with_remedy(error: MappingError, outputs: Sequence[str]) -> MappingError:
    """Return the error with what to do; for a mapping of a file that is not there, with the names of those that are."""
    if error.code not in _MISSING or not outputs:
        return replace(error, remedy=REMEDIES[error.code])
    if len(outputs) == 1:
        return replace(error, remedy=f"The output is called {quoted(outputs)}: name it so, or remove the mapping.")
    more = len(outputs) - _MOST_NAMES
    names = quoted(outputs[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    return replace(error, remedy=f"The outputs are called {names}: name one of them, or remove the mapping.")
