"""The header that a commit puts: the files that stay and those that come, and what the extras say of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from component import clock
from component.dataset.commits.fit import joined_attributes
from component.dataset.commits.tables import table_of_key
from component.dataset.files.write import Written
from component.dataset.format.facts import FACTS
from component.dataset.format.header import EXTRAS, Header
from component.dataset.format.history import stamped
from component.dataset.format.layout import OtherTable, describe_columns


@dataclass(frozen=True, slots=True)
class NextState:
    """What a header is made of: `partitions` of the base that stay, files that come, and their indices.

    `tables` are all tables, the first one first. Of the base's metadata all but `unset` stays, under what `metadata`
    gives; what is known of its columns stays with its rows (`appends`). `facts` is what the extras say of facts.
    `succeeds` is the commit before, where there is no base to name it.
    """

    base: Header | None
    appends: bool
    partitions: Mapping[str, Mapping[str, str]]
    tables: tuple[OtherTable, ...]
    written: Sequence[Written]
    indices: Mapping[str, str]
    metadata: Mapping[str, Any]
    unset: Collection[str]
    facts: Mapping[str, Any]
    succeeds: str | None = None


def next_header(state: NextState, operation: str) -> Header:
    """Return the header of a commit, stamped as a new state onto its base."""
    first = state.tables[0].layout
    header = Header(
        uuid=first.uuid,
        partitions={**state.partitions, **_partitions(state)},
        partition_keys=first.partition_on,
        indices=dict(state.indices),
        metadata=_metadata(state),
    )
    return stamped(header, state.base, operation, succeeds=state.succeeds)


def _partitions(state: NextState) -> dict[str, dict[str, str]]:
    """Return the files that come, by label and table; the first table comes first in every partition."""
    fresh: dict[str, dict[str, str]] = {}
    for table in (one.layout.table for one in state.tables):
        for part in state.written:
            for file in part.files:
                if table_of_key(file.key) == table:
                    fresh.setdefault(file.label, {})[table] = file.key
    return fresh


def _metadata(state: NextState) -> dict[str, Any]:
    """Keep what is there, add what the user gives; the creation time stays that of the first write."""
    old, (first, *others) = state.base, state.tables
    before = {key: value for key, value in old.metadata.items() if key not in state.unset} if old else {}
    created = before.get("creation_time", clock.utc_now().isoformat())
    kept = old if state.appends else None
    extras = {"table": first.layout.table, **_description(first, kept), FACTS: state.facts}
    if first.layout.compatibility != "plateau":
        extras["compatibility"] = first.layout.compatibility
    if others:
        extras["tables"] = {other.layout.table: _description(other, kept) for other in others}
    return {**before, **state.metadata, "creation_time": created, EXTRAS: extras}


def _description(table: OtherTable, kept: Header | None) -> dict[str, Any]:
    """Return what the extras say of one table; `kept`: the header whose rows stay."""
    description = {"columns": describe_columns(table.layout.schema), "primary_key": list(table.primary_key)}
    attributes = joined_attributes(table.layout, kept)
    return {**description, "attributes": attributes} if attributes else description
