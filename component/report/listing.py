"""What `tablemill dataset ls` says of each dataset of a store: headers and facts are read, of other clients footers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from component.dataset.format.facts import Sums, sums_of
from component.dataset.format.header import Header
from component.dataset.format.history import commit_of
from component.dataset.format.implicit import read_whole_header
from component.dataset.reading.cube import SEPARATOR, Cube
from component.dataset.reading.reader import open_dataset
from component.dataset.reading.statistics import statistics
from component.errors import UserError
from component.report.sums import describe_sums, sums_text
from component.store.base import Store


def describe_datasets(store: Store, uuids: Iterable[str], cubes: Iterable[Cube] = ()) -> list[dict[str, Any]]:
    """Return uuid, files, rows and bytes of datasets, and the cube each is of; of one that cannot be read, why."""
    member = {f"{cube.prefix}{SEPARATOR}{name}": cube.prefix for cube in cubes for name in cube.datasets}
    found = [{"uuid": uuid, **_described(store, uuid)} for uuid in uuids]
    return [{**one, "cube": member[one["uuid"]]} if one["uuid"] in member else one for one in found]


def cube_lines(cubes: Iterable[Cube]) -> list[str]:
    """Return what cubes there are, for people."""
    return [
        f"cube {cube.prefix}{SEPARATOR}: {', '.join(sorted(cube.datasets))}; seed {cube.seed},"
        f" dimensions {', '.join(cube.dimensions)}"
        for cube in cubes
    ]


def _described(store: Store, uuid: str) -> dict[str, Any]:
    try:
        stored = read_whole_header(store, uuid)
        if stored is None:
            return {"error": "It has been deleted meanwhile"}
        sums = _counted(store, stored.header)
    except UserError as error:
        return {"error": error.text}
    return {"files": len(stored.header.partitions), **describe_sums(sums)}


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


def listing_lines(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a listing for people."""
    width = max((len(one["uuid"]) for one in found), default=0)
    return [f"{one['uuid']:<{width}}  {one.get('error') or sums_text(one)}" for one in found]
