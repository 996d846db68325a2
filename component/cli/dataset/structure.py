"""`tablemill dataset`: columns, secondary indices and metadata, each change one commit."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from component.cli.dataset.options import Columns, Dataset, Format, Master, OfTable, change, names_in, place

if TYPE_CHECKING:
    from component.dataset.commits.commit import Prepared
    from component.dataset.format.address import Address

Name = Annotated[str, typer.Argument(metavar="COLUMN", help="The column.")]
Type = Annotated[
    str,
    typer.Argument(metavar="TYPE", help="string, integer, numeric, numeric(12,2), float, boolean, date or timestamp."),
]


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


def build_index(dataset: Dataset, columns: Columns, output: Format = "text") -> None:
    """Build secondary indices from the data, or build them again."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.operations import build_indices  # noqa: PLC0415
        from component.dataset.commits.fit import index_doubts  # noqa: PLC0415

        done = build_indices(address.store, address.uuid, names_in(columns))
        for doubt in index_doubts(done.plan.layouts) if done is not None else ():
            sys.stderr.write(f"warning: {doubt}\n")
        return done

    change(dataset, output, f"indexed on {columns}", make)


def drop_index(dataset: Dataset, columns: Columns, output: Format = "text") -> None:
    """Drop secondary indices."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.operations import drop_indices  # noqa: PLC0415

        return drop_indices(address.store, address.uuid, names_in(columns))

    change(dataset, output, f"no longer indexed on {columns}", make)


def set_keys(
    dataset: Dataset,
    values: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE...", help="The value in JSON, or bare text.")
    ] = None,
    unset: Annotated[list[str] | None, typer.Option(metavar="KEY", help="Take a key away.", show_default=False)] = None,
    output: Format = "text",
) -> None:
    """Set and unset keys of the metadata."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.operations import set_metadata  # noqa: PLC0415

        return set_metadata(address.store, address.uuid, dict(map(_pair, values or ())), tuple(unset or ()))

    change(dataset, output, "metadata are set", make, "the metadata are so already")


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        from component.errors import UserError  # noqa: PLC0415

        raise UserError(
            "config.value", f"{text!r} is no KEY=VALUE", remedy="Write the key, an equals sign and the value."
        )
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
