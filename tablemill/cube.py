"""Cubes of kartothek: several datasets of one prefix, asked as one table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from tablemill.reading import Predicates

if TYPE_CHECKING:
    import pyarrow as pa

    from component.dataset.reading import cube as cubes


class Cube:
    """A cube as it was when opened: its seed says which rows there are, its other datasets add columns to them."""

    def __init__(self, opened: cubes.Cube) -> None:
        self._opened = opened

    def __repr__(self) -> str:
        return f"<Cube {self.prefix}: {', '.join(self.datasets)}>"

    @property
    def prefix(self) -> str:
        """What the uuids of its datasets begin with, before `++`."""
        return self._opened.prefix

    @property
    def seed(self) -> str:
        """The name of its seed."""
        return self._opened.seed

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of its datasets: what follows `++` in their uuids."""
        return tuple(self._opened.datasets)

    @property
    def dimension_columns(self) -> tuple[str, ...]:
        """The columns that name a row."""
        return self._opened.dimensions

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """The columns that its datasets are partitioned by."""
        return self._opened.partitions

    @property
    def schema(self) -> pa.Schema:
        """All columns with their types, in alphabetical order."""
        return self._opened.schema()

    def read(
        self,
        columns: Sequence[str] | None = None,
        predicates: Predicates | None = None,
        datasets: Collection[str] | None = None,
    ) -> pa.Table:
        """Return the rows for which predicates are true, in one table, with the columns of some datasets or all.

        UserError `column.missing`, `dataset.predicate`, `dataset.missing` for a dataset that is not in the cube.
        """
        return self._opened.read(columns, predicates, datasets)

    def explain(
        self,
        columns: Sequence[str] | None = None,
        predicates: Predicates | None = None,
        datasets: Collection[str] | None = None,
    ) -> dict[str, dict[str, int]]:
        """Return, for each dataset, how many files it has and how many `read` would read; errors as `read`."""
        found = self._opened.explain(columns, predicates, datasets)
        return {name: {"files": one.files, "read": one.read} for name, one in found.items()}


def open_cube(store: str, prefix: str, *, as_of: dt.datetime | None = None) -> Cube:
    """Open a cube of a store: the datasets `<prefix>++<name>`, as they are or as they were at a time.

    UserError `store.url`, `dataset.missing`, and `dataset.history` for a dataset that has no state of that time.
    """
    from component.dataset.format.address import open_here
    from component.dataset.reading import cube as cubes

    moment = as_of.replace(tzinfo=dt.UTC) if as_of is not None and as_of.tzinfo is None else as_of
    return Cube(cubes.open_cube(open_here(store), prefix, moment))


def list_cubes(store: str) -> list[str]:
    """Return the prefixes of the cubes in a store, sorted; UserError `store.url`, `store.missing`."""
    from component.dataset.format.address import dataset_uuids, open_existing
    from component.dataset.reading import cube as cubes

    opened = open_existing(store)
    return [cube.prefix for cube in cubes.cubes(opened, dataset_uuids(opened))]
