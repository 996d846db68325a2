"""`tablemill dataset`: operations on rows and files, each one commit; large ones go to Spark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from component import naming
from component.cli.dataset.options import (
    MASTER,
    Address,
    Format,
    Master,
    OfTable,
    Predicates,
    Where,
    change,
    names_in,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from tablemill import Commit, Dataset

Key = Annotated[
    str, typer.Option(metavar="A,B", help="Columns that name a row; else the primary key.", show_default=False)
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="Rows: a .parquet, .arrow or .csv file with a header.")]
Scope = Annotated[
    list[str],
    typer.Option(
        "--scope",
        metavar="JSON",
        help='Partitions that go, as {"month": 2}. Given several times, those of each.',
        show_default=False,
    ),
]
OnDuplicateKey = Annotated[
    Literal["warn", "fail"],
    typer.Option(help="When a primary key is null, stands twice, or is in the dataset already."),
]


def _rows(file: Path, address: str, table: str | None) -> pa.Table:
    from component.cli.dataset.given_rows import rows_of

    return rows_of(file, address, table)


def append(
    dataset: Address,
    file: File,
    table: OfTable = None,
    on_duplicate_key: OnDuplicateKey = "warn",
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.append(_rows(file, dataset, table), on_duplicate_key=on_duplicate_key)

    change(dataset, output, "rows are added", make, table=table)


def overwrite(
    dataset: Address,
    file: File,
    table: OfTable = None,
    on_duplicate_key: OnDuplicateKey = "warn",
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.overwrite(_rows(file, dataset, table), on_duplicate_key=on_duplicate_key)

    change(dataset, output, "rows are overwritten", make, table=table)


def upsert(
    dataset: Address,
    file: File,
    key: Key = "",
    table: OfTable = None,
    master: Master = MASTER,
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.upsert(_rows(file, dataset, table), names_in(key))

    what, nothing = "rows are replaced and added", "the file has no rows"
    change(dataset, output, what, make, table=table, master=master, nothing=nothing)


def delete_keys(
    dataset: Address,
    file: File,
    key: Key = "",
    table: OfTable = None,
    master: Master = MASTER,
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.delete_keys(_rows(file, dataset, table), names_in(key))

    nothing = "no row has such a key"
    change(dataset, output, "rows are deleted", make, table=table, master=master, nothing=nothing, deletes=True)


def delete_rows(
    dataset: Address,
    where: Where = None,
    predicates: Predicates = None,
    table: OfTable = None,
    master: Master = MASTER,
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        from component.dataset.reading.question import parse_question

        return opened.delete_rows(parse_question(where or (), predicates) or [])

    nothing = "no row is like that"
    change(dataset, output, "rows are deleted", make, table=table, master=master, nothing=nothing, deletes=True)


def delete_partitions(dataset: Address, scope: Scope, output: Format = "text") -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.delete_partitions(_scope(scope))

    change(dataset, output, "partitions are deleted", make, nothing="there is no such partition", deletes=True)


def replace_partitions(
    dataset: Address,
    file: File,
    scope: Scope,
    table: OfTable = None,
    on_duplicate_key: OnDuplicateKey = "warn",
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        rows = _rows(file, dataset, table)
        return opened.replace_partitions(rows, _scope(scope), on_duplicate_key=on_duplicate_key)

    change(dataset, output, "partitions are replaced", make, table=table)


def _scope(texts: Sequence[str]) -> list[dict[str, Any]]:
    from component.errors import UserError

    found = []
    for text in texts:
        try:
            condition = json.loads(text)
        except ValueError:
            condition = None
        if not isinstance(condition, dict):
            raise UserError(
                "dataset.scope", f"{text!r} is no object of partition keys", remedy='Give --scope as {"month": 2}.'
            )
        found.append(condition)
    return found


def compact(
    dataset: Address,
    target_mb: Annotated[int, typer.Option(metavar="MB", help="Write files of about this size.", min=1)] = (
        naming.COMPACT_BYTES // naming.MIB
    ),
    sort_by: Annotated[str, typer.Option(metavar="A,B", help="Sort the rows of new files.", show_default=False)] = "",
    master: Master = MASTER,
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.compact(target_bytes=target_mb * naming.MIB, sort_by=names_in(sort_by))

    nothing = "no partition has several small files"
    change(dataset, output, "small files are put together", make, master=master, nothing=nothing)
