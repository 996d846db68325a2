"""Tablemill for Python: Kartothek datasets opened, asked, written and changed (docs/python.md).

    import tablemill

    flights = tablemill.create("file:///data/store/flights", rows, partition_on=["month"], primary_key=["id"])
    flights.append(more)
    tablemill.open("file:///data/store/flights").read(predicates=[[("month", "==", 2)]])

Rows are anything with the Arrow C stream interface (pyarrow, pandas, polars, duckdb), or an iterable of such. Nothing
starts Spark but `convert`, and what is given `spark=`.
"""

from component import __version__
from component.dataset.changes.writing import FileLayout
from component.dataset.commits.difference import Difference
from component.dataset.commits.garbage import Garbage
from component.dataset.format.facts import Sums
from component.dataset.format.history import Commit
from component.dataset.reading.dispatch import Group
from component.dataset.reading.statistics import ColumnStatistics, PartitionStatistics, Statistics
from component.dataset.verification.faults import Fault, Verdict
from component.errors import (
    BugError,
    CommitRefusedError,
    CommitUnknownError,
    RetryError,
    TablemillError,
    UserError,
)
from tablemill.conversion import convert
from tablemill.cube import Cube, open_cube
from tablemill.cube import list_cubes as cubes
from tablemill.dataset import Dataset, Verified
from tablemill.entry import create, datasets, open, repair  # noqa: A004 - `tablemill.open` is what one calls it

__all__ = [
    "BugError",
    "ColumnStatistics",
    "Commit",
    "CommitRefusedError",
    "CommitUnknownError",
    "Cube",
    "Dataset",
    "Difference",
    "Fault",
    "FileLayout",
    "Garbage",
    "Group",
    "PartitionStatistics",
    "RetryError",
    "Statistics",
    "Sums",
    "TablemillError",
    "UserError",
    "Verdict",
    "Verified",
    "__version__",
    "convert",
    "create",
    "cubes",
    "datasets",
    "open",
    "open_cube",
    "repair",
]
