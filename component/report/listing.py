"""What `tablemill dataset ls` says of each dataset of a store: one header is read for each, and facts of few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from component.dataset.format.facts import sums_of
from component.dataset.format.header import read_header
from component.dataset.format.history import commit_of
from component.errors import UserError
from component.report.sums import describe_sums, sums_text
from component.store.base import Store


def describe_datasets(store: Store, uuids: Iterable[str]) -> list[dict[str, Any]]:
    """Return uuid, files, rows and bytes of datasets; of one whose header cannot be read, why."""
    return [{"uuid": uuid, **_described(store, uuid)} for uuid in uuids]


def _described(store: Store, uuid: str) -> dict[str, Any]:
    try:
        stored = read_header(store, uuid)
    except UserError as error:
        return {"error": error.text}
    if stored is None:
        return {"error": "It has been deleted meanwhile"}
    header = stored.header
    sums = sums_of(store, header, foreign=commit_of(header).foreign)
    return {"files": len(header.partitions) if header.explicit else None, **describe_sums(sums)}


def listing_lines(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a listing for people."""
    width = max((len(one["uuid"]) for one in found), default=0)
    return [f"{one['uuid']:<{width}}  {one.get('error') or sums_text(one)}" for one in found]
