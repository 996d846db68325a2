"""Every text of our findings, by its stable code: what would happen, and after it what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from component.findings import Finding, Level

FINDINGS: Final[Mapping[str, tuple[Level, str, str]]] = {
    # destinations
    "finding.shared_destination": (
        Level.WARNING,
        'Sources {names} land in one table, "{destination}"; their loads run in parallel, in any order.',
        "Give each its own destination.",
    ),
    "finding.own_input": (
        Level.WARNING,
        'Source "{source}" lands in "{destination}", a table that the job reads.',
        "Choose another destination.",
    ),
    "finding.id_stage": (
        Level.ERROR,
        'Storage will refuse "{destination}": "{stage}" is no stage to write to.',
        'Use "in" or "out".',
    ),
    "finding.id_empty": (
        Level.ERROR,
        'Storage will refuse "{destination}": a part of the id is empty.',
        "Write stage.bucket.table.",
    ),
    "finding.id_characters": (
        Level.ERROR,
        'Storage will refuse "{destination}": "{part}" contains not allowed characters.',
        "Use letters, digits, dashes and underscores only.",
    ),
    "finding.id_length": (
        Level.ERROR,
        'Storage will refuse "{destination}": "{part}" is more than {limit} characters long.',
        "Choose a shorter name.",
    ),
    "finding.id_bucket": (
        Level.WARNING,
        'The bucket of "{destination}" does not begin with "c-", as those that a job creates do.',
        'Write "{stage}.c-{bucket}" unless it exists.',
    ),
    "finding.gz_name": (
        Level.ERROR,
        'Only ".csv" is cut from a name, so "{source}" is taken for the table id "{name}".',
        "Give it a destination in a mapping or a manifest.",
    ),
    # columns
    "finding.column_length": (
        Level.ERROR,
        'Storage will refuse the column "{column}" of "{source}": it is more than {limit} characters long.',
        "Choose a shorter name.",
    ),
    "finding.column_empty": (
        Level.ERROR,
        'A column of "{source}" has no name once the characters that Storage does not take are gone.',
        "Name it.",
    ),
    "finding.column_repeated": (
        Level.ERROR,
        'The column "{column}" is there twice in "{source}", after names are brought into the form of Storage.',
        "Rename one.",
    ),
    "finding.key_unknown": (
        Level.ERROR,
        'The primary key of "{source}" has "{column}", which is none of its columns.',
        "Correct the key or the columns.",
    ),
    # options
    "finding.key_cleared": (
        Level.WARNING,
        'The mapping of "{source}" clears the primary key of its manifest, since a job gives each mapping a key.',
        "Name the key in the mapping.",
    ),
    "finding.null_boolean": (
        Level.WARNING,
        'The {where} of "{source}" has null for {names}, which the platform reads as true.',
        "Write true or false, or leave it out.",
    ),
    "finding.default_ignored": (
        Level.WARNING,
        'The mapping of "{source}" sets {names} to the default, which does not override its manifest.',
        "Change the manifest.",
    ),
    "finding.manifest_ignored": (
        Level.WARNING,
        'By these rules the mapping of "{source}" replaces its manifest, so {names} of the manifest count for nothing.',
        "Move them to the mapping.",
    ),
    "finding.types_without_feature": (
        Level.WARNING,
        'A job runs without the data types "{data_types}": its project lacks the feature "{feature}".',
        "Name the feature too, or leave the types out.",
    ),
    "finding.schema_unread": (
        Level.WARNING,
        'The manifest of "{source}" has a schema, which a project without native types does not read: {effect}.',
        "Leave manifest_family out, or list the columns under columns.",
    ),
    "finding.option_ignored": (
        Level.WARNING,
        '"{source}" sets {names}, which is accepted and then ignored: the file is read without an escape character.',
        "Leave it out, and double enclosures within cells.",
    ),
    "finding.several_mappings": (
        Level.WARNING,
        'Of the {count} mappings of "{source}" only the last one counts.',
        "Remove the others.",
    ),
    # names
    "finding.near_miss": (
        Level.WARNING,
        'A mapping names "{source}", which is not there, but "{near}" is: they differ in {difference}.',
        "Make them equal.",
    ),
    "finding.invisible_source": (
        Level.WARNING,
        'A mapping names "{source}", which is there, but the platform does not see it.',
        "Rename it.",
    ),
    "finding.manifest_near_miss": (
        Level.WARNING,
        'The manifest "{manifest}" belongs to nothing, but "{near}" is there: they differ in {difference}.',
        "Name it as its file, with .manifest after it.",
    ),
    "finding.manifest_case": (
        Level.WARNING,
        '"{source}" is taken for a table, since only ".manifest" in lower case makes a manifest.',
        "Rename it.",
    ),
    "finding.unmapped": (
        Level.NOTE,
        '"{source}" is in no mapping and is uploaded all the same.',
        "Map it, or keep it out of the folder.",
    ),
    # stray entries
    "finding.dot_file": (Level.NOTE, 'The platform does not see "{source}": its name begins with a dot.', "Remove it."),
    "finding.version_control": (
        Level.WARNING,
        'The platform does not see the directory "{source}": it has the name of a version control folder.',
        "Rename it.",
    ),
    "finding.manifest_folder": (
        Level.WARNING,
        '"{source}" is a directory, so it is neither a manifest nor a table, and nothing of it is uploaded.',
        "Rename it.",
    ),
    "finding.nested_folder": (
        Level.WARNING,
        '"{source}" is a directory among slices, and nothing of it is uploaded.',
        "Put its files beside the slices.",
    ),
    "finding.folder_dropped": (
        Level.WARNING,
        '"{source}" is no regular file, and nothing of it is uploaded.',
        "Put its files directly into the folder.",
    ),
    "finding.folder_manifest": (
        Level.WARNING,
        'The manifest "{manifest}" belongs to a directory, which is not uploaded as a file.',
        "Remove it.",
    ),
    "finding.slice_manifest": (
        Level.WARNING,
        'The manifest "{name}" inside "{source}" is uploaded as a slice.',
        "Put it beside the directory.",
    ),
    # sizes
    "finding.empty_file": (
        Level.ERROR,
        'Storage will refuse "{source}": the file is empty, without even a header.',
        "Write a header, or give columns in the manifest.",
    ),
    "finding.no_slices": (
        Level.WARNING,
        'The directory "{source}" has no slices, so the table is made empty.',
        "Remove it if that is wrong.",
    ),
    "finding.slice_size": (
        Level.WARNING,
        '"{source}" has {count} slices over {limit} MB, the largest "{name}".',
        "Cut them smaller.",
    ),
    "finding.slice_count": (
        Level.WARNING,
        '"{source}" has {count} slices; more than {limit} are too many.',
        "Make fewer.",
    ),
    "finding.slices_total": (
        Level.WARNING,
        'The slices of "{source}" have {size} GB; more than {limit} are too much.',
        "Split the table.",
    ),
    "finding.file_size": (
        Level.WARNING,
        '"{source}" has {size} GB; over {limit} GB are too much for one file.',
        "Write the table in slices.",
    ),
    # first lines
    "finding.bom": (
        Level.WARNING,
        '"{source}" begins with a byte order mark, which becomes part of its first cell.',
        "Write UTF-8 without it.",
    ),
    "finding.header_as_row": (
        Level.WARNING,
        'The first line of "{source}" repeats its columns and would be loaded as a row.',
        "Remove the line, or set has_header.",
    ),
    "finding.row_as_header": (
        Level.WARNING,
        'The first line of "{source}" is skipped as its header, but does not repeat its columns.',
        "Unset has_header.",
    ),
    "finding.column_count": (
        Level.WARNING,
        'The first line of "{source}" has {cells} cells for {columns} columns.',
        "Correct the columns or the delimiter.",
    ),
    "finding.delimiter": (
        Level.WARNING,
        'The header of "{source}" is one column by the delimiter {delimiter}, but {other} would part it.',
        "Set the delimiter.",
    ),
    "finding.header_repeated": (
        Level.WARNING,
        'The header of "{source}" has the column "{column}" twice.',
        "Rename one.",
    ),
    # files
    "finding.file_manifest_replaced": (
        Level.WARNING,
        'The mapping of the file "{source}" replaces its manifest whole, tags included.',
        "Say it all in one of them.",
    ),
}
"""Code -> how much it matters, what happens, and what to do about it."""


def finding(code: str, source: str | None = None, **fields: Any) -> Finding:
    """Return a finding."""
    level, text, remedy = FINDINGS[code]
    return Finding(level, code, source or "", text.format(source=source, **fields), remedy.format(**fields))
