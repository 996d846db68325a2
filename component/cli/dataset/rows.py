"""`tablemill dataset`: operations on rows and files, each one commit; large ones go to Spark."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from component.cli.dataset.options import Dataset, Format, Master, OfTable, Where, change, names_in, place

if TYPE_CHECKING:
    from component.dataset.commits.commit import Prepared
    from component.dataset.format.address import Address

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


def by_key(
    operation: Callable[..., Prepared | None], file: Path, key: str, table: str | None, master: str
) -> Callable[[Address], Prepared | None]:
    """Return what carries out an operation with the rows of a file, told by their key."""

    def make(address: Address) -> Prepared | None:
        from component.cli.dataset.given_rows import rows_of  # noqa: PLC0415

        with place(master) as executor:
            rows = rows_of(file, address, table)
            return operation(address.store, address.uuid, rows, names_in(key), table=table, executor=executor)

    return make


def append(
    dataset: Dataset,
    file: File,
    table: OfTable = None,
    on_duplicate_key: OnDuplicateKey = "warn",
    output: Format = "text",
) -> None:
    """Add the rows of a file."""

    def make(address: Address) -> Prepared | None:
        from component.cli.dataset.given_rows import rows_of  # noqa: PLC0415
        from component.dataset.changes.arrow_rows import given_rows  # noqa: PLC0415
        from component.dataset.changes.writing import FileLayout, add_rows  # noqa: PLC0415
        from component.dataset.commits.intent import Intent  # noqa: PLC0415

        rows = given_rows(rows_of(file, address, table), address.uuid)
        intent = Intent("append", on_duplicate_key=on_duplicate_key)
        return add_rows(address.store, address.uuid, rows, intent, FileLayout(), table=table)

    change(dataset, output, "rows are added", make)


def overwrite(
    dataset: Dataset,
    file: File,
    table: OfTable = None,
    on_duplicate_key: OnDuplicateKey = "warn",
    output: Format = "text",
) -> None:
    """Put the rows of a file in the place of all that a dataset has, or one table of several."""

    def make(address: Address) -> Prepared | None:
        from component.cli.dataset.given_rows import rows_of  # noqa: PLC0415
        from component.dataset.changes.arrow_rows import given_rows  # noqa: PLC0415
        from component.dataset.changes.writing import overwrite_rows  # noqa: PLC0415

        rows = given_rows(rows_of(file, address, table), address.uuid)
        rule = on_duplicate_key
        return overwrite_rows(address.store, address.uuid, rows, table=table, on_duplicate_key=rule)

    change(dataset, output, "rows are overwritten", make)


def upsert(
    dataset: Dataset,
    file: File,
    key: Key = "",
    table: OfTable = None,
    master: Master = "local[*]",
    output: Format = "text",
) -> None:
    """Add the rows of a file, in place of those that have the same key."""
    from component.dataset.changes.upsert import upsert as write  # noqa: PLC0415

    make = by_key(write, file, key, table, master)
    change(dataset, output, "rows are replaced and added", make, "the file has no rows")


def delete_keys(
    dataset: Dataset,
    file: File,
    key: Key = "",
    table: OfTable = None,
    master: Master = "local[*]",
    output: Format = "text",
) -> None:
    """Delete the rows that have a key that is in a file."""
    from component.dataset.changes.upsert import delete_keys as delete  # noqa: PLC0415

    make = by_key(delete, file, key, table, master)
    change(dataset, output, "rows are deleted", make, "no row has such a key", deletes=True)


def delete_rows(
    dataset: Dataset,
    where: Where = None,
    predicates: Annotated[str | None, typer.Option(metavar="JSON", help="As for query.", show_default=False)] = None,
    table: OfTable = None,
    master: Master = "local[*]",
    output: Format = "text",
) -> None:
    """Delete the rows for which all conditions are true; rows where one is unknown, because of a null, stay."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.operations import delete_rows as delete  # noqa: PLC0415
        from component.dataset.reading.question import parse_question  # noqa: PLC0415

        asked = parse_question(where or (), predicates) or []
        with place(master) as executor:
            return delete(address.store, address.uuid, asked, table=table, executor=executor)

    change(dataset, output, "rows are deleted", make, "no row is like that", deletes=True)


def delete_partitions(dataset: Dataset, scope: Scope, output: Format = "text") -> None:
    """Delete whole partitions; their files are not read."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.operations import delete_partitions as delete  # noqa: PLC0415

        return delete(address.store, address.uuid, _scope(scope))

    change(dataset, output, "partitions are deleted", make, "there is no such partition", deletes=True)


def replace_partitions(
    dataset: Dataset,
    file: File,
    scope: Scope,
    table: OfTable = None,
    on_duplicate_key: OnDuplicateKey = "warn",
    output: Format = "text",
) -> None:
    """Delete whole partitions and add the rows of a file, in one commit."""

    def make(address: Address) -> Prepared | None:
        from component.cli.dataset.given_rows import rows_of  # noqa: PLC0415
        from component.dataset.changes.operations import replace_partitions as write  # noqa: PLC0415

        rows, rule = [rows_of(file, address, table)], on_duplicate_key
        return write(address.store, address.uuid, rows, _scope(scope), table=table, on_duplicate_key=rule)

    change(dataset, output, "partitions are replaced", make)


def _scope(texts: Sequence[str]) -> list[dict[str, Any]]:
    from component.errors import UserError  # noqa: PLC0415

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
    dataset: Dataset,
    target_mb: Annotated[int, typer.Option(metavar="MB", help="About so large may a new file be.", min=1)] = 128,
    sort_by: Annotated[str, typer.Option(metavar="A,B", help="Sort the rows of new files.", show_default=False)] = "",
    master: Master = "local[*]",
    output: Format = "text",
) -> None:
    """Write the small files of each partition again as few larger ones."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.operations import compact as write  # noqa: PLC0415

        with place(master) as executor:
            target, order = target_mb * 1024**2, names_in(sort_by)
            return write(address.store, address.uuid, target_bytes=target, sort_by=order, executor=executor)

    change(dataset, output, "small files are put together", make, "no partition has several small files")
