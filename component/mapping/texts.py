"""Every text of the platform that the resolver may give, by our stable code, and every text of our findings.

The wording is the platform's, with its faults ("are not longer", the missing space after "destination."). Texts under
`mapping.node.` are those of its configuration library; across its versions they differ in the end of the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from component.mapping.model import Finding, MappingError, RefusedError

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
    "mapping.no_configuration": "Configuration ID not set, but is required for default_bucket option.",
    "mapping.destination_type": (
        "Keboola\\OutputMapping\\Writer\\Table\\TableConfigurationResolver::ensureConfigurationDestination(): "
        "Argument #{number} (${argument}) must be of type ?string, {type} given, "
        "called in TableConfigurationResolver.php"
    ),
    "mapping.application": "The platform stops with an application error: {where} must be of type {expected}, "
    "{type} given",
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
    "mapping.node.choice": 'The value {value} is not allowed for path "{path}". Permissible values: {choices}',
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

FINDINGS: Final[Mapping[str, str]] = {
    "finding.shared_destination": 'Sources {names} land in one table, "{destination}"; their loads run in parallel.',
    "finding.own_input": 'Source "{source}" lands in "{destination}", a table that the job reads.',
}
"""Code -> text of a finding that the platform lacks."""


def refusal(code: str, source: str | None = None, reason: tuple[str, str] | None = None, **fields: Any) -> RefusedError:
    """Return the exception for an error code; `reason` is the code and the text of what the error quotes."""
    inner, quoted = reason or (None, "")
    text = ERRORS[code].format(source=source, reason=quoted, **fields)
    return RefusedError(MappingError(code, text, source, inner))


def warning(code: str, **fields: Any) -> str:
    """Return the log line of a warning."""
    return f"warning: {WARNINGS[code].format(**fields)}"


def finding(code: str, source: str | None = None, **fields: Any) -> Finding:
    """Return a finding."""
    return Finding(code, FINDINGS[code].format(source=source, **fields), source)


def quoted(names: list[str]) -> str:
    """Names as the platform lists them: each in double quotes, joined by comma and blank."""
    return ", ".join(f'"{name}"' for name in names)
