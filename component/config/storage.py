"""The models of `storage` and `image_parameters`: what the platform says, read so that it may say more tomorrow."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field

from component.config.environment import DataTypeSupport, LoggerType
from component.config.parameters import LimitsConfig, SparkConfig, StoreConfig
from component.config.platform_fields import AnyObject, PhpList, Platform, Text


class SearchedSource(Platform):
    """A table that is found by its metadata."""

    key: Text | None = None
    value: Text | None = None


class InputColumn(Platform):
    """A column of an input table, with the type that it is exported as."""

    source: Text | None = None
    destination: Text | None = None
    type: Text | None = None
    length: Text | None = None
    nullable: bool | None = None
    convert_empty_values_to_null: bool | None = None


class InputTableMapping(Platform):
    """One input table mapping; the file in in/tables has the name `destination`, or else `source`."""

    source: Text | None = None
    source_search: SearchedSource | None = None
    source_branch_id: Text | None = None
    destination: Text | None = None
    columns: PhpList[Text] = ()
    column_types: PhpList[InputColumn] = ()
    where_column: Text | None = None
    where_operator: Text | None = None
    where_values: PhpList[Text] = ()
    limit: int | None = None
    days: int | None = None
    changed_since: Text | None = None
    overwrite: bool | None = None
    use_view: bool | None = None
    keep_internal_timestamp_column: bool | None = None
    load_type: Text | None = None
    file_type: Text | None = None


class FileTag(Platform):
    """A tag that files must have (`include`) or must not have (`exclude`)."""

    name: Text | None = None
    match: Text | None = None


class FileSource(Platform):
    """Files that are found by their tags."""

    tags: PhpList[FileTag] = ()


class InputFileMapping(Platform):
    """One input file mapping; `tags` is its older form."""

    tags: PhpList[Text] = ()
    source: FileSource | None = None
    query: Text | None = None
    file_ids: PhpList[Text] = ()
    limit: int | None = None
    processed_tags: PhpList[Text] = ()
    changed_since: Text | None = None
    overwrite: bool | None = None


class Input(Platform):
    """`storage.input`: what the platform put into in/."""

    tables: PhpList[InputTableMapping] = ()
    files: PhpList[InputFileMapping] = ()
    read_only_storage_access: bool | None = None


class TableFiles(Platform):
    """How tables are uploaded where they are to be files only."""

    tags: PhpList[Text] = ()
    is_permanent: bool = True


class Output(Platform):
    """`storage.output`: what the platform will do with out/. Mappings are raw: the mapping room interprets them."""

    tables: PhpList[AnyObject] = ()
    files: PhpList[AnyObject] = ()
    default_bucket: str | None = None
    data_type_support: DataTypeSupport | None = None
    table_modifications: Text | None = None
    treat_values_as_null: PhpList[Text] = ()
    table_files: TableFiles | None = None


class Storage(Platform):
    """Input and output mapping (reference keboola 1.2)."""

    input: Input = Input()
    output: Output = Output()


def _flag(value: Any) -> Any:
    return value is True


class ImageParameters(Platform):
    """`image_parameters`: what the operator of a stack sets for all configurations.

    `store`, `spark` and `limits` are defaults of the same keys of `parameters`. `logger` is the type of the platform's
    log server. `default_bucket` and its stage repeat the component's flag, which reaches a component in no other way.
    What else there is, is kept and left alone.
    """

    model_config = ConfigDict(extra="allow")

    store: StoreConfig | None = None
    spark: SparkConfig = SparkConfig()
    limits: LimitsConfig = LimitsConfig()
    logger: LoggerType | None = None
    default_bucket: Annotated[bool, BeforeValidator(_flag)] = Field(default=False)
    default_bucket_stage: Text = "in"
