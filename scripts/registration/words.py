"""What the forms call the fields, how they are shown, and which fields are only for configurations written as JSON.

What a field means is said once, below the field of its model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scripts.registration.model_form import Button, Field, Shown


def chosen_by(action: str, label: str) -> dict[str, Any]:
    """Return the form of a list whose words an action offers; others may be written in, since a source may be new.

    It is not loaded by itself: before the first run there is nothing to load, which would show as an error.
    """
    asynchronous = {"label": label, "action": action, "cache": False}
    return {"format": "select", "options": {"async": asynchronous, "tags": True, "creatable": True}}


COLUMNS: Final = chosen_by("listColumns", "Load columns")
ONE_OBJECT: Final = {
    "options": {"disable_array_add": True, "disable_array_delete": True, "disable_array_reorder": True}
}
FROM_MANIFEST: Final = "As in the manifest"

UNSUPPORTED: Final = "For stores in a bucket, which are not supported yet. Leave it blank."

STORE: Final[Shown] = {
    "url": Field(
        "Store URL",
    ),
    "#access_key_id": Field(
        "Access key id",
        {"type": "string", "format": "password", "default": "", "description": UNSUPPORTED},
    ),
    "#secret_access_key": Field(
        "Secret access key",
        {"type": "string", "format": "password", "default": "", "description": UNSUPPORTED},
    ),
}
CREDENTIALS: Final = ("#access_key_id", "#secret_access_key")

ROOT: Final[Shown] = {
    "store": Field("Store"),
    "on_same_name": Field(
        "Files of one name",
        titles={"refuse": "Stop the job", "newest": "Read the newest", "all": "Read all of them as one"},
    ),
    "on_missing_dataset": Field(
        "Missing dataset",
        titles={"fail": "Stop the job", "create": "Begin it anew, without its earlier rows"},
    ),
    "on_stale_dataset": Field(
        "Stale dataset",
        titles={"fail": "Stop the job", "use": "Go on without the rows of that commit"},
    ),
    "test_connection": Button(
        "Test connection", "testConnection", "Writes a small object to the store and deletes it."
    ),
}

COLUMN: Final[Shown] = {
    "name": Field("Column"),
    "type": Field("Type", titles={"": FROM_MANIFEST}),
    "length": Field("Length", {"type": "string"}),
    "formats": Field(
        "Date formats",
        {"options": {"tags": True, "creatable": True}},
    ),
    "nulls": Field(
        "Nulls",
        titles={
            "": "By the type",
            "always": "Every empty cell is null",
            "unquoted": "Only one without quotes is null",
            "never": "No cell is null",
        },
    ),
}

TABLE: Final[Shown] = {
    "source": Field(
        "Source",
    ),
    "format": Field("Format", titles={"auto": "By its content", "csv": "CSV", "parquet": "Parquet"}),
    "columns": Field("Columns"),
    "infer_types": Field(
        "Infer types",
        {"format": "checkbox", "default": False},
    ),
    "delimiter": Field("Delimiter"),
    "enclosure": Field("Enclosure"),
}

DATASET: Final[Shown] = {
    "uuid": Field("Dataset"),
    "tables": Field("Table", ONE_OBJECT),
    "partition_on": Field("Partition on", COLUMNS),
    "secondary_indices": Field("Indices", COLUMNS),
    "sort_partitions_by": Field("Sort by", COLUMNS),
    "mode": Field(
        "Mode",
        titles={
            "overwrite": "Overwrite it",
            "append": "Append to it",
            "replace_partitions": "Replace the partitions of the new rows",
            "upsert": "Replace rows of the same key and add the others",
            "delete": "Delete the rows that have a key of the source",
        },
    ),
    "key": Field(
        "Key",
        COLUMNS,
    ),
    "metadata_storage_format": Field(
        "Header format",
        titles={"json": "JSON", "msgpack.zstd": "MessagePack, compressed"},
    ),
    "on_bad_row": Field(
        "Bad rows",
        titles={"fail": "It fails the run", "reject": "It goes to a table of rejected rows"},
    ),
    "on_duplicate_key": Field(
        "Duplicate keys",
        titles={
            "warn": "A warning",
            "fail": "The run fails",
            "reject": "The first row stays, the others go to a table of rejected rows",
        },
    ),
}

TABLES_ONLY: Final = {"options": {"dependencies": {"as": "table"}}}
FILES_ONLY: Final = {"options": {"dependencies": {"as": "file"}}}

OUTPUT: Final[Shown] = {
    "dataset": Field(
        "Dataset",
        {
            "format": "select",
            "enum": [],
            "options": {
                "async": {"label": "Load datasets", "action": "listDatasets", "autoload": [], "cache": False},
                "tags": True,
                "creatable": True,
            },
        },
    ),
    "as": Field("Kind", titles={"table": "Table", "file": "File"}),
    "name": Field("Name"),
    "columns": Field("Columns", COLUMNS),
    "destination": Field(
        "Destination table",
        TABLES_ONLY,
    ),
    "incremental": Field("Incremental", {"format": "checkbox", **TABLES_ONLY}),
    "primary_key": Field(
        "Primary key",
        {**COLUMNS, "options": {**COLUMNS["options"], "dependencies": {"incremental": True}}},
    ),
    "slices": Field("Slices", {"format": "checkbox", **TABLES_ONLY}),
    "compression": Field("Compression", TABLES_ONLY, titles={"gzip": "gzip", "none": "None"}),
    "format": Field("File format", FILES_ONLY, titles={"csv": "CSV", "parquet": "Parquet"}),
    "tags": Field("Tags", {"options": {"tags": True, "creatable": True, **FILES_ONLY["options"]}}),
}

ROWS: Final[Shown] = {
    "datasets": Field("Dataset", ONE_OBJECT),
    "outputs": Field("Outputs"),
    "preview_table": Button("Preview", "previewTable", "Shows the first rows of the dataset as it is in the store."),
    "suggest_partitioning": Button("Suggest partitioning", "suggestPartitioning", "Looks at the dataset in the store."),
    "resolve_destinations": Button(
        "Show destinations", "resolveDestinations", "Shows where each output will land, and which rule decides it."
    ),
}

EXPERT: Final[Mapping[str, str]] = {
    "Parameters.spark": "the platform gives one machine, and the defaults use all of it",
    "Parameters.limits": "the defaults follow from measurements; a form would freeze them in every configuration",
    "Parameters.manifest_family": "the project says which family it takes",
    "Parameters.usage_metrics": "the platform may bill by it, so it is registered and not chosen",
    "Parameters.result_variables": "a switch for those who run jobs from programs",
    "Parameters.archives": "without permanent archives a configuration that pauses for 15 days loses its datasets",
    "Parameters.tables": "tables as text are for people who paste them, and the form has no place for a text of lines",
    "Parameters.cache": "a folder that lasts between runs is there outside of the platform only",
    "TableConfig.file": "options of files that are no tables, of which the platform's inputs have none",
    "TableConfig.quotes": "lenient quotes are for files of other origins; the platform writes sound ones",
    "TableConfig.header": "headers of the platform agree with its manifests",
    "TableConfig.records": "options of records directories",
    "TableConfig.decimal": "of files from elsewhere; the platform's tables need none of it",
    "TableConfig.thousands": "of files from elsewhere; the platform's tables need none of it",
    "TableConfig.escape": "of files from elsewhere; the platform's tables need none of it",
    "TableConfig.encoding": "of files from elsewhere; the platform's tables need none of it",
    "TableConfig.skip_rows": "of files from elsewhere; the platform's tables need none of it",
    "TableConfig.comment": "of files from elsewhere; the platform's tables need none of it",
    "TableConfig.header_rows": "of files from elsewhere; the platform's tables need none of it",
    "TableConfig.names": "of files from elsewhere; the platform's tables need none of it",
    "TableConfig.null_values": "of files from elsewhere; the platform's tables need none of it",
    "DatasetConfig.compatibility": "only for clients that read several tables of one dataset",
    "OutputConfig.records": "options of records directories",
    "OutputConfig.httpfile": "options of httpfiles",
    "OutputConfig.workbench": "options of Arrow files of Workbench",
    "TableConfig.name": "other implementations read one table, called table",
    "TableConfig.primary_key": "a form cannot tell no key from the manifest's key",
    "ColumnConfig.nullable": "a form cannot tell no from what the manifest says",
    "DatasetConfig.metadata": "free JSON",
    "DatasetConfig.bucket_by": "for who reads by a key that has no index; needs num_buckets beside it",
    "DatasetConfig.num_buckets": "as bucket_by",
    "DatasetConfig.delete_scope": "conditions on columns of any name; without it the new rows say which partitions go",
    "DatasetConfig.keep": "a form cannot tell nothing from the defaults, and nothing means that no history is deleted",
    "OutputConfig.table": "other implementations read one table, called table",
    "OutputConfig.predicates": "lists of conditions whose values have any type",
    "OutputConfig.is_public": "an option of the platform, for files",
    "OutputConfig.is_permanent": "an option of the platform, for files",
    "OutputConfig.is_encrypted": "an option of the platform, for files",
    "OutputConfig.notify": "an option of the platform, for files",
    "OutputConfig.has_header": "follows from slices",
    "OutputConfig.delimiter": "the platform reads what Tablemill writes",
    "OutputConfig.enclosure": "the platform reads what Tablemill writes",
    "OutputConfig.write_always": "Tablemill leaves no tables behind when a run fails",
    "OutputConfig.distribution_key": "an option of the platform, for some backends",
    "OutputConfig.deduplication_strategy": "an option of the platform, for some backends",
    "OutputConfig.delete_where": "nested conditions that the form cannot show",
    "OutputConfig.delete_where_column": "the older form of delete_where",
    "OutputConfig.delete_where_operator": "the older form of delete_where",
    "OutputConfig.delete_where_values": "the older form of delete_where",
    "OutputConfig.description": "free text for Storage",
    "OutputConfig.metadata": "free JSON",
    "OutputConfig.column_metadata": "free JSON",
    "OutputConfig.data_types": "follow from the types of the dataset",
    "OutputConfig.manifest_type": "ignored by the platform",
    "OutputConfig.manifest_family": "the project says which family it takes",
}
"""Fields that are in no form, and why; a configuration written as JSON may have them all."""
