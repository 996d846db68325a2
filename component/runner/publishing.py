"""The end of a run: headers, archives, outputs and state become visible, all of them or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from component.dataset.commits.commit import Prepared, publish
from component.dataset.commits.rollback import rollback
from component.errors import CommitUnknownError, RetryError, TablemillError
from component.outputs.stage import Stage
from component.runner.datasets import PreparedDataset
from component.runner.home import Home, pack_datasets
from component.runner.interrupts import ignore_interrupts
from component.store.base import Store


class Published(Protocol):
    """Something of a run that becomes visible outside of out/ and of the store."""

    def publish(self) -> None:
        """Make it visible."""


def publish_run(
    home: Home, datasets: Sequence[PreparedDataset], stage: Stage, others: Sequence[Published] = ()
) -> None:
    """Put the headers and move what is staged to its place; when a step fails, what was published goes back.

    Archives are packed first, since their store is out of sight. After that the run cannot be interrupted any more:
    what is left are renames. CommitUnknownError when a header could not be put back.
    """
    headers = _Headers(home.store)
    try:
        if home.archives:
            headers.put(datasets)
            pack_datasets(home, headers.prepared, stage)
        ignore_interrupts()
        if not home.archives:
            headers.put(datasets)
        for other in others:
            other.publish()
        stage.publish()
    except BaseException as error:
        headers.roll_back()
        if isinstance(error, CommitUnknownError):
            raise RetryError("store.failed", error.text, remedy="Nothing was changed; run again.") from error
        raise


@dataclass(slots=True)
class _Headers:
    """The headers of a run: put one after the other, and taken back together."""

    store: Store
    prepared: list[Prepared] = field(default_factory=list)

    def put(self, datasets: Iterable[PreparedDataset]) -> None:
        """Put the headers of all datasets; errors as `publish`."""
        for one in datasets:
            self.prepared.append(one.prepared)
            publish(self.store, one.prepared)

    def roll_back(self) -> None:
        """Put the headers back that are ours; that also settles what became of one that the store was not sure of."""
        for prepared in reversed(self.prepared):
            try:
                rollback(self.store, prepared)
            except TablemillError as error:
                raise CommitUnknownError(
                    "commit.unknown",
                    f"The dataset {prepared.header.uuid!r} may have been changed: {error.text}",
                    remedy="`tablemill dataset history` says whether the commit is there; run again if it is not.",
                ) from error
