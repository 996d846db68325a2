"""The plan of a run: every decision, as values that can be printed and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from component.config.writing import FileFormat
from component.dataset.commits.intent import Intent, KeyRule, WriteMode
from component.dataset.format.buckets import Buckets
from component.dataset.format.header import HeaderFormat
from component.dataset.format.layout import Compatibility
from component.errors import UserError
from component.folder.tables import HeaderMode
from component.formats.csv.dialect import Dialect
from component.formats.loss import Loss
from component.plan.options import FILE_DEFAULTS, TABLE_DEFAULTS, FileOptions, TableOptions
from component.staging.locations import Location
from component.tables.types import TableSchema

if TYPE_CHECKING:  # parts of the plan of some runs only: loaded by what makes them
    from component.dataset.commits.garbage import Retention
    from component.formats.delimited.dialect import DelimitedDialect
    from component.records.format_file import RecordsFormat
    from component.workbench.rules.limits import TableSizes

SourceKind = Literal["csv", "parquet", "avro", "arrow", "jsonl", "delimited"]
"""What reads its files. `csv` is the platform's text, `delimited` that of records directories, in any dialect."""


@dataclass(frozen=True, slots=True)
class SourceSlice:
    """One file or object of a source.

    `data_start` is where its records begin; `skip_header`: gzip that begins with a header. `losses` are the types and
    zones of a typed file that reading it changes. `not_encoded` is the error for bytes that are not of the encoding of
    a text, if it is known already.
    """

    name: str
    location: Location
    size: int
    gzip: bool = False
    data_start: int = 0
    skip_header: bool = False
    losses: tuple[Loss, ...] = ()
    not_encoded: UserError | None = None


@dataclass(frozen=True, slots=True)
class GivenDialect:
    """What a configuration says of a delimiter and an enclosure; None: nothing. `strict` as of Dialect."""

    delimiter: str | None = None
    enclosure: str | None = None
    strict: bool = True

    def over(self, other: Dialect) -> Dialect:
        """Return the other dialect with what is given here."""
        enclosure = other.enclosure if self.enclosure is None else self.enclosure
        return Dialect(self.delimiter or other.delimiter, enclosure, self.strict)


@dataclass(frozen=True, slots=True)
class Text:
    """How the text of a source is read: names of columns, slices for the CSV reader, and the first record of all."""

    names: tuple[str, ...]
    slices: tuple[SourceSlice, ...]
    dialect: Dialect
    first: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StorageFile:
    """What Storage knows of a file of in/files: its name there, and its id and when it was made, where that is said."""

    name: str
    id: int | None = None
    created: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """An input table or file that rows are read from, in the folder or in a bucket.

    `file_name` is its name in the folder, `own_name` what it is called by itself: without suffix, and a file without
    the id that it gets at every input. `names` are all the words a configuration may call it. `schema` is typed by the
    manifest (CSV), the file, or the schema beside it; `typed` names the columns whose type is known and need not be
    inferred. `infer_types`: it is text without a manifest, so types are inferred unless the configuration says not to.
    `lying`: it lies in a folder without in/. `delimited` is how files of a records directory are delimited, `assume_tz`
    the zone of their moments, and `keep_quoted_empty` whether `""` is no null there. `assumed`: nobody has seen it, its
    columns are those that the configuration names. `file` is there for files of in/files, `notes` say why this one was
    chosen of several. `header` says where the names of delimited text are.
    """

    file_name: str
    own_name: str
    names: tuple[str, ...]
    kind: SourceKind
    slices: tuple[SourceSlice, ...]
    schema: TableSchema
    typed: frozenset[str] = frozenset()
    infer_types: bool = False
    lying: bool = False
    dialect: Dialect = field(default_factory=Dialect)
    table_id: str | None = None
    delimited: DelimitedDialect | None = None
    assume_tz: str | None = None
    keep_quoted_empty: bool = False
    file: StorageFile | None = None
    notes: tuple[str, ...] = ()
    assumed: bool = False
    header: HeaderMode | None = None

    @property
    def says_types(self) -> bool:
        """Whether its columns have types without anybody's guessing; those of CSV are text."""
        return self.kind != "csv"

    @property
    def size(self) -> int:
        """Bytes on disk, or in the bucket."""
        return sum(part.size for part in self.slices)


