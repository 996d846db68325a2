"""What a configuration says of how inputs are read, by the names that it calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from component.config.model import Config, TableConfig
from component.config.reading import CacheConfig, FileReading, HeaderWord, RecordsReading, TextOptions, TextTable
from component.plan.model import GivenDialect

NOTHING_SAID: Final = TextOptions()


@dataclass(frozen=True, slots=True)
class Asked:
    """Dialects of text, and how files and records directories are to be read, each by any of the input's names.

    `headers`: what becomes of a header that disagrees with the manifest.

    `texts` are tables that stand in the configuration, `urls` records directories that lie outside of the folder.
    `named` are all inputs that are configured. `scratch` takes what is unpacked or converted;
    None: a folder that is removed when the process ends. `cache` has results of
    parsing; `say` is told of its use, and of how text is read.
    """

    options: Mapping[str, TextOptions] = field(default_factory=dict)
    files: Mapping[str, FileReading] = field(default_factory=dict)
    records: Mapping[str, RecordsReading] = field(default_factory=dict)
    headers: Mapping[str, HeaderWord] = field(default_factory=dict)
    texts: tuple[TextTable, ...] = ()
    urls: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    scratch: Path | None = None
    cache: CacheConfig | None = None
    say: Callable[[str], None] = field(default=lambda _line: None, compare=False)

    def dialect(self, names: Iterable[str]) -> GivenDialect:
        """Return what is said of the delimiter of an input."""
        options = self.text(names)
        return GivenDialect(options.delimiter, options.enclosing, options.is_strict)

    def text(self, names: Iterable[str]) -> TextOptions:
        """Return what is said of how the text of an input is delimited."""
        return next((self.options[name] for name in names if name in self.options), NOTHING_SAID)

    def header(self, names: Iterable[str]) -> HeaderWord:
        """Return what becomes of a header that disagrees with the manifest."""
        return next((self.headers[name] for name in names if name in self.headers), "error")

    def file(self, names: Iterable[str]) -> FileReading:
        """Return how a file is to be read."""
        return next((self.files[name] for name in names if name in self.files), FileReading())

    def asks_of_file(self, names: Iterable[str]) -> bool:
        """Say whether it is said how a file is to be read."""
        return any(name in self.files for name in names)

    def directory(self, names: Iterable[str]) -> RecordsReading:
        """Return how a records directory is to be read."""
        return next((self.records[name] for name in names if name in self.records), RecordsReading())

    def names_any(self, names: Iterable[str]) -> bool:
        """Say whether the configuration names an input."""
        return not self.named.isdisjoint(names)


NOTHING_ASKED = Asked()


def asked_of(config: Config, scratch: Path | None = None, say: Callable[[str], None] | None = None) -> Asked:
    """Return what a configuration says of its inputs; without `say` nothing is taken from the cache."""
    tables = [table for dataset in config.parameters.datasets for table in dataset.named_tables]
    asked = _asked(tables, config.parameters.tables, scratch)
    return asked if say is None else replace(asked, cache=config.parameters.cache, say=say)


def asked_of_table(table: TableConfig) -> Asked:
    """Return what is said of the input of one table."""
    return _asked([table], (), None)


def _asked(tables: Sequence[TableConfig], texts: tuple[TextTable, ...], scratch: Path | None) -> Asked:
    return Asked(
        options={table.source: table for table in tables},
        files={table.source: _file_reading(table) for table in tables if table.file or table.format == "file"},
        records={table.source: table.records for table in tables if table.records is not None},
        headers={table.source: table.header for table in tables},
        texts=texts,
        urls=tuple(dict.fromkeys(table.source for table in tables if "://" in table.source)),
        named=frozenset(table.source for table in tables),
        scratch=scratch,
    )


def _file_reading(table: TableConfig) -> FileReading:
    return table.file or FileReading()
