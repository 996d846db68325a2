"""What `tablemill dataset` says: for machines as JSON values, for people as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import pyarrow as pa

from component.dataset.garbage import Garbage
from component.dataset.history import Commit
from component.dataset.reader import Dataset, Explanation
from component.dataset.verify import Verdict
from component.report.amounts import counted, size_text

MOST_LISTED: Final = 20


def describe_dataset(dataset: Dataset, commit: Commit) -> dict[str, Any]:
    """Return what a dataset is: columns with types, keys, indices, partitions, and who committed it when."""
    header = dataset.header
    extras = header.extras
    return {
        "uuid": header.uuid,
        "table": dataset.table,
        "columns": [{"name": name, "type": str(dataset.schema.field(name).type)} for name in dataset.columns],
        "partition_on": list(header.partition_keys),
        "secondary_indices": sorted(header.indices),
        "primary_key": list(extras.get("primary_key", [])),
        "partitions": len({label.rpartition("/")[0] for label in header.partitions}),
        "files": len(header.partitions),
        "commit": describe_commit(commit),
        "metadata": {name: value for name, value in header.metadata.items() if value is not extras},
    }


def describe_commit(commit: Commit) -> dict[str, Any]:
    """Return one state of the history."""
    return {
        "commit": commit.id,
        "parent": commit.parent,
        "time": commit.time.isoformat() if commit.time else None,
        "operation": commit.operation,
        "foreign": commit.foreign,
        "files": len(commit.header.partitions),
    }


def describe_garbage(garbage: Garbage, *, deleted: bool) -> dict[str, Any]:
    """Return what nobody needs, and whether it was deleted."""
    return {
        "uuid": garbage.uuid,
        "deleted": deleted,
        "objects": len(garbage.objects),
        "bytes": garbage.bytes,
        "retained": [commit.id for commit in garbage.retained],
        "keys": [{"key": one.key, "kind": one.kind, "bytes": one.size} for one in garbage.objects],
    }


def dataset_lines(found: Mapping[str, Any]) -> list[str]:
    """Return a described dataset for people."""
    columns = ", ".join(f"{column['name']} {column['type']}" for column in found["columns"])
    commit = found["commit"]
    lines = [
        f"{found['uuid']}: {counted(found['partitions'], 'partition')}, {counted(found['files'], 'file')}",
        f"columns: {columns}",
        f"partition_on: {', '.join(found['partition_on']) or 'nothing'}",
        f"secondary indices: {', '.join(found['secondary_indices']) or 'none'}",
        f"primary key: {', '.join(found['primary_key']) or 'none'}",
        f"commit: {_commit_text(commit)}",
    ]
    return lines + [f"{name}: {value}" for name, value in found["metadata"].items()]


def _commit_text(commit: Mapping[str, Any]) -> str:
    if commit["foreign"]:
        return f"{commit['commit']}, by another client"
    return f"{commit['commit']}, {commit['operation'] or 'write'} of {commit['time'] or 'unknown time'}"


def history_lines(commits: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a history for people, the live state first."""
    return [
        f"{_commit_text(commit)}: {counted(commit['files'], 'file')}{' (live)' if not number else ''}"
        for number, commit in enumerate(commits)
    ]


def garbage_lines(found: Mapping[str, Any]) -> list[str]:
    """Return what nobody needs for people: the first keys, and the sum."""
    keys = [f"{one['kind']}: {one['key']} ({size_text(one['bytes'])})" for one in found["keys"][:MOST_LISTED]]
    more = len(found["keys"]) - len(keys)
    done = "were deleted" if found["deleted"] else "can be deleted (--delete does it)"
    total = f"{counted(found['objects'], 'object')}, {size_text(found['bytes'])}, {done}"
    kept = f"{counted(len(found['retained']), 'state')} of {found['uuid']} stay readable"
    return [*keys, *([f"and {more:,} more"] if more else []), total if keys else "There is no garbage.", kept]


def explanation_lines(found: Explanation) -> list[str]:
    """Return how a question is answered, for people."""
    indices = ", ".join(found.indices) or "none"
    return [
        f"{counted(found.files, 'file')} in the dataset",
        f"{found.pruned_by_index:,} left out by secondary indices (read: {indices})",
        f"{found.pruned_by_partition:,} left out by partition values",
        f"{found.read:,} to read, {found.asked_rows:,} of them with a filter on their rows",
    ]


def row_lines(rows: pa.Table, *, limited: int | None) -> list[str]:
    """Return rows as a text table, nulls as an empty cell, and how many they are."""
    cells = [[("" if value is None else str(value)) for value in column.to_pylist()] for column in rows.columns]
    widths = [max(map(len, [name, *column])) for name, column in zip(rows.column_names, cells, strict=True)]
    head = "  ".join(name.ljust(width) for name, width in zip(rows.column_names, widths, strict=True))
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*cells, strict=True)
    ]
    note = f" (the first {limited}; --limit gives more)" if rows.num_rows == limited else ""
    return [head.rstrip(), *lines, f"{counted(rows.num_rows, 'row')}{note}"]


def describe_verdict(verdict: Verdict, done: Sequence[str]) -> dict[str, Any]:
    """Return what a verification found, and what a repair before it did."""
    return {
        "uuid": verdict.uuid,
        "sound": not verdict.faults,
        "files": verdict.files,
        "rows": verdict.rows,
        "indices": verdict.indices,
        "repaired": list(done),
        "faults": [asdict(fault) for fault in verdict.faults],
    }


def verdict_lines(found: Mapping[str, Any]) -> list[str]:
    """Return what a verification found, for people."""
    faults = [
        f"{fault['code']}: {fault['text']}"
        + "".join(f" ({name} {fault[name]!r})" for name in ("key", "column") if fault[name])
        + (f" - {fault['mend']}" if fault["mend"] else "")
        for fault in found["faults"]
    ]
    read = f"{counted(found['files'], 'file')}, {counted(found['rows'], 'row')}, {found['indices']} indices"
    verdict = "no fault" if found["sound"] else counted(len(faults), "fault")
    return [*found["repaired"], *faults, f"{found['uuid']}: {verdict} in {read}"]
