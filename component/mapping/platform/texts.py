"""Every text of the platform that the resolver may give, by our stable code.

The wording is the platform's, with its faults ("are not longer", the missing space after "destination."). Texts under
`mapping.node.` are those of its configuration library; across its versions they differ in the end of the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from component.mapping.platform.model import MappingError, RefusedError

ERRORS: Final[Mapping[str, str]] = {
    "mapping.orphaned_manifest": "Found orphaned table manifest: {names}",
    "mapping.source_missing": "Table sources not found: {names}",
    "mapping.no_destination": 'Failed to resolve destination for output table "{source}".',
    "mapping.invalid_destination": 'Failed to resolve valid destination. "{destination}" is not a valid table ID.',
    "mapping.branch_destination": 'Invalid destination: "{destination}"',
    "mapping.table_id": "Value is not a valid table ID",
    "mapping.manifest": 'Failed to parse manifest file "{path}" as "json": {reason}',
    "mapping.entry": "{reason}",
    "mapping.merged": "Failed to prepare mapping configuration for table {source}: {reason}",
    "mapping.system_columns": "Failed to process mapping for table {source}: {reason}",
    "mapping.schema_missing": "Configuration schema is missing.",
    "mapping.data_types_missing": "Missing data type for columns: {names}",
    "mapping.slices_without_columns": 'Sliced file "{source}" columns specification missing.',
    "mapping.primary_key_unknown": 'Primary key column "{column}" not found in manifest file.',
    "mapping.several_destinations": 'Source "{source}" has multiple destinations set.',
    "mapping.slicing_options": (
        'Params "delimiter", "enclosure" or "columns" specified in mapping are not longer supported.'
        ' Skipping file "{source}".'
    ),
    "mapping.file_name_dots": (
        'Failed to resolve destination for output table "{source}". Without a default bucket, a mapping or a manifest '
        'the name "{name}" must be a table id, with exactly two dots, but it has {dots}.'
    ),
    "mapping.source_missing_2017": "Table source '{name}' not found.",
    "mapping.orphaned_manifest_2017": "Found orphaned table manifest: '{name}'",
    "mapping.manifest_2017": "Failed to read table manifest from file {name} {reason}",
    "mapping.manifest_json_2017": "{reason}",
    "mapping.options_2017": "Failed to write manifest for table {source}.",
    "mapping.table_name_2017": (
        "CSV file '{destination}' file name is not a valid table identifier, either set output mapping for '{source}' "
        "or make sure that the file name is a valid Storage table identifier."
    ),
    "mapping.slices_without_columns_2017": "Sliced file '{source}': columns specification missing.",
    "mapping.file_missing": "File '{name}' not found.",
    "mapping.file_orphaned_manifest": "Found orphaned file manifest: '{name}'",
    "mapping.file_manifest": 'Failed to parse manifest file "{path}" as "json": {reason}',
    "mapping.file_manifest_2017": "Failed to parse manifest file {path} as json {reason}",
    "mapping.file_options": "Failed to write manifest for table {path}.",
    "mapping.file_unprocessed": "Couldn't process output mapping for file(s) {names}.",
    "mapping.no_configuration": "Configuration ID not set, but is required for default_bucket option.",
    "mapping.destination_type": (
        "Keboola\\OutputMapping\\Writer\\Table\\TableConfigurationResolver::ensureConfigurationDestination(): "
        "Argument #{number} (${argument}) must be of type ?string, {type} given, "
        "called in TableConfigurationResolver.php"
    ),
    "mapping.application": "{text}",
}
"""Code -> text of an error that stops the job. The last two are faults of the platform's own code (exit 2 there)."""

WARNINGS: Final[Mapping[str, str]] = {
    "mapping.file_name_used": (
        'Source table "{source}" has neither manifest file nor mapping set, '
        "falling back to the source name as a destination."
        "This behaviour was DEPRECATED and will be removed in the future."
    ),
    "mapping.column_renamed": 'Column name "{column}" was webalized to "{renamed}"',
    "mapping.empty_key_column": "Found empty column name in key array.",
    "mapping.empty_key_2017": "Empty primary key found",
    "mapping.source_in_manifest": (
        'The manifest of "{source}" has the key "source". The documented example has it too, but it means nothing, and '
        "the platform's code refuses it: leave it out."
    ),
    "mapping.slices_not_sliced": 'Sliced files without manifest are not supported. Skipping file "{source}"',
    "mapping.empty_not_sliced": 'Empty files cannot be sliced. Skipping file "{source}".',
}
"""Code -> text of a warning in the log."""

REASONS: Final[Mapping[str, str]] = {
    "mapping.json": "{detail}",
    "mapping.node.type": 'Invalid type for path "{path}". Expected "{expected}", but got "{type}"{end}',
    "mapping.node.unknown": 'Unrecognized option{plural} "{names}" under "{path}"{hint}',
    "mapping.node.required": 'The child config "{name}" under "{path}" must be configured.',
    "mapping.node.empty": 'The path "{path}" cannot contain an empty value, but got {value}.',
    "mapping.node.choice": 'The value {value} is not allowed for path "{path}". Permissible values: {choices}.',
    "mapping.node.attribute": 'The attribute "{name}" must be set for path "{path}".',
    "mapping.node.duplicate": 'Duplicate key "{name}" for path "{path}".',
    "mapping.node.offset": "Illegal offset type",
    "mapping.node.invalid": 'Invalid configuration for path "{path}": {text}',
    "mapping.node.key_and_schema": 'Only one of "{key}" or "schema[].{key}" can be defined.',
    "mapping.node.backend": 'The "{name}" data type is not supported.',
    "mapping.node.backend_type": 'The "type" is required for the "{name}" data type.',
    "mapping.columns.system": 'System columns "{names}" cannot be imported to the table.',
    "mapping.columns.system_metadata": 'Metadata for system columns "{names}" cannot be imported to the table.',
    "mapping.columns.system_schema": 'Schema for system columns "{names}" cannot be imported to the table.',
}
"""Code -> text that another text quotes as its reason."""


def refusal(code: str, source: str | None = None, reason: tuple[str, str] | None = None, **fields: Any) -> RefusedError:
    """Return the exception for an error code; `reason` is the code and the text of what the error quotes."""
    inner, quoted = reason or (None, "")
    text = ERRORS[code].format(source=source, reason=quoted, **fields)
    return RefusedError(MappingError(code, text, source, inner))


def warning(code: str, **fields: Any) -> str:
    """Return the log line of a warning."""
    return f"warning: {WARNINGS[code].format(**fields)}"


def quoted(names: Iterable[str]) -> str:
    """Names as the platform lists them: each in double quotes, joined by comma and blank."""
    return ", ".join(f'"{name}"' for name in names)
