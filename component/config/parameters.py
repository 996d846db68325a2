"""The models of `parameters`: what a user configures. Unknown keys are refused, words are the field's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    SecretStr,
    StrictBool,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from component import naming
from component.config import rules
from component.config.fields import (
    SECRET_MARK,
    Formats,
    JsonObject,
    Length,
    Name,
    Names,
    Positive,
    Strict,
    Texts,
    Uuid,
    refuse,
)
from component.config.mode_options import DeleteScope, KeepConfig, ModeWord
from component.config.output_options import OutputOptions, option_faults
from component.config.reading import CacheConfig, FileReading, HeaderWord, RecordsReading, TextOptions, TextTable
from component.config.writing import SUFFIXES, FileFormat, HttpFiles, RecordsWriting, WorkbenchFiles

TypeWord = Literal["string", "integer", "numeric", "float", "boolean", "date", "timestamp"]
NullWord = Literal["always", "unquoted", "never"]
Compatibility = Literal["plateau", "kartothek"]
SameNameWord = Literal["refuse", "newest", "all"]
Operator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is null", "is not null", "like"]


class StoreConfig(Strict):
    """Where datasets live: a URL, and credentials under keys that start with `#`, which never reach a text or a log."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, SecretStr]

    url: Name
    """The directory that datasets live in, as `file:///path` or a path; a relative path starts at the data folder.
    Without a store, datasets travel as archives through file storage, tagged `tablemill-dataset`; map the files of
    that tag to the input.
    """

    @property
    def credentials(self) -> Mapping[str, SecretStr]:
        """The secrets by their name without `#`."""
        return {key.removeprefix(SECRET_MARK): secret for key, secret in self.__pydantic_extra__.items()}

    @model_validator(mode="before")
    @classmethod
    def _only_secrets_are_free(cls, data: Any) -> Any:
        refuse(rules.unknown_store_keys(data, cls.model_fields))
        return data

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        secret = {"type": "string", "format": "password", "writeOnly": True}
        handler.resolve_ref_schema(schema).update(additionalProperties=False, patternProperties={"^#": secret})
        return schema


class ArchivesConfig(Strict):
    """How datasets without a store leave a run.

    With `is_permanent` Storage keeps their archives until somebody deletes them; without it, for 15 days.
    """

    is_permanent: StrictBool = True
    """Whether Storage keeps archives until somebody deletes them, or for 15 days."""


class ColumnFacts(Strict):
    """What is configured of one column; what is left out is taken from the manifest, or is the default of the type.

    `length` is "precision,scale" for numeric; `formats` are strptime formats tried in order for date and timestamp.
    """

    type: TypeWord | None = None
    """The type that the cells must fit; without one, the manifest's."""
    length: Length | None = None
    """Precision and scale of a numeric column, such as `12,2`."""
    nullable: StrictBool | None = None
    """Whether a value may be missing; without it, as the manifest says."""
    formats: Formats = ()
    """How dates and times are written, as strptime formats (`%d.%m.%Y`), tried in order. Empty means ISO 8601."""
    nulls: NullWord | None = None
    """Which empty cells are null: `always` each of them, `unquoted` those without quotes, `never` none. Without it,
    the type decides.
    """


class ColumnConfig(ColumnFacts):
    """One configured column of a source."""

    name: Name
    """The name of the column in the source."""


Columns = Annotated[
    tuple[ColumnConfig, ...],
    BeforeValidator(
        rules.columns_as_list, json_schema_input_type=list[ColumnConfig] | dict[Name, TypeWord | ColumnFacts]
    ),
]
TableName = Annotated[
    Uuid, AfterValidator(rules.table_name), Field(json_schema_extra={"not": {"enum": list(naming.RESERVED_TABLES)}})
]


