"""`tablemill dataset`: look at a store and its datasets, and ask them questions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from component.cli.dataset.options import Address, AsOf, Format, Predicates, Table, Where, answer, guarded


def ls(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store's URL.")], output: Format = "text"
) -> None:
    def work() -> tuple[Any, Sequence[str]]:
        import tablemill
        from component.report.results.datasets import cube_lines, describe_datasets, listing_lines

        there = tablemill.listing(store)
        found = describe_datasets(there.datasets)
        return found, [*listing_lines(found), *cube_lines(there.cubes)]

    answer(work, output)


def show(dataset: Address, table: Table = None, as_of: AsOf = None, output: Format = "text") -> None:
    def work() -> tuple[Any, Sequence[str]]:
        import tablemill
        from component.report.results.datasets import dataset_lines

        found = tablemill.open(dataset, table=table, as_of=as_of).describe()
        return found, dataset_lines(found)

    answer(work, output)


def stats(
    dataset: Address,
    as_of: AsOf = None,
    fast: Annotated[bool, typer.Option("--fast", help="Read no footers: rows and bytes only, no columns.")] = False,
    output: Format = "text",
) -> None:
    def work() -> tuple[Any, Sequence[str]]:
        import tablemill
        from component.report.results.datasets import describe_statistics, statistics_lines

        asked = tablemill.open(dataset, as_of=as_of)
        found = describe_statistics(asked.stats(columns=not fast), asked.schema)
        return found, statistics_lines(found)

    answer(work, output)


def history(dataset: Address, output: Format = "text") -> None:
    def work() -> tuple[Any, Sequence[str]]:
        import tablemill
        from component.report.results.datasets import describe_commit, describe_sums, history_lines

        asked = tablemill.Dataset(dataset)
        found = [{**describe_commit(commit), **describe_sums(asked.sums(commit))} for commit in asked.history()]
        return found, history_lines(found)

    answer(work, output)


def diff(
    dataset: Address,
    before: Annotated[
        str, typer.Argument(metavar="FROM", help="A commit, a time, or HEAD~2: the second state before the live one.")
    ] = "HEAD~1",
    after: Annotated[str, typer.Argument(metavar="TO", help="The same, for the later state.")] = "HEAD",
    output: Format = "text",
) -> None:
    def work() -> tuple[Any, Sequence[str]]:
        import tablemill
        from component.report.results.differences import describe_difference, difference_lines

        found = tablemill.Dataset(dataset).diff(before, after)
        return describe_difference(found), difference_lines(found)

    answer(work, output)


def query(
    dataset: Address,
    where: Where = None,
    predicates: Predicates = None,
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
    """Read a cube of kartothek (STORE/PREFIX++) as one table, its datasets joined on its dimensions."""
    from component.cli.dataset.answers import Question, answer_question

    question = Question(
        dataset, tuple(where or ()), predicates, columns, table, limit, as_of, write_to, explain, output, datasets
    )
    with guarded():
        answer_question(question, sys.stdout)
