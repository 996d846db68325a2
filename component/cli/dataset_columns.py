"""`tablemill dataset`: columns added, widened, renamed and dropped, each one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from component.cli.dataset import Dataset, Format
from component.cli.dataset_changes import change
from component.cli.dataset_diff import app
from component.cli.dataset_rows import Master, OfTable, place

if TYPE_CHECKING:
    from component.dataset.commits.commit import Prepared
    from component.dataset.format.address import Address

__all__ = ["app"]

Name = Annotated[str, typer.Argument(metavar="COLUMN", help="The column.")]
Type = Annotated[
    str,
    typer.Argument(metavar="TYPE", help="string, integer, numeric, numeric(12,2), float, boolean, date or timestamp."),
]


@app.command("add-column", epilog="Example: tablemill dataset add-column file:///store/flights airline string")
def add_column(
    dataset: Dataset,
    column: Name,
    type_: Type,
    value: Annotated[
        str | None, typer.Option(metavar="VALUE", help="The value of every row; else null.", show_default=False)
    ] = None,
    schema_only: Annotated[
        bool,
        typer.Option("--schema-only", help="Write no data file: only where no other client reads the dataset."),
    ] = False,
    table: OfTable = None,
    master: Master = "local[*]",
    output: Format = "text",
) -> None:
    """Add a column at the end, null or with one value in every row."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.columns import add_column as add  # noqa: PLC0415

        given: dict[str, Any] = {"value": value, "schema_only": schema_only, "table": table}
        with place(master) as executor:
            return add(address.store, address.uuid, column, type_, executor=executor, **given)

    change(dataset, output, f"{column} is added", make)


@app.command(epilog="Example: tablemill dataset widen file:///data/store/flights distance 'numeric(12,2)'")
def widen(
    dataset: Dataset,
    column: Name,
    type_: Type,
    table: OfTable = None,
    master: Master = "local[*]",
    output: Format = "text",
) -> None:
    """Give a column a wider type; refused where a value could lose something."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.columns import widen_column  # noqa: PLC0415

        with place(master) as executor:
            return widen_column(address.store, address.uuid, column, type_, table=table, executor=executor)

    change(dataset, output, f"{column} is {type_} now", make, "the column has that type already")


@app.command("rename-column", epilog="Example: tablemill dataset rename-column file:///store/flights dep departure")
def rename_column(
    dataset: Dataset,
    column: Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
    table: OfTable = None,
    master: Master = "local[*]",
    output: Format = "text",
) -> None:
    """Give a column another name; partition keys, indices and the primary key follow."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.columns import rename_column as rename  # noqa: PLC0415

        with place(master) as executor:
            return rename(address.store, address.uuid, column, new_name, table=table, executor=executor)

    change(dataset, output, f"{column} is {new_name} now", make, "that is its name")


@app.command("drop-column", epilog="Example: tablemill dataset drop-column file:///data/store/flights tailnum")
def drop_column(
    dataset: Dataset,
    column: Name,
    table: OfTable = None,
    master: Master = "local[*]",
    output: Format = "text",
) -> None:
    """Drop a column and its index; older states keep it until a collection."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.columns import drop_column as drop  # noqa: PLC0415

        with place(master) as executor:
            return drop(address.store, address.uuid, column, table=table, executor=executor)

    change(dataset, output, f"{column} is dropped", make)