class TableConfig(TextOptions):
    """One table of a dataset and the input it is made of.

    `columns` are facts about single columns, in any order and number; they select nothing. Empty `source` means the
    input with the name of the dataset, or, where it has several tables, with the name of the table. `infer_types` None
    finds out the types of text that comes without a manifest.

    `quotes` `strict` makes a row of CSV that breaks RFC 4180 a bad one (docs/formats.md); `lenient` takes its cells as
    Python's csv module does, and counts such rows in a warning. `header` says what becomes of a header whose names
    are not those of the manifest: `error`, or the columns are called as in the header (`by_name`) or as in the manifest
    (`by_position`), with a warning.
    """

    name: TableName = naming.DEFAULT_TABLE
    """The name of the table in the dataset."""
    source: str = ""
    """The input table or file, by its name in the input mapping or in the folder. Blank means the one with the
    dataset's name.
    """
    format: Literal["auto", "csv", "parquet", "avro", "arrow", "records", "file"] = "auto"
    """What the source is; `auto` tells by its content, `file` reads any file with the options in `file`."""
    file: FileReading | None = None
    """How a file is read that is not a table of the platform."""
    records: RecordsReading | None = None
    """How a records directory is read."""
    columns: Columns = ()
    """Facts about single columns that the manifest leaves out or gets wrong."""
    primary_key: Names | None = None
    """The columns that name a row; without them, the manifest's primary key."""
    infer_types: StrictBool | None = None
    """Whether to find the types of columns that neither manifest nor configuration gives one, by reading every row
    first. Without it, types are inferred where there is no manifest.
    """
    header: HeaderWord = "error"
    """What becomes of a header whose names are not those of the manifest: `error` refuses it, `by_name` lets the header
    name the columns, `by_position` the manifest.
    """

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        names = tuple(column.name for column in self.columns)
        refuse(rules.table_faults(names, self.delimiter, self.enclosing))
        refuse(rules.text_faults(self.encoding, self.delimiter or "", self.enclosing, self.escape, self.comment))
        refuse(rules.mark_faults(self.decimal, self.thousands))
        return self


class DatasetConfig(Strict):
    """One dataset: its source, how it is partitioned and indexed, and what a run does to it.

    Several `tables` become one dataset of several with `compatibility` kartothek, and with plateau, which knows none of
    these, a dataset each, `<uuid>++<table>`. Every table has the columns of `partition_on`, of the same types.

    With `bucket_by` and `num_buckets` a run puts rows whose values there are equal into one file of their partition.

    `delete_scope` are the partitions that mode replace_partitions takes away, each a condition on partition keys; None
    stands for those that the new rows are of. `key` names a row for the modes upsert and delete; empty stands for the
    primary key. With `keep` a run deletes what nobody needs any more after its commit.
    """

    uuid: Uuid
    """The name of the dataset in the store: letters, digits, plus, minus and underscore."""
    tables: tuple[TableConfig, ...] = ()
    """The tables of the dataset, each with its source; most datasets have one."""
    compatibility: Compatibility = "plateau"
    """Which clients must be able to read it: `plateau` knows one table in a dataset, `kartothek` several."""
    partition_on: Names = ()
    """Columns whose values divide the rows into folders, in this order. Choose columns with few values and no nulls."""
    secondary_indices: Names = ()
    """Columns that are looked up by value and are not partition columns."""
    sort_partitions_by: Names = ()
    """The order of the rows in each file."""
    bucket_by: Names = ()
    """Columns whose equal values go into one file of their partition; needs `num_buckets`."""
    num_buckets: Positive | None = None
    """The most files that one write makes in a partition, with `bucket_by`."""
    mode: ModeWord = "overwrite"
    """What a run does to a dataset that exists: `overwrite` it, `append` rows, `replace_partitions`, `upsert` rows
    by key, or `delete` rows by key.
    """
    delete_scope: DeleteScope = None
    """The partitions that `replace_partitions` removes, each as partition columns with their values. Without it,
    those of the new rows.
    """
    key: Names = ()
    """The columns that name a row in the modes `upsert` and `delete`. Empty means the primary key."""
    keep: KeepConfig | None = None
    """How much history stays readable. With it, a run deletes what is older; without it, nothing is ever deleted."""
    metadata: JsonObject = Field(default_factory=dict)
    """Metadata of your own, stored in the header of the dataset."""
    metadata_storage_format: Literal["json", "msgpack.zstd"] = "json"
    """How the header of the dataset is stored."""
    on_bad_row: Literal["fail", "reject"] = "fail"
    """What happens when a row does not fit: `fail` stops the run, `reject` moves the row to a table of rejected
    rows.
    """
    on_duplicate_key: Literal["warn", "fail", "reject"] = "warn"
    """What happens when a primary key is null, is that of several rows, or is in the dataset already: `warn` says so,
    `fail` stops the run, `reject` keeps the first row and moves the others to the table of rejected rows.
    """

    @property
    def table(self) -> TableConfig:
        """The first table of the dataset, in most the only one, its source always named."""
        return self.named_tables[0]

    @property
    def named_tables(self) -> tuple[TableConfig, ...]:
        """All tables, their sources always named; a dataset that is given none has one."""
        tables = self.tables or (TableConfig(),)
        several = len(tables) > 1
        named = (table.name if several else self.uuid for table in tables)
        return tuple(
            table if table.source else table.model_copy(update={"source": name})
            for table, name in zip(tables, named, strict=True)
        )

    @property
    def stored_uuids(self) -> tuple[str, ...]:
        """The uuids that the dataset has in the store: one, or one for each of several tables."""
        if len(self.tables) < 2 or self.compatibility == "kartothek":
            return (self.uuid,)
        return tuple(naming.TABLE_UUID.format(uuid=self.uuid, table=table.name) for table in self.tables)

    @property
    def table_names(self) -> tuple[str, ...]:
        """What people call each table: the dataset's uuid, and of several `<uuid>-<table>`."""
        several = len(self.tables) > 1
        return tuple(f"{self.uuid}-{table.name}" for table in self.tables) if several else (self.uuid,)

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        refuse(rules.dataset_faults(self.partition_on, self.secondary_indices))
        refuse(rules.bucket_faults(self.bucket_by, self.num_buckets))
        refuse(rules.mode_faults(self.mode, self.delete_scope, self.key, self.partition_on))
        refuse(rules.tables_faults([table.name for table in self.tables], self.mode, self.compatibility))
        return self


