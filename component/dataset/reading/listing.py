"""The datasets of a store, each with its size: told by headers and facts, and by footers where there are none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from component.dataset.format.facts import Sums, sums_of
from component.dataset.format.header import Header
from component.dataset.format.history import commit_of
from component.dataset.format.implicit import read_whole_header
from component.dataset.reading.cube import SEPARATOR, Cube
from component.dataset.reading.reader import open_dataset
from component.dataset.reading.statistics import statistics
from component.errors import UserError
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class Listed:
    """A dataset of a store: how many files it has, its rows and bytes, and the prefix of the cube that it is of.

    `error` says why a dataset cannot be read, of which nothing else is known then.
    """

    uuid: str
    files: int | None = None
    sums: Sums | None = None
    cube: str | None = None
    error: str | None = None


def list_datasets(store: Store, uuids: Iterable[str], cubes: Iterable[Cube] = ()) -> Iterator[Listed]:
    """Yield what is known of some datasets; one that cannot be read is no error."""
    cube_of = {f"{cube.prefix}{SEPARATOR}{name}": cube.prefix for cube in cubes for name in cube.datasets}
    for uuid in uuids:
        cube = cube_of.get(uuid)
        try:
            stored = read_whole_header(store, uuid)
            if stored is None:
                yield Listed(uuid, cube=cube, error="It has been deleted meanwhile")
            else:
                yield Listed(uuid, len(stored.header.partitions), _counted(store, stored.header), cube)
        except UserError as error:
            yield Listed(uuid, cube=cube, error=error.text)


def _counted(store: Store, header: Header) -> Sums:
    """Return rows and bytes; files of other clients, of which no facts are known, are counted by their footers."""
    sums = sums_of(store, header, foreign=commit_of(header).foreign)
    if not sums.unknown:
        return sums
    counts = {
        table: statistics(open_dataset(store, header.uuid, table=table), columns=False) for table in header.tables
    }
    rows = {table: count.rows for table, count in counts.items()}
    return Sums(rows, sum(count.bytes for count in counts.values()), 0)
