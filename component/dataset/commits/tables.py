"""Several tables in one dataset: what they must have in common, and files without rows where one of them has none.

Every partition has a file of every table, under one label; columns of one name have one type in all tables that have
them, and an index holds the values of all of them (reference kartothek 1.7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa

from component.dataset.files.data_file import encode_rows
from component.dataset.files.write import PUTS_AT_ONCE, ROW_NUMBER, Written, WrittenFile
from component.dataset.format.facts import facts_of
from component.dataset.format.header import Header
from component.dataset.format.keys import data_key
from component.dataset.format.layout import Layout
from component.dataset.format.schema import normal_type
from component.errors import Place, UserError
from component.store.uncommitted import Uncommitted


def check_same_table(header: Header) -> None:
    """Raise UserError `dataset.format` for a dataset of one table of which a partition has a file of another one.

    plateau leaves that where an append does not name the table (reference kartothek 1.7). Of several tables kartothek
    leaves out those that have no rows in a partition; that is a fault, and hides no rows.
    """
    tables = header.tables
    for label, files in header.partitions.items() if len(tables) == 1 else ():
        if tables[0] not in files:
            raise UserError(
                "dataset.format",
                f"The partition {label!r} of the dataset {header.uuid!r} has a file of"
                f" {', '.join(files) or 'no table'}, and the first one of {tables[0]}",
                remedy="Mend it with: tablemill dataset verify --repair.",
            )


def check_one_table(header: Header) -> None:
    """Raise UserError `dataset.format` for a dataset of several tables, where nobody says whose rows are to change."""
    if len(header.tables) > 1:
        raise UserError(
            "dataset.format",
            f"The dataset {header.uuid!r} has several tables ({', '.join(header.tables)}), and none of them is named",
            remedy="Name the table whose rows are to change: --table, or open(address, table=…).",
        )


def check_has_table(header: Header, table: str) -> None:
    """Raise UserError `dataset.missing` for a table that a dataset does not have."""
    if table not in header.tables:
        raise UserError(
            "dataset.missing",
            f"The dataset {header.uuid!r} has no table {table!r}",
            remedy=f"It has {', '.join(header.tables)}.",
        )


def check_shared(schemas: Mapping[str, pa.Schema], uuid: str, unknown: Collection[tuple[str, str]] = ()) -> None:
    """Raise UserError `column.type` for a column that two tables have with different types.

    `unknown` are pairs of table and column whose type is not known yet.
    """
    seen: dict[str, tuple[str, pa.DataType]] = {}
    for table, schema in schemas.items():
        for field in schema:
            if (table, field.name) in unknown or pa.types.is_null(field.type):
                continue
            first, data_type = seen.setdefault(field.name, (table, field.type))
            if not normal_type(field.type).equals(normal_type(data_type)):
                raise UserError(
                    "column.type",
                    f"The column is {data_type} in the table {first!r} and {field.type} in the table {table!r}",
                    place=Place(table=uuid, column=field.name),
                    remedy="Give it one type in both tables (columns of each), or name one of them differently.",
                )


def fill_tables(uncommitted: Uncommitted, layouts: Sequence[Layout], written: Iterable[Written]) -> list[Written]:
    """Put a file without rows for each label that some tables have a file of and others do not; say which, by table.

    Nothing for a dataset of one table.
    """
    if len(layouts) < 2:
        return [Written() for _ in layouts]
    labels: dict[str, set[str]] = {layout.table: set() for layout in layouts}
    for part in written:
        for file in part.files:
            labels[table_of_key(file.key)].add(file.label)
    every = set().union(*labels.values())
    return [_put_empty(uncommitted, layout, sorted(every - labels[layout.table])) for layout in layouts]


def table_of_key(key: str) -> str:
    """Return the table that a data file belongs to by its key."""
    return key.split("/", 2)[1]


def _put_empty(uncommitted: Uncommitted, layout: Layout, labels: Sequence[str]) -> Written:
    if not labels:
        return Written()
    data = encode_rows(no_rows(layout))
    files = [WrittenFile(label, data_key(layout.uuid, layout.table, label), facts_of(data, 0)) for label in labels]
    uncommitted.add(file.key for file in files)
    with ThreadPoolExecutor(PUTS_AT_ONCE, "put") as pool:
        list(pool.map(lambda file: uncommitted.store.put(file.key, data), files))
    return Written(tuple(files))


def no_rows(layout: Layout) -> pa.Table:
    """Return no rows in the columns of the data files."""
    fields = [field for field in layout.schema if field.name not in layout.partition_on]
    if not fields:
        return pa.table({ROW_NUMBER: pa.array(np.arange(0))})
    return pa.schema(fields).empty_table()
