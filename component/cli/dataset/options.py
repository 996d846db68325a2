"""What the commands of `tablemill dataset` have in common: their arguments and options, and how they answer.

A command translates its words into one call of `tablemill` and prints what that returns. `tablemill`, and what prints,
are loaded when a command runs.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from component.cli.boundary import fail
from component.cli.printing import folded
from component.report.messages.lines import LineHandler
from component.report.messages.log import Log

if TYPE_CHECKING:
    from tablemill import Commit, Dataset

Format = Annotated[Literal["text", "json"], typer.Option("--format", help="How the answer is printed.")]
Address = Annotated[str, typer.Argument(metavar="STORE/UUID", help="The store's URL, a slash, the dataset's uuid.")]
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
Predicates = Annotated[
    str | None,
    typer.Option(
        metavar="JSON",
        help="Predicates in disjunctive normal form: [[[column, op, value], …AND], …OR].",
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
MASTER = "local[*]"


@contextmanager
def guarded() -> Iterator[None]:
    """Turn an error into one sentence on stderr and an exit code."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        raise typer.Exit(fail(error, Log(LineHandler(sys.stderr)))) from None


def answer(work: Callable[[], tuple[Any, Sequence[str]]], output: str) -> None:
    """Print what `work` returns, a JSON value and lines for people; an error is one sentence on stderr."""
    with guarded():
        value, lines = work()
        sys.stdout.write(
            json.dumps(value, indent=2) + "\n" if output == "json" else "".join(f"{x}\n" for x in folded(lines))
        )


def change(
    address: str,
    output: str,
    what: str,
    make: Callable[[Dataset], Commit | None],
    *,
    table: str | None = None,
    master: str = "none",
    nothing: str = "nothing to do",
    deletes: bool = False,
) -> None:
    """Carry out an operation and say what the dataset is then; of one that `deletes`, also how many rows went."""

    def work() -> tuple[Any, Sequence[str]]:
        import tablemill
        from component.report.words.amounts import counted

        dataset = tablemill.Dataset(address, table=table, spark=None if master == "none" else master)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", UserWarning)
            done = make(dataset)
        for one in said:
            typer.echo(f"warning: {one.message}", err=True)
        if done is None:
            return {"uuid": dataset.uuid, "changed": False}, [f"{dataset.uuid}: {nothing}"]
        gone = {"rows_deleted": dataset.rows_deleted(done)} if deletes else {}
        found = {
            "uuid": dataset.uuid,
            "changed": True,
            "commit": done.id,
            "files": len(done.header.partitions),
            "secondary_indices": sorted(done.header.indices),
            **gone,
        }
        files = counted(len(done.header.partitions), "file")
        said_gone = "".join(f" ({counted(rows, 'row')})" for rows in gone.values())
        return found, [f"{dataset.uuid}: {what}{said_gone}; {files}, commit {done.id}"]

    answer(work, output)


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())
