"""All of an out/ folder beside the expected one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from component.config.json_text import JsonFaultError, parse_json
from component.errors import UserError
from component.folder.magic import is_parquet
from component.folder.out_listing import OutListing, list_outputs
from component.folder.slices import slices_of
from component.naming import ARCHIVE_SUFFIX, MANIFEST_SUFFIX
from component.replay.compare.csv_rows import open_csv
from component.replay.compare.dataset_rows import DatasetRows, opened_archive
from component.replay.compare.file_bytes import compare_files, same_bytes
from component.replay.compare.json_meaning import compare_values
from component.replay.compare.manifests import compare_manifests
from component.replay.compare.options import CompareOptions
from component.replay.compare.parquet_rows import ParquetRows, open_parquet
from component.replay.compare.tables import compare_tables
from component.report.results.replayed import OutputDifference

DOCUMENTS: Final = ("state.json", "usage.json", "result.json")
_GZIP_SUFFIX: Final = ".gz"


@dataclass(frozen=True, slots=True)
class Compared:
    """What was compared (paths below out/), what for nothing was expected, and the differences."""

    places: tuple[str, ...]
    unasked: tuple[str, ...]
    differences: tuple[OutputDifference, ...]


@dataclass(frozen=True, slots=True)
class OutComparison:
    """Compares one out/ folder with another; `columns` are those that the mapping names, by table."""

    expected: Path
    actual: Path
    options: CompareOptions
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def compare(self) -> Compared:
        """Return how `actual` differs from `expected`.

        A document (state, usage, result) that is not expected is not asked for: ZIPs of the platform have none.
        """
        places, unasked, differences = [], [], []
        for name in DOCUMENTS:
            if (self.expected / name).is_file():
                places.append(name)
                differences += self._document(name)
            elif (self.actual / name).is_file():
                unasked.append(name)
        for place, found in (*self._tables(), *self._files()):
            places.append(place)
            differences += found
        return Compared(tuple(places), tuple(unasked), tuple(differences))

    def _document(self, name: str) -> list[OutputDifference]:
        if not (self.actual / name).is_file():
            return [OutputDifference(name, "missing", "The file is expected and not there.")]
        if same_bytes(self.expected / name, self.actual / name):
            return []
        side = "expected"
        try:
            expected = parse_json((self.expected / name).read_bytes())
            side = "actual"
            actual = parse_json((self.actual / name).read_bytes())
        except JsonFaultError as error:
            return [OutputDifference(name, "value", f"The {side} file {error}.")]
        if name == "usage.json":
            expected, actual = _by_metric(expected), _by_metric(actual)
        return compare_values(name, expected, actual, self.options)

    def _tables(self) -> Iterator[tuple[str, list[OutputDifference]]]:
        left, right = list_outputs(self.expected / "tables"), list_outputs(self.actual / "tables")
        manifests = [_manifests(listing) for listing in (left, right)]
        pairs = _pairs([one.name for one in left.sources], [one.name for one in right.sources])
        for expected, actual in pairs:
            name = expected or actual or ""
            if self.options.takes_table(name):
                place = f"tables/{name}"
                found = self._table(place, name, expected, actual)
                if expected and actual:
                    texts = manifests[0].get(expected), manifests[1].get(actual)
                    found += compare_manifests(place + MANIFEST_SUFFIX, *texts, self.options, of_table=True)
                yield place, found
        yield from self._orphans("tables", manifests, {name for pair in pairs for name in pair if name})

    def _table(self, place: str, name: str, expected: str | None, actual: str | None) -> list[OutputDifference]:
        if actual is None:
            return [OutputDifference(place, "missing", "The table is expected and not there.")]
        if expected is None:
            return [OutputDifference(place, "extra", "The table is not expected.")]
        paths = self.expected / "tables" / expected, self.actual / "tables" / actual
        try:
            same = _same_slices(*paths)
            return self._rows(place, name, *paths, same=same)
        except UserError as error:
            text = f"The tables differ, and one cannot be read as a table: {error}"
            return [] if same else [OutputDifference(place, "unreadable", text)]
        except OSError as error:  # a link that leads nowhere, a file that its owner keeps to himself
            return [OutputDifference(place, "unreadable", f"A file cannot be read: {error.strerror}.")]

    def _rows(self, place: str, name: str, expected: Path, actual: Path, *, same: bool) -> list[OutputDifference]:
        columns = self.columns.get(actual.name, ())
        left, right = open_csv(expected, columns), open_csv(actual, columns)
        if same and (left.names, left.header, left.dialect) == (right.names, right.header, right.dialect):
            return []
        return compare_tables(place, name, left, right, self.options)

    def _files(self) -> Iterator[tuple[str, list[OutputDifference]]]:
        left, right = _files_below(self.expected / "files"), _files_below(self.actual / "files")
        for path in sorted({*left, *right}):
            place = f"files/{path}"
            if not self.options.takes_file(path) or path.endswith(MANIFEST_SUFFIX):
                continue
            if path not in right:
                yield place, [OutputDifference(place, "missing", "The file is expected and not there.")]
            elif path not in left:
                yield place, [OutputDifference(place, "extra", "The file is not expected.")]
            else:
                yield place, self._file(place, left[path], right[path])
        names = {*left, *right}
        manifests = [_manifest_files(side) for side in (left, right)]
        for name in sorted({*manifests[0], *manifests[1]} & names):
            if self.options.takes_file(name) and name in left and name in right:
                place = f"files/{name}{MANIFEST_SUFFIX}"
                texts = (manifests[0].get(name), manifests[1].get(name))
                yield place, compare_manifests(place, *texts, self.options, of_table=False)
        yield from self._orphans("files", manifests, names)

    def _file(self, place: str, expected: Path, actual: Path) -> list[OutputDifference]:
        archives = expected.name.endswith(ARCHIVE_SUFFIX)
        by_rows = archives or (is_parquet(expected) and is_parquet(actual))
        if not self.options.parquet_content or not by_rows:
            return compare_files(place, expected, actual)
        if same_bytes(expected, actual):
            return []
        try:
            if not archives:
                return self._typed_rows(place, open_parquet(expected), open_parquet(actual))
            with opened_archive(expected) as left, opened_archive(actual) as right:
                return self._typed_rows(place, left, right)
        except UserError as error:
            return [OutputDifference(place, "unreadable", f"The files differ, and one cannot be read: {error}")]

    def _typed_rows(
        self, place: str, expected: ParquetRows | DatasetRows, actual: ParquetRows | DatasetRows
    ) -> list[OutputDifference]:
        shared = [name for name in expected.kinds if name in actual.kinds]
        texts = [
            f"{name} is {actual.kinds[name]}, expected is {expected.kinds[name]}"
            for name in shared
            if actual.kinds[name] != expected.kinds[name]
        ]
        found = [OutputDifference(place, "types", f"Types differ: {'; '.join(texts)}.")] if texts else []
        return [*found, *compare_tables(place, place, expected, actual, self.options)]

    def _orphans(
        self, half: str, manifests: list[dict[str, bytes]], names: set[str]
    ) -> Iterator[tuple[str, list[OutputDifference]]]:
        for name in sorted({*manifests[0], *manifests[1]} - names):
            place = f"{half}/{name}{MANIFEST_SUFFIX}"
            if name not in manifests[1]:
                yield place, [OutputDifference(place, "missing", "The manifest is expected and not there.")]
            elif name not in manifests[0]:
                yield place, [OutputDifference(place, "extra", "The manifest is not expected.")]
            else:
                yield (
                    place,
                    compare_manifests(
                        place, manifests[0][name], manifests[1][name], self.options, of_table=half == "tables"
                    ),
                )


def _by_metric(value: Any) -> Any:
    """Return usage in the order of its metrics: their order says nothing."""
    return sorted(value, key=str) if isinstance(value, list) else value


def _manifests(listing: OutListing) -> dict[str, bytes]:
    return {one.name.removesuffix(MANIFEST_SUFFIX): one.data for one in listing.manifests}


def _pairs(expected: Sequence[str], actual: Sequence[str]) -> list[tuple[str | None, str | None]]:
    """Pair names of both sides, those that differ in a final `.gz` too; None where there is no partner."""
    left, right = list(expected), list(actual)
    pairs: list[tuple[str | None, str | None]] = []
    for name in expected:
        other = name.removesuffix(_GZIP_SUFFIX) if name.endswith(_GZIP_SUFFIX) else name + _GZIP_SUFFIX
        partner = name if name in right else other if other in right and other not in left else None
        if partner is not None:
            right.remove(partner)
        pairs.append((name, partner))
    return [*pairs, *((None, name) for name in right)]


def _same_slices(expected: Path, actual: Path) -> bool:
    left, right = (slices_of(path)[0] for path in (expected, actual))
    return [part.name for part in left] == [part.name for part in right] and all(
        same_bytes(one.path, other.path) for one, other in zip(left, right, strict=True)
    )


def _files_below(folder: Path) -> dict[str, Path]:
    """Return all files below a folder by their path in it; hidden ones are none (reference keboola 7.1)."""
    found = (path for path in folder.rglob("*") if path.is_file())
    paths = {path.relative_to(folder).as_posix(): path for path in found}
    return {name: path for name, path in paths.items() if not any(part.startswith(".") for part in name.split("/"))}


def _manifest_files(paths: Mapping[str, Path]) -> dict[str, bytes]:
    return {
        name.removesuffix(MANIFEST_SUFFIX): path.read_bytes()
        for name, path in paths.items()
        if name.endswith(MANIFEST_SUFFIX) and "/" not in name
    }
