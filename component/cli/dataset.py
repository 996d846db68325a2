"""`tablemill dataset`: what a store holds, its history, questions to a dataset, and what nobody needs any more."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from component.cli.boundary import fail
from component.cli.printing import folded
from component.report.lines import LineHandler
from component.report.log import Log

app = typer.Typer(name="dataset", help="Look at datasets, ask them questions, clean them up.", no_args_is_help=True)

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

Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'COLUMN OP VALUE'",
        help="A condition, its value in JSON: 'month in [1, 2]'. Given several times, all must hold.",
        show_default=False,
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


def moment(as_of: str | None) -> str | dt.datetime | None:
    """Return which state an option means; UserError `dataset.history`."""
    from component.dataset.format.history import named_state  # noqa: PLC0415 - loaded only by what needs it

    return None if as_of is None else named_state(as_of)


@app.command(epilog="Example: tablemill dataset ls file:///data/store")
def ls(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store's URL.")], output: Format = "text"
) -> None:
    """List the datasets of a store with their rows and bytes."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import dataset_uuids, open_existing  # noqa: PLC0415 - loaded only by what needs it
        from component.dataset.reading.cube import cubes  # noqa: PLC0415
        from component.report.listing import cube_lines, describe_datasets, listing_lines  # noqa: PLC0415

        opened = open_existing(store)
        uuids = dataset_uuids(opened)
        joined = cubes(opened, uuids)
        found = describe_datasets(opened, uuids, joined)
        return found, [*listing_lines(found), *cube_lines(joined)]

    answer(work, output)


@app.command(epilog="Example: tablemill dataset show file:///data/store/flights")
def show(dataset: Dataset, table: Table = None, as_of: AsOf = None, output: Format = "text") -> None:
    """Show columns, keys, indices, size and metadata of a dataset."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.dataset.format.facts import sums_of  # noqa: PLC0415
        from component.dataset.format.history import commit_of  # noqa: PLC0415
        from component.dataset.reading.reader import open_dataset  # noqa: PLC0415
        from component.report.datasets import dataset_lines, describe_dataset  # noqa: PLC0415

        address = open_address(dataset)
        opened = open_dataset(address.store, address.uuid, table=table, as_of=moment(as_of))
        commit = commit_of(opened.header)
        found = describe_dataset(opened, commit, sums_of(address.store, opened.header, foreign=commit.foreign))
        return found, dataset_lines(found)

    answer(work, output)


@app.command(epilog="Example: tablemill dataset history file:///data/store/flights")
def history(dataset: Dataset, output: Format = "text") -> None:
    """List the states of a dataset that can still be read, the live one first."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.dataset.format.facts import sums_of  # noqa: PLC0415
        from component.dataset.format.history import history as states  # noqa: PLC0415
        from component.report.datasets import describe_commit, history_lines  # noqa: PLC0415
        from component.report.sums import describe_sums  # noqa: PLC0415

        address = open_address(dataset)
        found = [
            {**describe_commit(commit), **describe_sums(sums_of(address.store, commit.header, foreign=commit.foreign))}
            for commit in states(address.store, address.uuid)
        ]
        return found, history_lines(found)

    answer(work, output)


@app.command(epilog="Example: tablemill dataset gc file:///data/store/flights --keep-commits 3 --delete")
def gc(
    dataset: Dataset,
    delete: Annotated[bool, typer.Option("--delete", help="Delete it; else it is only listed.")] = False,
    min_age: Annotated[
        float,
        typer.Option(
            metavar="HOURS", help="Younger objects stay: they may belong to a writer that has not committed yet.", min=0
        ),
    ] = 24,
    keep_commits: Annotated[int, typer.Option(metavar="N", help="So many states stay readable.", min=1)] = 10,
    keep_days: Annotated[
        float, typer.Option(metavar="DAYS", help="So do all that were live within so many days.", min=0)
    ] = 7,
    output: Format = "text",
) -> None:
    """Find what nobody needs any more: files of older states, and what failed runs left behind."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.commits.garbage import Retention, check_there, collect, find_garbage  # noqa: PLC0415
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.report.datasets import describe_garbage, garbage_lines  # noqa: PLC0415

        address = open_address(dataset)
        check_there(address.store, address.uuid)
        retention = Retention(keep_commits, dt.timedelta(days=keep_days))
        found = find_garbage(address.store, address.uuid, min_age=dt.timedelta(hours=min_age), retention=retention)
        if delete:
            collect(address.store, found)
        described = describe_garbage(found, deleted=delete)
        return described, garbage_lines(described)

    answer(work, output)


@app.command(epilog="Example: tablemill dataset delete file:///data/store/flights --yes")
def delete(
    dataset: Dataset,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    output: Format = "text",
) -> None:
    """Delete a dataset with its history; readers see it whole or gone."""
    if not yes:
        typer.confirm(f"Delete {dataset} with its history?", abort=True, err=True)

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.commits.garbage import delete_dataset  # noqa: PLC0415
        from component.dataset.format.address import open_address  # noqa: PLC0415

        address = open_address(dataset)
        count = delete_dataset(address.store, address.uuid)
        return {"uuid": address.uuid, "objects": count}, [f"{address.uuid} is deleted: {count} objects"]

    answer(work, output)


@app.command(
    epilog="Example: tablemill dataset query file:///data/store/flights --where 'origin == \"EWR\"' --limit 10"
)
def query(
    dataset: Dataset,
    where: Where = None,
    predicates: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="Predicates in disjunctive normal form: [[[column, op, value], …AND], …OR].",
            show_default=False,
        ),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B", help="Only these columns, in this order.", show_default=False)
    ] = None,
    table: Table = None,
    datasets: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Of a cube: join only these of its datasets to the seed.", show_default=False),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="At most so many rows.", min=0, show_default=False)
    ] = None,
    as_of: AsOf = None,
    write_to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="Write a .csv, .parquet or .arrow file.", show_default=False),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what would be read, and what was pruned by what.")
    ] = False,
    output: Annotated[Literal["text", "csv", "json"], typer.Option("--format", help="How rows are printed.")] = "text",
) -> None:
    """Ask a dataset for rows, or a cube of kartothek (STORE/PREFIX++), whose datasets are joined on its dimensions."""
    from component.cli.dataset_query import Question, answer_question  # noqa: PLC0415

    question = Question(
        dataset,
        tuple(where or ()),
        predicates,
        columns,
        table,
        limit,
        moment(as_of),
        write_to,
        explain,
        output,
        datasets,
    )
    try:
        answer_question(question, sys.stdout)
    except Exception as error:  # noqa: BLE001 - the boundary: everything becomes an exit code and one sentence
        raise typer.Exit(fail(error, Log(LineHandler(sys.stderr)))) from None
