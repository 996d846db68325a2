"""What `tablemill dataset diff` says: for machines as JSON values, for people as lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from component.dataset.commits.difference import Difference, FileChange
from component.dataset.format.layout import described_schema
from component.report.results.datasets import MOST_LISTED, commit_text, describe_commit, type_text, type_words
from component.report.words.amounts import counted, size_text


def describe_difference(found: Difference) -> dict[str, Any]:
    """Return the difference of two states; counts are None where a file that is gone had no facts."""
    before, after = found.partition_keys
    return {
        "uuid": found.after.header.uuid,
        "from": describe_commit(found.before),
        "to": describe_commit(found.after),
        "rows_added": found.rows_added,
        "rows_removed": found.rows_removed,
        "files_added": [asdict(one) for one in found.added],
        "files_removed": [asdict(one) for one in found.removed],
        "partitions_added": list(found.partitions_added),
        "partitions_removed": list(found.partitions_removed),
        "indices_added": list(found.indices_added),
        "indices_removed": list(found.indices_removed),
        "columns": None if found.columns is None else [asdict(one) for one in found.columns],
        "partition_keys": None if before == after else {"before": list(before), "after": list(after)},
        "metadata": {name: {"before": old, "after": new} for name, (old, new) in found.metadata.items()},
        "footers_read": found.footers_read,
    }


def difference_lines(found: Difference) -> list[str]:
    """Return the difference of two states for people."""
    lines = [
        f"from {commit_text(describe_commit(found.before))}",
        f"to   {commit_text(describe_commit(found.after))}",
        f"+ {_amount(found.added, found.rows_added)}",
        f"- {_amount(found.removed, found.rows_removed)}",
        *_listed("partition added", found.partitions_added),
        *_listed("partition removed", found.partitions_removed),
        *_listed("index added", found.indices_added),
        *_listed("index removed", found.indices_removed),
    ]
    lines += [
        f"column {one.column} of table {one.table}: {_shown(one.before)} -> {_shown(one.after)}"
        for one in found.columns or ()
    ]
    before, after = found.partition_keys
    if before != after:
        lines.append(f"partition keys: {', '.join(before) or 'none'} -> {', '.join(after) or 'none'}")
    lines += [f"metadata {name}: {old!r} -> {new!r}" for name, (old, new) in found.metadata.items()]
    if found.columns is None:
        lines.append("Whether columns changed is not known: a state was made by another client.")
    return lines


def _amount(files: Sequence[FileChange], rows: int | None) -> str:
    size = sum(one.bytes or 0 for one in files)
    counts = counted(rows, "row") if rows is not None else "an unknown number of rows"
    return f"{counts} in {counted(len(files), 'file')}, {size_text(size)}"


def _listed(what: str, names: Sequence[str]) -> list[str]:
    more = len(names) - MOST_LISTED
    shown = [f"{what}: {name}" for name in names[:MOST_LISTED]]
    return [*shown, f"and {more:,} more"] if more > 0 else shown


def _shown(data_type: str | None) -> str:
    """Return a type as the extras say it, for people."""
    schema = described_schema({"columns": [["", data_type]]}) if data_type is not None else None
    if schema is None:
        return data_type or "none"
    arrow = schema.field(0).type
    return type_text({"configured_as": type_words(arrow), "type": str(arrow)})
