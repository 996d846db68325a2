"""`tablemill dataset`: look at a store and its datasets, and ask them questions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from component.cli.boundary import fail
from component.cli.dataset.options import AsOf, Dataset, Format, Table, Where, answer, moment
from component.report.messages.lines import LineHandler
from component.report.messages.log import Log

if TYPE_CHECKING:
    pass


def ls(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store's URL.")], output: Format = "text"
) -> None:
    """List the datasets of a store with their rows and bytes."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import dataset_uuids, open_existing  # noqa: PLC0415 - loaded only by what needs it
        from component.dataset.reading.cube import cubes  # noqa: PLC0415
        from component.report.results.datasets import cube_lines, describe_datasets, listing_lines  # noqa: PLC0415

        opened = open_existing(store)
        uuids = dataset_uuids(opened)
        joined = cubes(opened, uuids)
        found = describe_datasets(opened, uuids, joined)
        return found, [*listing_lines(found), *cube_lines(joined)]

    answer(work, output)


def show(dataset: Dataset, table: Table = None, as_of: AsOf = None, output: Format = "text") -> None:
    """Show columns, keys, indices, size and metadata of a dataset."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.dataset.format.facts import sums_of  # noqa: PLC0415
        from component.dataset.format.history import commit_of  # noqa: PLC0415
        from component.dataset.reading.reader import open_dataset  # noqa: PLC0415
        from component.report.results.datasets import dataset_lines, describe_dataset  # noqa: PLC0415

        address = open_address(dataset)
        opened = open_dataset(address.store, address.uuid, table=table, as_of=moment(as_of))
        commit = commit_of(opened.header)
        found = describe_dataset(opened, commit, sums_of(address.store, opened.header, foreign=commit.foreign))
        return found, dataset_lines(found)

    answer(work, output)


def stats(
    dataset: Dataset,
    as_of: AsOf = None,
    fast: Annotated[bool, typer.Option("--fast", help="Read no footers: rows and bytes only, no columns.")] = False,
    output: Format = "text",
) -> None:
    """Show rows, files and bytes of each partition, and nulls, smallest and largest value of each column."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.dataset.reading.reader import open_dataset  # noqa: PLC0415
        from component.dataset.reading.statistics import statistics  # noqa: PLC0415
        from component.report.results.datasets import describe_statistics, statistics_lines  # noqa: PLC0415

        address = open_address(dataset)
        opened = open_dataset(address.store, address.uuid, as_of=moment(as_of))
        found = describe_statistics(statistics(opened, columns=not fast), opened.schema)
        return found, statistics_lines(found)

    answer(work, output)


def history(dataset: Dataset, output: Format = "text") -> None:
    """List the states of a dataset that can still be read, the live one first."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.dataset.format.facts import sums_of  # noqa: PLC0415
        from component.dataset.format.history import history as states  # noqa: PLC0415
        from component.report.results.datasets import (  # noqa: PLC0415
            describe_commit,
            describe_sums,
            history_lines,
        )

        address = open_address(dataset)
        found = [
            {**describe_commit(commit), **describe_sums(sums_of(address.store, commit.header, foreign=commit.foreign))}
            for commit in states(address.store, address.uuid)
        ]
        return found, history_lines(found)

    answer(work, output)


def diff(
    dataset: Dataset,
    before: Annotated[
        str, typer.Argument(metavar="FROM", help="A commit, a time, or HEAD~2: the second state before the live one.")
    ] = "HEAD~1",
    after: Annotated[str, typer.Argument(metavar="TO", help="The same, for the later state.")] = "HEAD",
    output: Format = "text",
) -> None:
    """Show what lies between two states: rows, files, partitions, indices, columns, metadata. No data is read."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.commits.difference import diff as compare  # noqa: PLC0415
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.report.results.differences import describe_difference, difference_lines  # noqa: PLC0415

        address = open_address(dataset)
        found = compare(address.store, address.uuid, moment(before) or "HEAD~1", moment(after) or "HEAD")
        return describe_difference(found), difference_lines(found)

    answer(work, output)


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
    from component.cli.dataset.answers import Question, answer_question  # noqa: PLC0415

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
