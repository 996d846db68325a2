"""The plan of a run: every decision, as values that can be printed and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from component.dataset.commit import Mode
from component.dataset.header import HeaderFormat
from component.formats.csv.dialect import Dialect
from component.plan.options import FILE_DEFAULTS, TABLE_DEFAULTS, FileOptions, TableOptions
from component.staging.locations import Location
from component.tables.types import TableSchema


@dataclass(frozen=True, slots=True)
class SourceSlice:
    """One file or object of a source.

    `data_start` is where its records begin; `skip_header`: gzip that begins with a header.
    """

    name: str
    location: Location
    size: int
    gzip: bool = False
    data_start: int = 0
    skip_header: bool = False


@dataclass(frozen=True, slots=True)
class GivenDialect:
    """What a configuration says of a delimiter and an enclosure; None: nothing."""

    delimiter: str | None = None
    enclosure: str | None = None

    def over(self, other: Dialect) -> Dialect:
        """Return the other dialect with what is given here."""
        enclosure = other.enclosure if self.enclosure is None else self.enclosure
        return Dialect(self.delimiter or other.delimiter, enclosure)


@dataclass(frozen=True, slots=True)
class Source:
    """An input table or file that rows are read from, in the folder or in a bucket.

    `file_name` is its name in the folder, `own_name` what it is called by itself: without suffix, and a file without
    the id that it gets at every input. `names` are all the words a configuration may call it. `schema` is typed by the
    manifest (CSV) or the file (Parquet); `typed` names the columns whose type is known and need not be inferred.
    """

    file_name: str
    own_name: str
    names: tuple[str, ...]
    kind: Literal["csv", "parquet"]
    slices: tuple[SourceSlice, ...]
    schema: TableSchema
    typed: frozenset[str] = frozenset()
    dialect: Dialect = field(default_factory=Dialect)
    table_id: str | None = None

    @property
    def size(self) -> int:
        """Bytes on disk, or in the bucket."""
        return sum(part.size for part in self.slices)


@dataclass(frozen=True, slots=True)
class DatasetPlan:
    """One dataset to be made of one source. `infer` names the columns whose type the run finds out first."""

    uuid: str
    table: str
    source: Source
    schema: TableSchema
    partition_on: tuple[str, ...] = ()
    secondary_indices: tuple[str, ...] = ()
    sort_by: tuple[str, ...] = ()
    mode: Mode = "overwrite"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    storage_format: HeaderFormat = "json"
    reject: bool = False
    infer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputPlan:
    """One output of one dataset. `columns` None: all, in the order of the source."""

    name: str
    dataset: str
    table: str
    written_as: Literal["table", "file"] = "table"
    format: Literal["csv", "parquet"] = "csv"
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
