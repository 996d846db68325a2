"""What the forms say to people, field by field, and which fields are only for configurations written as JSON."""

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

STORE: Final[Shown] = {
    "url": Field(
        "Store URL",
        "The directory where datasets live, as file:///path. Leave it blank to let them travel as archives through"
        " file storage, tagged tablemill-dataset; then map the files of that tag to the input.",
    ),
    "#access_key_id": Field(
        "Access key id",
        "For stores in a bucket, which are not supported yet. Leave it blank.",
        {"type": "string", "format": "password", "default": ""},
    ),
    "#secret_access_key": Field(
        "Secret access key",
        "For stores in a bucket, which are not supported yet. Leave it blank.",
        {"type": "string", "format": "password", "default": ""},
    ),
}
CREDENTIALS: Final = ("#access_key_id", "#secret_access_key")

ROOT: Final[Shown] = {
    "store": Field("Store", "All rows of the configuration share it."),
    "on_missing_dataset": Field(
        "Missing dataset",
        "What happens when a dataset of an earlier run does not come back, and rows are to be added to it.",
        titles={"fail": "Stop the job", "create": "Begin it anew, without its earlier rows"},
    ),
    "on_stale_dataset": Field(
        "Stale dataset",
        "What happens when the archive of a dataset lacks the last commit.",
        titles={"fail": "Stop the job", "use": "Go on without the rows of that commit"},
    ),
    "test_connection": Button(
        "Test connection", "testConnection", "Writes a small object to the store and deletes it."
    ),
}

COLUMN: Final[Shown] = {
    "name": Field("Column", "Its name in the source."),
    "type": Field("Type", "What its cells must fit.", titles={"": FROM_MANIFEST}),
    "length": Field("Length", "For numeric columns the precision and the scale, such as 12,2.", {"type": "string"}),
    "formats": Field(
        "Date formats",
        "How dates and times are written, such as %d.%m.%Y, tried in order. Empty means ISO 8601.",
        {"options": {"tags": True, "creatable": True}},
    ),
    "nulls": Field(
        "Nulls",
        "What an empty cell means.",
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
        "The input table or file, by its name in the input mapping. Blank means the one with the dataset's name.",
    ),
    "format": Field(
        "Format", "What the source is.", titles={"auto": "By its content", "csv": "CSV", "parquet": "Parquet"}
    ),
    "columns": Field("Columns", "Facts about single columns that the manifest does not say, or says wrong."),
    "infer_types": Field(
        "Infer types",
        "Find the types of columns that neither manifest nor configuration types, by reading every row first.",
        {"format": "checkbox", "default": False},
    ),
    "delimiter": Field("Delimiter", "One character. Blank means the manifest's, else a comma."),
    "enclosure": Field("Enclosure", "One character. Blank means the manifest's, else a double quote."),
}

DATASET: Final[Shown] = {
    "uuid": Field("Dataset", "Its name in the store: letters, digits, plus, minus and underscore."),
    "tables": Field("Table", "What the dataset is made of.", ONE_OBJECT),
    "partition_on": Field(
        "Partition on", "A folder for each value, in this order. Columns with few values and no nulls.", COLUMNS
    ),
    "secondary_indices": Field("Indices", "Columns that are looked up by value and are no partition columns.", COLUMNS),
    "sort_partitions_by": Field("Sort by", "The order of the rows in each file.", COLUMNS),
    "mode": Field(
        "Mode",
        "What a run does to a dataset that is there already.",
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
        "Columns that name a row, for the two modes that go by a key. Empty means the primary key.",
        COLUMNS,
    ),
    "metadata_storage_format": Field(
        "Header format",
        "How the header is stored.",
        titles={"json": "JSON", "msgpack.zstd": "MessagePack, compressed"},
    ),
    "on_bad_row": Field(
        "Bad rows",
        "What a row that does not fit does.",
        titles={"fail": "It fails the run", "reject": "It goes to a table of rejected rows"},
    ),
}

TABLES_ONLY: Final = {"options": {"dependencies": {"as": "table"}}}
FILES_ONLY: Final = {"options": {"dependencies": {"as": "file"}}}

OUTPUT: Final[Shown] = {
    "dataset": Field(
        "Dataset",
        "The dataset whose rows are written: that of this row, or one in the store.",
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
    "as": Field("Kind", "Where it is written to.", titles={"table": "Table", "file": "File"}),
    "name": Field("Name", "Blank means the name of the dataset."),
    "columns": Field("Columns", "Empty means all columns.", COLUMNS),
    "destination": Field(
        "Destination table",
        "Its id in Storage, or only its name where a default bucket applies. Blank lets Tablemill choose.",
        TABLES_ONLY,
    ),
    "incremental": Field(
        "Incremental", "Add to the destination instead of replacing it.", {"format": "checkbox", **TABLES_ONLY}
    ),
    "primary_key": Field(
        "Primary key",
        "Of the destination. Without incremental loads it is the dataset's own.",
        {**COLUMNS, "options": {**COLUMNS["options"], "dependencies": {"incremental": True}}},
    ),
    "slices": Field("Slices", "Write several files that are loaded at once.", {"format": "checkbox", **TABLES_ONLY}),
    "compression": Field("Compression", "Of the slices.", TABLES_ONLY, titles={"gzip": "gzip", "none": "None"}),
    "format": Field("File format", "What the file is.", FILES_ONLY, titles={"csv": "CSV", "parquet": "Parquet"}),
    "tags": Field("Tags", "Tags of the file.", {"options": {"tags": True, "creatable": True, **FILES_ONLY["options"]}}),
}

ROWS: Final[Shown] = {
    "datasets": Field("Dataset", "What this row makes.", ONE_OBJECT),
    "outputs": Field("Outputs", "What this row writes to Storage."),
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
    "TableConfig.records": "options of records directories",
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
