"""What is configured of an output beyond its rows: the platform's own options for tables and files, in its own words.

Reference keboola 4.1 and 5: tables, and files. Left out on purpose: `columns` and `schema`, which follow from the rows,
and `unload_strategy`, which is for tables that never were files.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

from component.config.exact import Exact, Scalar
from component.config.fields import ByName, Character, Fault, Length, Name, Names, Strict, Texts, fault

ManifestFamily = Literal["legacy", "schema"]
Operator = Literal["eq", "ne"]
DESCRIPTION_KEY: Final = "KBC.description"
VALUE_SOURCES: Final = ("values_from_set", "values_from_workspace", "values_from_storage")
OF_TEXT: Final = ("delimiter", "enclosure")
"""Options of a table that a CSV file takes too."""
CONDITIONS: Final = ("changed_since", "changed_until", "where_filters")


def _filled(items: tuple[Any, ...]) -> tuple[Any, ...]:
    if items:
        return items
    raise fault("config.value", "must not be empty")


_Item = TypeVar("_Item")
Some = Annotated[tuple[_Item, ...], AfterValidator(_filled), Field(json_schema_extra={"minItems": 1})]


class NativeType(Exact):
    """A column type in the words of one backend, or of all (`base`)."""

    type: Name
    """Name of the type, for example NUMBER."""
    length: Length | None = None
    """Length as the backend writes it between parentheses: `255`, `12,2`."""
    default: StrictStr | None = None
    """Default value of the column."""


class DataTypes(Exact):
    """The types of one column: `base` for every backend, and what one backend shall take instead."""

    base: NativeType | None = None
    """STRING, INTEGER, NUMERIC, FLOAT, BOOLEAN, DATE or TIMESTAMP, with length and default."""
    snowflake: NativeType | None = None
    """What Snowflake takes instead of the base type."""
    bigquery: NativeType | None = None
    """What BigQuery takes instead of the base type."""


class WorkspaceValues(Exact):
    """Values in a column of a table in a workspace."""

    workspace_id: StrictStr | StrictInt | None = None
    """Id of the workspace; without it, that of the job."""
    table: Name
    """Name of the table there."""
    column: Name | None = None
    """Column that holds the values; without it, that of the filter."""


class StorageValues(Exact):
    """Values in a column of a table in Storage."""

    bucket_id: Name
    """Id of the bucket."""
    table: Name
    """Name of the table in the bucket."""
    column: Name | None = None
    """Column that holds the values; without it, that of the filter."""


class WhereFilter(Exact):
    """Rows by the value of one column; exactly one of the three sources of values."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [source]} for source in VALUE_SOURCES]})

    column: Name
    """Column of the table."""
    operator: Operator = "eq"
    """Whether the value must be (`eq`) or must not be (`ne`) one of the values."""
    values_from_set: Some[Scalar] | None = None
    """The values themselves."""
    values_from_workspace: WorkspaceValues | None = None
    """The values are in a workspace."""
    values_from_storage: StorageValues | None = None
    """The values are in Storage."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if sum(getattr(self, source) is not None for source in VALUE_SOURCES) != 1:
            raise fault("config.value", f"must have exactly one of {', '.join(VALUE_SOURCES)}")
        return self


class DeleteWhere(Exact):
    """Rows that are deleted before the load: all that fulfil every part; at least one part."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": [part]} for part in CONDITIONS]})

    changed_since: Name | None = None
    """Rows that changed at this time or later: ISO 8601, or relative as `-7 days`."""
    changed_until: Name | None = None
    """Rows that changed before this time."""
    where_filters: Some[WhereFilter] | None = None
    """Rows by their values."""

    @model_validator(mode="after")
    def _one_part(self) -> Self:
        if all(getattr(self, part) is None for part in CONDITIONS):
            raise fault("config.value", f"must have at least one of {', '.join(CONDITIONS)}")
        return self


