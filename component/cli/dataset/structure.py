"""`tablemill dataset`: columns, secondary indices and metadata, each change one commit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from component.cli.dataset.options import MASTER, Address, Columns, Format, Master, OfTable, change, names_in

if TYPE_CHECKING:
    from tablemill import Commit, Dataset

Name = Annotated[str, typer.Argument(metavar="COLUMN", help="The column.")]
Type = Annotated[
    str,
    typer.Argument(metavar="TYPE", help="string, integer, numeric, numeric(12,2), float, boolean, date or timestamp."),
]


def add_column(
    dataset: Address,
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
    master: Master = MASTER,
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.add_column(column, type_, value, schema_only=schema_only)

    change(dataset, output, f"{column} is added", make, table=table, master=master)


def widen(
    dataset: Address,
    column: Name,
    type_: Type,
    table: OfTable = None,
    master: Master = MASTER,
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.widen(column, type_)

    what, nothing = f"{column} is {type_} now", "the column has that type already"
    change(dataset, output, what, make, table=table, master=master, nothing=nothing)


def rename_column(
    dataset: Address,
    column: Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
    table: OfTable = None,
    master: Master = MASTER,
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.rename_column(column, new_name)

    what, nothing = f"{column} is {new_name} now", "that is its name"
    change(dataset, output, what, make, table=table, master=master, nothing=nothing)


def drop_column(
    dataset: Address,
    column: Name,
    table: OfTable = None,
    master: Master = MASTER,
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.drop_column(column)

    change(dataset, output, f"{column} is dropped", make, table=table, master=master)


def build_index(dataset: Address, columns: Columns, output: Format = "text") -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.build_index(*names_in(columns))

    change(dataset, output, f"indexed on {columns}", make)


def drop_index(dataset: Address, columns: Columns, output: Format = "text") -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.drop_index(*names_in(columns))

    change(dataset, output, f"no longer indexed on {columns}", make)


def set_metadata(
    dataset: Address,
    values: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE...", help="The value in JSON, or bare text.")
    ] = None,
    unset: Annotated[list[str] | None, typer.Option(metavar="KEY", help="Take a key away.", show_default=False)] = None,
    output: Format = "text",
) -> None:
    def make(opened: Dataset) -> Commit | None:
        return opened.set_metadata(dict(map(_pair, values or ())), tuple(unset or ()))

    change(dataset, output, "metadata are set", make, nothing="the metadata are so already")


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        from component.errors import UserError

        raise UserError(
            "config.value", f"{text!r} is no KEY=VALUE", remedy="Write the key, an equals sign and the value."
        )
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
