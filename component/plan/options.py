"""The platform's options of an output, as a plan holds them; the names are those of the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal

from component.config.exact import Exact, Scalar
from component.config.output_options import ManifestFamily, OutputOptions

Types = Mapping[str, Mapping[str, str]]
"""The types of one column by backend, each with `type` and maybe `length` and `default`."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Options of an output table beside destination, key and mode (reference keboola 4.1).

    `delete_where` and `data_types` are in the platform's JSON; `data_types` is by column.
    """

    has_header: bool | None = None
    delimiter: str | None = None
    enclosure: str | None = None
    write_always: bool = False
    distribution_key: tuple[str, ...] = ()
    deduplication_strategy: Literal["insert", "upsert"] | None = None
    delete_where_column: str | None = None
    delete_where_operator: Literal["eq", "ne"] | None = None
    delete_where_values: tuple[Scalar, ...] = ()
    delete_where: tuple[Mapping[str, Any], ...] = ()
    description: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    column_metadata: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    data_types: Mapping[str, Types] = field(default_factory=dict)
    manifest_type: str | None = None
    manifest_family: ManifestFamily | None = None

    @property
    def named_columns(self) -> tuple[tuple[str, str], ...]:
        """The columns that the options name, each with the option; the table must have them."""
        named = {
            "distribution_key": self.distribution_key,
            "column_metadata": self.column_metadata,
            "data_types": self.data_types,
        }
        return tuple((column, option) for option, columns in named.items() for column in columns)


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Options of an output file (reference keboola 5)."""

    is_public: bool = False
    is_permanent: bool = False
    is_encrypted: bool = True
    notify: bool = False


TABLE_DEFAULTS: Final = TableOptions()
FILE_DEFAULTS: Final = FileOptions()


def table_options(config: OutputOptions) -> TableOptions:
    """Return the configured options of a table."""
    return TableOptions(**{one.name: _plain(getattr(config, one.name)) for one in fields(TableOptions)})


def file_options(config: OutputOptions) -> FileOptions:
    """Return the configured options of a file."""
    return FileOptions(**{one.name: getattr(config, one.name) for one in fields(FileOptions)})


def _plain(value: Any) -> Any:
    """Return a value without models in it."""
    if isinstance(value, Exact):
        return value.content()
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value