@dataclass(frozen=True, slots=True)
class DatasetPlan:
    """One table of a dataset to be made of one source; most datasets have one.

    `infer` names the columns whose type the run finds out first. `named` are dataset and table as they are configured
    where the dataset has several: then either these share their `uuid`, and come with one commit, or each is a dataset.

    `marks` are what stands before the decimals of numbers and between thousands, where the configuration says so.

    `scope` and `key` are of the modes that need them (`Intent`). With `keep` the run collects garbage after its commit.
    """

    uuid: str
    table: str
    source: Source
    schema: TableSchema
    partition_on: tuple[str, ...] = ()
    secondary_indices: tuple[str, ...] = ()
    sort_by: tuple[str, ...] = ()
    buckets: Buckets | None = None
    mode: WriteMode = "overwrite"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    storage_format: HeaderFormat = "json"
    reject: bool = False
    infer: tuple[str, ...] = ()
    scope: tuple[Mapping[str, Any], ...] | None = None
    key: tuple[str, ...] = ()
    keep: Retention | None = None
    compatibility: Compatibility = "plateau"
    named: tuple[str, str] | None = None
    marks: tuple[str, str] | None = None
    on_duplicate_key: KeyRule = "warn"

    @property
    def losses(self) -> Mapping[str, tuple[Loss, ...]]:
        """What reading changes, by slice; of columns that were configured to have another type, nothing."""
        columns = zip(self.schema.columns, self.source.schema.columns, strict=True)
        kept = {one.name for one, other in columns if (one.type, one.stored) == (other.type, other.stored)}
        parts = [part for part in self.source.slices if part.losses]
        return {part.name: tuple(loss for loss in part.losses if loss.column in kept) for part in parts}

    @property
    def has_rejected(self) -> bool:
        """Whether it has a table of rejected rows."""
        return self.reject or self.on_duplicate_key == "reject"

    @property
    def intent(self) -> Intent:
        """What its rows do to those that are there."""
        return Intent(self.mode, self.scope, self.key, self.on_duplicate_key)

    @property
    def name(self) -> str:
        """What people call it, and its table of rejected rows: one word for each table."""
        return "-".join(self.named) if self.named else self.uuid


@dataclass(frozen=True, slots=True)
class RecordsPlan:
    """How a records directory is written: the format of its files, how many or how large, and a URL for it if any."""

    format: RecordsFormat
    files: int | None = None
    file_bytes: int | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class OutputPlan:
    """One output of one dataset. `columns` None: all, in the order of the source; `table` None: the first.

    `records` are there where the format is `records`. Such an output with a URL is nothing in out/files. `workbench` is
    what an Arrow file of that format may not exceed.
    """

    name: str
    dataset: str
    table: str | None = None
    written_as: Literal["table", "file"] = "table"
    format: FileFormat = "csv"
    predicates: tuple[tuple[tuple[Any, ...], ...], ...] | None = None
    columns: tuple[str, ...] | None = None
    destination: str | None = None
    primary_key: tuple[str, ...] | None = None
    incremental: bool = False
    sliced: bool = True
    compression: Literal["gzip", "none"] = "gzip"
    tags: tuple[str, ...] = ()
    options: TableOptions = TABLE_DEFAULTS
    file_options: FileOptions = FILE_DEFAULTS
    records: RecordsPlan | None = None
    workbench: TableSizes | None = None
    fetched_from: str = ""

    @property
    def url(self) -> str | None:
        """Where it is written instead of out/."""
        return self.records.url if self.records else None

    @property
    def has_header(self) -> bool:
        """Whether the first line of its files holds the names: never in slices, else unless it is configured away."""
        return not (self.sliced and self.written_as == "table") and self.options.has_header is not False

    @property
    def dialect(self) -> Dialect:
        """How its text is delimited."""
        return GivenDialect(self.options.delimiter, self.options.enclosure).over(Dialect())


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes, and counts, that bound memory and files."""

    split_bytes: int
    block_bytes: int
    buffer_bytes: int
    direct_files: int
    slice_bytes: int
    max_slices: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run will do."""

    datasets: tuple[DatasetPlan, ...]
    outputs: tuple[OutputPlan, ...]
    store_url: str | None
    limits: Limits
    warnings: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of the sources, each once."""
        return tuple(dict.fromkeys(note for dataset in self.datasets for note in dataset.source.notes))
