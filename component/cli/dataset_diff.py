"""`tablemill dataset diff`: what lies between two states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from component.cli.dataset import Dataset, Format, answer, moment
from component.cli.dataset_rows import app

__all__ = ["app"]


@app.command(epilog="Example: tablemill dataset diff file:///data/store/flights HEAD~3 HEAD")
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
        from component.report.differences import describe_difference, difference_lines  # noqa: PLC0415

        address = open_address(dataset)
        found = compare(address.store, address.uuid, moment(before) or "HEAD~1", moment(after) or "HEAD")
        return describe_difference(found), difference_lines(found)

    answer(work, output)
