"""Tablemill for Python: Kartothek datasets opened, asked, written and changed (docs/python.md).

    import tablemill

    flights = tablemill.create("file:///data/store/flights", rows, partition_on=["month"], primary_key=["id"])
    flights.append(more)
    tablemill.open("file:///data/store/flights").read(predicates=[[("month", "==", 2)]])

Rows are anything with the Arrow C stream interface (pyarrow, pandas, polars, duckdb), or an iterable of such. Nothing
starts Spark but `convert`, and what is given `spark=`. The commands of `tablemill dataset` call what is here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from component import __version__
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
from tablemill.entry import Listing, create, datasets, listing, open, repair  # noqa: A004 - `tablemill.open` is what one calls it

if TYPE_CHECKING:
    from component.dataset.changes.writing import FileLayout
    from component.dataset.commits.difference import Difference
    from component.dataset.commits.garbage import Garbage
    from component.dataset.format.facts import Sums
    from component.dataset.format.history import Commit
    from component.dataset.reading.dispatch import Group
    from component.dataset.reading.listing import Listed
    from component.dataset.reading.statistics import ColumnStatistics, PartitionStatistics, Statistics
    from component.dataset.verification.faults import Fault, Verdict

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
    "Listed",
    "Listing",
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
    "listing",
    "open",
    "open_cube",
    "repair",
]

_LOADED_WHEN_NAMED: Final = {
    "ColumnStatistics": "component.dataset.reading.statistics",
    "Commit": "component.dataset.format.history",
    "Difference": "component.dataset.commits.difference",
    "Fault": "component.dataset.verification.faults",
    "FileLayout": "component.dataset.changes.writing",
    "Garbage": "component.dataset.commits.garbage",
    "Group": "component.dataset.reading.dispatch",
    "Listed": "component.dataset.reading.listing",
    "PartitionStatistics": "component.dataset.reading.statistics",
    "Statistics": "component.dataset.reading.statistics",
    "Sums": "component.dataset.format.facts",
    "Verdict": "component.dataset.verification.faults",
}
"""Values that operations take or return, with the module that each is in: a command loads only those of its own."""


def __getattr__(name: str) -> Any:
    """Return what is loaded only when it is named (PEP 562)."""
    if name not in _LOADED_WHEN_NAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LOADED_WHEN_NAMED[name]), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *_LOADED_WHEN_NAMED]
