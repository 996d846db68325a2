"""The manifests of outputs as models: what we write is made of them, and `schemas/` is exported from them.

Reference keboola 4.1, 4.2 and 5. They hold what the platform accepts, but for nulls, which it reads wrong, and for
keys that do nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, StrictBool, StrictStr

from component.config.exact import Exact, Scalar
from component.config.fields import ByName, Name
from component.config.output_options import DESCRIPTION_KEY, DataTypes, DeleteWhere, NativeType, Operator

Character = Annotated[str, Field(min_length=1, max_length=1)]
Columns = tuple[Name, ...]
_NOT_EMPTY: Final[dict[str, Any]] = {"minItems": 1}
_RULES: Final[dict[str, Any]] = {
    "if": {"required": ["delete_where_column"]},
    "then": {
        "required": ["delete_where_values"],
        "properties": {"delete_where_values": _NOT_EMPTY, "delete_where": {"maxItems": 0}},
    },
}


def _described_once(key: str) -> dict[str, Any]:
    """Return the rule that a description is given by its own key or as metadata, not both."""
    twice = {"required": ["description", key], "properties": {key: {"required": [DESCRIPTION_KEY], "type": "object"}}}
    return {"not": twice}


class MetadataItem(Exact):
    """One entry of metadata; its provider is the component."""

    key: Name
    """Name of the entry, for example KBC.description."""
    value: Scalar
    """Its value."""


class TableManifest(Exact):
    """What the manifests of output tables have in common."""

    destination: StrictStr | None = None
    """Id of the table in Storage (`out.c-bucket.table`), or its bare name where a default bucket applies."""
    incremental: StrictBool = False
    """True adds to the rows of the table, false replaces them."""
    has_header: StrictBool | None = None
    """True: the first line is skipped although columns are given."""
    delimiter: Character | None = None
    """Character between cells; a comma without it."""
    enclosure: Character | None = None
    """Character around cells, doubled inside of them; a quotation mark without it."""
    write_always: StrictBool = False
    """Load the table even if the job fails."""
    deduplication_strategy: Literal["insert", "upsert"] | None = None
    """What happens to rows whose primary key is there already."""
    delete_where_column: StrictStr | None = None
    """Older form of delete_where: column whose values decide."""
    delete_where_operator: Operator | None = None
    """Older form of delete_where: whether the value must be (eq) or must not be (ne) one of the values."""
    delete_where_values: tuple[Scalar, ...] = ()
    """Older form of delete_where: the values."""
    delete_where: tuple[DeleteWhere, ...] = ()
    """Rows to delete before the load."""
    tags: Columns = ()
    """Tags of the file that the table is loaded from."""
    description: StrictStr | None = None
    """Description of the table."""
    table_metadata: ByName[Scalar] = Field(default_factory=dict)
    """Metadata of the table, key to value."""
    manifest_type: StrictStr | None = None
    """A mark for processors, for example `out`; the platform itself does not look at it."""
    unload_strategy: StrictStr | None = None
    """`direct-grant` for tables of a workspace that are not uploaded."""


class LegacyTableManifest(TableManifest):
    """Manifest of an output table, legacy family: types, if any, are metadata of the columns.

    For projects without native types (KBC_DATA_TYPE_SUPPORT is not set, or `none`). `columns` make a file headless
    unless has_header is true; slices need them.
    """

    model_config = ConfigDict(
        title="Output table manifest, legacy", json_schema_extra=_RULES | _described_once("table_metadata")
    )

    primary_key: tuple[StrictStr, ...] = ()
    """Columns of the primary key."""
    columns: Columns = ()
    """Columns in the order of the cells."""
    distribution_key: Columns = ()
    """Columns of the distribution key of a new table."""
    metadata: tuple[MetadataItem, ...] = ()
    """Metadata of the table."""
    column_metadata: ByName[tuple[MetadataItem, ...]] = Field(default_factory=dict)
    """Metadata of columns, by column; KBC.datatype.* are their types."""


class ColumnTypes(DataTypes):
    """The types of one column: `base` for every backend, and what one backend shall take instead."""

    base: NativeType
    """STRING, INTEGER, NUMERIC, FLOAT, BOOLEAN, DATE or TIMESTAMP, with length and default."""


class SchemaColumn(Exact):
    """One column of a schema."""

    model_config = ConfigDict(json_schema_extra=_described_once("metadata"))

    name: Name
    """Name of the column."""
    data_type: ColumnTypes | None = None
    """Its types; a must where KBC_DATA_TYPE_SUPPORT is `authoritative`."""
    nullable: StrictBool = True
    """Whether it may be null."""
    primary_key: StrictBool = False
    """Whether it is part of the primary key."""
    distribution_key: StrictBool = False
    """Whether it is part of the distribution key."""
    description: StrictStr | None = None
    """Description of the column."""
    metadata: ByName[Scalar] = Field(default_factory=dict)
    """Metadata of the column, key to value."""


class SchemaTableManifest(TableManifest):
    """Manifest of an output table, schema family: columns with native types.

    For projects with native types (KBC_DATA_TYPE_SUPPORT is `hints` or `authoritative`). Keys, metadata and columns are
    said in `schema` only: the platform refuses both families at once. The columns make a file headless unless
    has_header is true.
    """

    model_config = ConfigDict(
        title="Output table manifest, schema", json_schema_extra=_RULES | _described_once("table_metadata")
    )

    column_schemas: Annotated[tuple[SchemaColumn, ...], Field(min_length=1, alias="schema")]
    """Columns in the order of the cells."""


class FileManifest(Exact):
    """Manifest of an output file; in a mapping for the file the platform takes that instead, whole."""

    model_config = ConfigDict(title="Output file manifest")

    tags: Columns = ()
    """Tags; the platform adds its own."""
    is_public: StrictBool = False
    """Whether anybody with the address may download it."""
    is_permanent: StrictBool = False
    """False: it is deleted after 15 days."""
    is_encrypted: StrictBool = True
    """Whether it is encrypted at rest."""
    notify: StrictBool = False
    """Whether users of the project are told of it."""