Condition = Annotated[
    tuple[Name, Operator, JsonValue],
    BeforeValidator(rules.condition_shape),
    AfterValidator(rules.condition_value),
    WithJsonSchema(rules.CONDITION_SCHEMA),
]
SomeConditions = Annotated[tuple[Condition, ...], AfterValidator(rules.some), Field(json_schema_extra={"minItems": 1})]
Predicates = Annotated[tuple[SomeConditions, ...], AfterValidator(rules.some), Field(json_schema_extra={"minItems": 1})]


class OutputConfig(OutputOptions):
    """One output of a dataset: a table in out/tables, or a file in out/files (`as: file`).

    `predicates` are in disjunctive normal form, as kartothek's: a list of ORed lists of ANDed `[column, operator,
    value]`; None takes every row. `columns` None or empty takes every column. `table` None takes the only table.
    """

    dataset: Uuid
    """The dataset whose rows are written: one that the run makes, or one in the store."""
    table: Name | None = None
    """The table of a dataset that has several; without it, the only one."""
    predicates: Predicates | None = None
    """Which rows are written: a list of alternatives, each a list of conditions `[column, operator, value]` that
    must all hold. Without it, all rows.
    """
    columns: Names | None = None
    """The columns that are written, in this order. Empty means all columns."""
    written_as: Literal["table", "file"] = Field(default="table", alias="as")
    """Whether the output is a `table` in out/tables or a `file` in out/files."""
    name: Annotated[str, AfterValidator(rules.file_name), Field(json_schema_extra=rules.FILE_NAME_SCHEMA)] | None = None
    """The name of the table or file. Blank means the name of the dataset."""
    format: FileFormat = "csv"
    """The format of a file."""
    records: RecordsWriting | None = None
    """How a records directory is written."""
    workbench: WorkbenchFiles | None = None
    """How an Arrow file of Workbench is written."""
    httpfile: HttpFiles | None = None
    """What an httpfile says of itself."""
    slices: StrictBool = True
    """Whether a table is written as several files that the platform loads at once."""
    compression: Literal["gzip", "none"] = "gzip"
    """How slices are compressed."""
    tags: Names = ()
    """Tags of a file in Storage."""

    @property
    def output_name(self) -> str:
        """The configured name, or that of the dataset, with the format as suffix where the output is a file.

        The default name of a table other than the default one is `<dataset>-<table>`.
        """
        if self.name:
            return self.name
        name = self.dataset if self.table in {None, naming.DEFAULT_TABLE} else f"{self.dataset}-{self.table}"
        return name if self.written_as == "table" else f"{name}.{SUFFIXES.get(self.format, self.format)}"

    @model_validator(mode="after")
    def _kind_allows_options(self) -> Self:
        set_here = {name for name in self.model_fields_set if getattr(self, name) not in (None, (), False, {})}
        is_table = self.written_as == "table"
        foreign = [name for name in ("records", "workbench", "httpfile") if getattr(self, name) is not None]
        refuse(rules.output_format_faults(self.written_as, self.format, foreign))
        refuse(option_faults(self, set_here, is_table=is_table, sliced=self.slices, is_csv=self.format == "csv"))
        return self


