"""The manifests of inputs as models, from which their JSON Schemas are exported; `manifest.py` is what reads them.

Reference keboola 2.2 and 3: keys of every era, in the forms in which PHP writes them. Keys that are not named here are
allowed, since the platform adds some every year.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, StrictBool, StrictInt

from component.config.fields import ByName
from component.config.platform_fields import PhpList, Platform, Text

Value = Text | StrictBool | None


class MetadataEntry(Platform):
    """One entry of metadata."""

    id: Text | None = None
    """Id of the entry in Storage."""
    key: Text
    """Name of the entry, for example KBC.description."""
    value: Value = None
    """Its value."""
    provider: Text | None = None
    """Who wrote it: `user`, `system`, or a component."""
    timestamp: Text | None = None
    """When it was written."""


Metadata = Annotated[
    tuple[MetadataEntry, ...] | dict[str, Any],
    Field(description="Entries of metadata; the platform writes a list, older documentation shows an object."),
]


class DeclaredType(Platform):
    """A column type in the words of one backend, or of all (`base`)."""

    type: Text
    """Name of the type."""
    length: Text | None = None
    """Length as the backend writes it between parentheses."""
    default: Value = None
    """Default value of the column."""


class InputColumnSchema(Platform):
    """One column of a table with native types."""

    name: Text
    """Name of the column."""
    data_type: ByName[DeclaredType] | None = None
    """Its types by backend, `base` for all; not there for columns without type."""
    nullable: bool | None = None
    """Whether it may be null."""
    primary_key: bool | None = None
    """Whether it is part of the primary key."""
    description: Text | None = None
    """Description of the column."""


class S3Credentials(Platform):
    """Credentials of a session; they expire."""

    access_key_id: Text = Field(repr=False)
    """Id of the key."""
    secret_access_key: Text = Field(repr=False)
    """The key."""
    session_token: Text | None = Field(default=None, repr=False)
    """Token of the session."""


class S3Section(Platform):
    """Where the table is in Amazon S3."""

    is_sliced: bool = Field(default=False, alias="isSliced")
    """Whether `key` is that of a list of slices; it then ends in `manifest`."""
    region: Text | None = None
    """Region of the bucket."""
    bucket: Text
    """Name of the bucket."""
    key: Text
    """Key of the object."""
    credentials: S3Credentials
    """What the object may be read with."""


class AbsCredentials(Platform):
    """Credentials of a shared access signature; they expire."""

    sas_connection_string: Text = Field(repr=False)
    """Connection string with the signature."""
    expiration: Text | None = None
    """When it expires."""


class AbsSection(Platform):
    """Where the table is in Azure Blob Storage."""

    is_sliced: bool = False
    """Whether `name` is that of a list of slices; it then ends in `manifest`."""
    region: Text | None = None
    """Region of the container."""
    container: Text
    """Name of the container."""
    name: Text
    """Name of the blob."""
    credentials: AbsCredentials
    """What the blob may be read with."""


class InputTableManifest(Platform):
    """Manifest of an input table; after a processor it may be one of an output table instead."""

    model_config = ConfigDict(title="Input table manifest")

    id: Text
    """Id of the table in Storage."""
    uri: Text | None = None
    """Address of the table in Storage."""
    name: Text | None = None
    """Name of the table in Storage."""
    primary_key: PhpList[Text] = ()
    """Columns of the primary key."""
    distribution_key: PhpList[Text] = ()
    """Columns of the distribution key."""
    columns: PhpList[Text] = ()
    """Columns of the file, in order."""
    created: Text | None = None
    """When the table was created."""
    last_change_date: Text | None = None
    """When the table changed last."""
    last_import_date: Text | None = None
    """When rows were imported last."""
    description: Text | None = None
    """Description of the table."""
    metadata: Metadata = ()
    """Metadata of the table."""
    column_metadata: ByName[Metadata] = Field(default_factory=dict)
    """Metadata of columns, by column; KBC.datatype.* are their types."""
    columns_schema: PhpList[InputColumnSchema] = Field(default=(), alias="schema")
    """Columns with native types."""
    s3: S3Section | None = None
    """The data are not in the folder but in S3."""
    abs: AbsSection | None = None
    """The data are not in the folder but in Azure Blob Storage."""
    rows_count: StrictInt | None = None
    """Rows of the table (before 2018)."""
    data_size_bytes: StrictInt | None = None
    """Size of the table (before 2018)."""


class InputFileManifest(Platform):
    """Manifest of an input file."""

    model_config = ConfigDict(title="Input file manifest")

    id: StrictInt
    """Id of the file in Storage."""
    name: Text | None = None
    """Name of the file in Storage; in the folder the id stands before it."""
    created: Text | None = None
    """When the file was uploaded."""
    is_public: bool = False
    """Whether anybody with the address may download it."""
    is_encrypted: bool = False
    """Whether it is encrypted at rest."""
    is_sliced: bool = False
    """Whether it is a directory of slices."""
    tags: PhpList[Text] = ()
    """Tags."""
    max_age_days: StrictInt | None = None
    """Days until it is deleted; 0 for never."""
    size_bytes: StrictInt | None = None
    """Size."""
