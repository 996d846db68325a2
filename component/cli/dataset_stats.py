"""`tablemill dataset stats`: a dataset in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from component.cli.dataset import AsOf, Dataset, Format, answer, moment
from component.cli.dataset_columns import app

__all__ = ["app"]


@app.command(epilog="Example: tablemill dataset stats file:///data/store/flights")
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
        from component.report.statistics import describe_statistics, statistics_lines  # noqa: PLC0415

        address = open_address(dataset)
        opened = open_dataset(address.store, address.uuid, as_of=moment(as_of))
        found = describe_statistics(statistics(opened, columns=not fast))
        return found, statistics_lines(found)

    answer(work, output)
