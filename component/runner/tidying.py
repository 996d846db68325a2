"""After the commit: what the run needed until then goes, and what nobody needs any more where that is configured."""

from __future__ import annotations

from collections.abc import Sequence

from component.dataset.changes.settling import tidy
from component.dataset.commits.garbage import Retention, collect, find_garbage
from component.errors import TablemillError
from component.runner.home import Home
from component.runner.milling import MilledDataset
from component.store.base import Store


def tidy_up(home: Home, milled: Sequence[MilledDataset]) -> tuple[str, ...]:
    """Tidy up after all datasets; the run is done, so what fails is a warning.

    An archive holds only what the live state names, so there is nothing to collect.
    """
    warnings = []
    for one in milled:
        tidy(home.store, one.settled)
        if one.plan.keep is not None and not home.archives:
            warnings += _collect(home.store, one.plan.uuid, one.plan.keep)
    return tuple(warnings)


def _collect(store: Store, uuid: str, keep: Retention) -> list[str]:
    """Delete what is older than the least age of a collection, and named by no state that is kept."""
    try:
        collect(store, find_garbage(store, uuid, retention=keep))
    except TablemillError as error:
        return [f"The garbage of the dataset {uuid!r} was not collected, the next run tries again: {error}"]
    return []
