"""What the commands of `tablemill dataset` have in common: their arguments and options, and how they answer."""

from __future__ import annotations

import datetime as dt
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from component.cli.boundary import fail
from component.cli.printing import folded
from component.report.messages.lines import LineHandler
from component.report.messages.log import Log

if TYPE_CHECKING:
    from component.dataset.changes.execution import Executor
    from component.dataset.commits.commit import Prepared
    from component.dataset.format.address import Address

Format = Annotated[Literal["text", "json"], typer.Option("--format", help="How the answer is printed.")]
Dataset = Annotated[str, typer.Argument(metavar="STORE/UUID", help="The store's URL, a slash, the dataset's uuid.")]
AsOf = Annotated[
    str | None,
    typer.Option(metavar="COMMIT|TIME", help="The state of a commit, or of a time (ISO 8601).", show_default=False),
]
Table = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="One table of a dataset that has several; else the first.", show_default=False),
]
OfTable = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="Of a dataset of several tables, the one meant.", show_default=False),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'COLUMN OP VALUE'",
        help="A condition, its value in JSON: 'month in [1, 2]'. Given several times, all must hold.",
        show_default=False,
    ),
]
Columns = Annotated[str, typer.Option("--columns", metavar="A,B", help="The columns.")]

Master = Annotated[
    str,
    typer.Option(
        metavar="URL",
        help="The Spark that takes over where much is written again; none: this process only.",
    ),
]


def answer(work: Callable[[], tuple[Any, Sequence[str]]], output: str) -> None:
    """Print what `work` returns, a JSON value and lines for people; an error is one sentence on stderr."""
    try:
        value, lines = work()
        sys.stdout.write(
            json.dumps(value, indent=2) + "\n" if output == "json" else "".join(f"{x}\n" for x in folded(lines))
        )
    except Exception as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        raise typer.Exit(fail(error, Log(LineHandler(sys.stderr)))) from None


def change(
    dataset: str,
    output: str,
    what: str,
    make: Callable[[Address], Prepared | None],
    nothing: str = "nothing to do",
    *,
    deletes: bool = False,
) -> None:
    """Carry out an operation and say what the dataset is then; of one that `deletes`, also how many rows went."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.report.words.amounts import counted  # noqa: PLC0415

        address = open_address(dataset)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", UserWarning)
            done = make(address)
        for one in said:
            typer.echo(f"warning: {one.message}", err=True)
        if done is None:
            return {"uuid": address.uuid, "changed": False}, [f"{address.uuid}: {nothing}"]
        header = done.header
        files = counted(len(header.partitions), "file")
        gone: dict[str, int] = {}
        if deletes and done.plan.base is not None:
            from component.dataset.reading.statistics import rows_fewer  # noqa: PLC0415

            gone = {"rows_deleted": rows_fewer(address.store, done.plan.base.header, header)}
        said_gone = "".join(f" ({counted(rows, 'row')})" for rows in gone.values())
        found = {
            "uuid": address.uuid,
            "changed": True,
            "commit": header.extras.get("commit"),
            "files": len(header.partitions),
            "secondary_indices": sorted(header.indices),
            **gone,
        }
        return found, [f"{address.uuid}: {what}{said_gone}; {files}, commit {found['commit']}"]

    answer(work, output)


def moment(as_of: str | None) -> str | dt.datetime | None:
    """Return which state an option means; UserError `dataset.history`."""
    from component.dataset.format.history import named_state  # noqa: PLC0415 - loaded only by what needs it

    return None if as_of is None else named_state(as_of)


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def place(master: str) -> AbstractContextManager[Executor]:
    """Return what runs the tasks: this process, and Spark where there is much to do."""
    from component.dataset.changes.execution import HERE, WhenLarge  # noqa: PLC0415

    def start() -> AbstractContextManager[Executor]:
        from component.spark.executor import start_spark  # noqa: PLC0415 - loaded only when it is needed

        return start_spark(master)

    return nullcontext(HERE) if master == "none" else WhenLarge(start)