class TableOptions(Strict):
    """Options of an output that is a table.

    `metadata` and `column_metadata` are objects (key to value) in either family of manifests. `data_types` overrides,
    column by column, what follows from the types of the dataset. `manifest_family` None follows `parameters`.
    """

    destination: Name | None = None
    """The id of the table in Storage, or only its name where a default bucket applies. Blank lets Tablemill choose."""
    primary_key: Names | None = None
    """The primary key of the destination. Without it, and without incremental loads, that of the dataset."""
    incremental: StrictBool = False
    """Whether to add to the destination instead of replacing it."""
    has_header: StrictBool | None = None
    """Whether the first line holds the names of the columns; slices never have such a line."""
    delimiter: Character | None = None
    """The character between two cells. Without it, a comma."""
    enclosure: Character | None = None
    """The character around a cell. Without it, a double quote."""
    write_always: StrictBool = False
    """Whether the platform loads the table even if the job fails."""
    distribution_key: Names = ()
    """The distribution key of the destination, for backends that have one."""
    deduplication_strategy: Literal["insert", "upsert"] | None = None
    """How the platform treats rows that repeat: `insert` or `upsert`."""
    delete_where_column: Name | None = None
    """The column by whose values the platform deletes rows before it loads; the older form of `delete_where`."""
    delete_where_operator: Operator | None = None
    """Whether rows with (`eq`) or without (`ne`) one of the values are deleted."""
    delete_where_values: tuple[Scalar, ...] = ()
    """The values of `delete_where_column`."""
    delete_where: tuple[DeleteWhere, ...] = ()
    """Rows that the platform deletes before it loads."""
    description: Name | None = None
    """The description of the table in Storage."""
    metadata: Texts = Field(default_factory=dict)
    """Metadata of the table in Storage, by key."""
    column_metadata: ByName[Texts] = Field(default_factory=dict)
    """Metadata of columns in Storage, by column and key."""
    data_types: ByName[DataTypes] = Field(default_factory=dict)
    """Column types in the words of a backend, by column, over those that follow from the dataset."""
    manifest_type: Name | None = None
    """The manifest's `manifest_type`, which the platform ignores."""
    manifest_family: ManifestFamily | None = None
    """The family of this table's manifest. Without it, that of `parameters`."""


class FileOptions(Strict):
    """Options of an output that is a file; the platform deletes a file that is not permanent after 15 days."""

    is_public: StrictBool = False
    """Whether anyone who knows its URL may read the file."""
    is_permanent: StrictBool = False
    """Whether Storage keeps the file until somebody deletes it, or for 15 days."""
    is_encrypted: StrictBool = True
    """Whether Storage encrypts the file."""
    notify: StrictBool = False
    """Whether Storage notifies the project of the file."""


class OutputOptions(TableOptions, FileOptions):
    """Options of any output; which of them it may have depends on what it is."""


def option_faults(
    options: OutputOptions, configured: Container[str], *, is_table: bool, sliced: bool, is_csv: bool = True
) -> Iterator[Fault]:
    """Yield options that belong to another kind of output, and options that contradict each other."""
    foreign, what = (FileOptions, "file") if is_table else (TableOptions, "table")
    own = "table" if is_table else "file"
    for name in foreign.model_fields:
        if name in configured and (is_table or name not in OF_TEXT):
            yield (name,), fault("config.value", f"belongs to a {what}, but this output is a {own}", "Leave it out.")
    if is_csv:
        yield from _dialect_faults(options)
    else:
        for name in OF_TEXT:
            if name in configured:
                yield (
                    (name,),
                    fault("config.value", "belongs to CSV, but this output has another format", "Leave it out."),
                )
    if is_table:
        yield from _header_faults(options, sliced=sliced)
        yield from _delete_faults(options)
        if options.description and DESCRIPTION_KEY in options.metadata:
            text = f"is there, and metadata has {DESCRIPTION_KEY!r} too"
            yield ("description",), fault("config.value", text, "Leave one of them out.")


def _header_faults(options: OutputOptions, *, sliced: bool) -> Iterator[Fault]:
    if options.has_header and sliced:
        text = "is true, but slices never have a header"
        yield ("has_header",), fault("config.value", text, "Set slices to false, or leave it out.")


def _dialect_faults(options: OutputOptions) -> Iterator[Fault]:
    if options.delimiter == (options.enclosure or '"') or (options.delimiter or ",") == options.enclosure:
        key = "delimiter" if options.delimiter else "enclosure"
        yield (key,), fault("config.value", "makes delimiter and enclosure the same character")


def _delete_faults(options: OutputOptions) -> Iterator[Fault]:
    """Yield what the platform refuses of delete_where_column and delete_where (reference keboola 4.2)."""
    if options.delete_where_column and options.delete_where:
        text = "is there, and delete_where too"
        yield ("delete_where_column",), fault("config.value", text, "Say everything with delete_where.")
    if options.delete_where_column and not options.delete_where_values:
        yield ("delete_where_column",), fault("config.value", "is there without delete_where_values")
    if not options.delete_where_column and (options.delete_where_values or options.delete_where_operator):
        key = "delete_where_values" if options.delete_where_values else "delete_where_operator"
        yield (key,), fault("config.value", "is there without delete_where_column")