class SparkConfig(Strict):
    """The Spark that does the work."""

    master: Name = "local[*]"
    """The Spark master, such as `local[4]`; `local[*]` uses all cores."""
    conf: Texts = Field(default_factory=dict)
    """Settings of Spark, by their names in Spark's documentation."""


class LimitsConfig(Strict):
    """Expert settings of memory and file sizes, in bytes and counts; `component.naming` says what each is.

    A run that takes longer than `deadline_seconds` stops by itself, tidily; None waits for ever.
    """

    split_bytes: Positive = naming.SPLIT_BYTES
    """Bytes of input that one task reads."""
    block_bytes: Positive = naming.BLOCK_BYTES
    """Bytes of text that a task parses at once."""
    buffer_bytes: Positive = naming.BUFFER_BYTES
    """Bytes of typed rows that a task holds before it writes files."""
    direct_files: Positive = naming.DIRECT_FILES
    """The most data files that tasks write directly; with more partition values, rows are shuffled by partition
    first.
    """
    slice_bytes: Positive = naming.SLICE_BYTES
    """About how many bytes one slice of an output has."""
    max_slices: Positive = naming.MAX_SLICES
    """The most slices of an output."""
    deadline_seconds: Positive | None = None
    """Seconds after which a run stops by itself, leaving everything as it was. Without it, a run may take any time."""


class Parameters(Strict):
    """Everything under `parameters`; empty is a complete configuration.

    `manifest_family` `auto` follows the project (KBC_DATA_TYPE_SUPPORT). `usage_metrics` writes out/usage.json, which
    the platform may bill by; `result_variables` writes out/result.json.

    `on_missing_dataset` decides what happens when the state names a dataset that is not there, and rows are to be added
    to it; `on_stale_dataset` when its archive lacks the commit that the state names.
    """

    store: StoreConfig | None = None
    """Where datasets live. All rows of a configuration share it."""
    archives: ArchivesConfig = ArchivesConfig()
    """How datasets travel when there is no store."""
    on_same_name: SameNameWord = "refuse"
    """Which of several files is read that go by one name, or one tag: `refuse` stops the run if they differ, `newest`
    reads the newest, `all` reads them as one table.
    """
    on_missing_dataset: Literal["fail", "create"] = "fail"
    """What happens when a dataset of an earlier run does not come back and rows are to be added to it: `fail` stops
    the run, `create` starts the dataset again without its earlier rows.
    """
    on_stale_dataset: Literal["fail", "use"] = "fail"
    """What happens when the archive of a dataset lacks the last commit: `fail` stops the run, `use` goes on without
    the rows of that commit.
    """
    tables: tuple[TextTable, ...] = ()
    """Tables that are written in the configuration as text, as inputs beside those in the folder."""
    cache: CacheConfig | None = None
    """Where the results of parsing files are kept between runs; without it, nowhere."""
    datasets: tuple[DatasetConfig, ...] = ()
    """The datasets that a run makes or changes. Without datasets and outputs, every input becomes a dataset and
    comes back as an output.
    """
    outputs: tuple[OutputConfig, ...] = ()
    """The tables and files that a run writes from datasets."""
    manifest_family: Literal["auto", "legacy", "schema"] = "auto"
    """The family of output manifests: `legacy`, `schema`, or `auto` for the one that the project asks for."""
    usage_metrics: StrictBool = False
    """Whether to write out/usage.json, which the platform may bill by."""
    result_variables: StrictBool = True
    """Whether to write out/result.json, which the job returns to those who started it."""
    spark: SparkConfig = SparkConfig()
    """Where Spark runs, and with which settings."""
    limits: LimitsConfig = LimitsConfig()
    """Expert settings of memory and file sizes."""

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        uuids = tuple(dataset.stored_uuids for dataset in self.datasets)
        names = tuple((output.written_as, output.output_name) for output in self.outputs)
        refuse(rules.repeated_uuids(uuids))
        refuse(rules.repeated_outputs(names))
        return self
