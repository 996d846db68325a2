"""What `tablemill dataset` says of stores and datasets: for machines as JSON values, for people as lines."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from itertools import accumulate
from typing import Any, Final, Protocol

import pyarrow as pa

from component.dataset.commits.garbage import Garbage
from component.dataset.format.facts import Sums
from component.dataset.format.history import Commit
from component.dataset.reading.cube import SEPARATOR
from component.dataset.reading.explanation import FooterPruning
from component.dataset.reading.listing import Listed
from component.dataset.reading.reader import Dataset, Explanation
from component.dataset.reading.statistics import Statistics
from component.dataset.verification.verify import Verdict
from component.errors import UserError, shorten
from component.report.words.amounts import counted, size_text
from component.tables.logical import column_of_values
from component.tables.numeric import decimal_text, with_decimal_texts

MOST_LISTED: Final = 20


def describe_dataset(dataset: Dataset, commit: Commit, sums: Sums) -> dict[str, Any]:
    """Return what a dataset is: columns with types, keys, indices, partitions, and who committed it when."""
    header = dataset.header
    extras = header.extras
    return {
        "uuid": header.uuid,
        "table": dataset.table,
        "tables": list(header.tables),
        "columns": [_described_column(name, dataset.schema.field(name).type) for name in dataset.columns],
        "partition_on": list(header.partition_keys),
        "secondary_indices": sorted(header.indices),
        "primary_key": list(dataset.primary_key),
        "partitions": len({label.rpartition("/")[0] for label in header.partitions}),
        "files": len(header.partitions),
        **describe_sums(sums),
        "commit": describe_commit(commit),
        "metadata": {name: value for name, value in header.metadata.items() if value is not extras},
    }


def _described_column(name: str, data_type: pa.DataType) -> dict[str, Any]:
    """Return a column with its Arrow type, and the type as a configuration says it, where it has such a word."""
    return {"name": name, "type": str(data_type), "configured_as": type_words(data_type)}


def type_words(data_type: pa.DataType) -> str | None:
    """Return a type as a configuration says it (`integer`, `numeric(12,2)`); None for one without a form in a table."""
    try:
        column = column_of_values("", data_type)
    except UserError:
        return None
    return f"{column.type.value}({column.length})" if column.length else column.type.value


def type_text(column: Mapping[str, Any]) -> str:
    """Return a described type for people: the word of the configuration, and Arrow's where it is another."""
    word, arrow = column["configured_as"], column["type"]
    return arrow if word in {None, arrow} else f"{word} ({arrow})"


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
    columns = ", ".join(f"{column['name']} {type_text(column)}" for column in found["columns"])
    commit = found["commit"]
    several = [f"tables: {', '.join(found['tables'])}"] if len(found["tables"]) > 1 else []
    of_table = f" of {found['table']}" if several else ""
    lines = [
        f"{found['uuid']}: {counted(found['partitions'], 'partition')}, {counted(found['files'], 'file')}",
        sums_text(found),
        *several,
        f"columns{of_table}: {columns}",
        f"partition_on: {', '.join(found['partition_on']) or 'nothing'}",
        f"secondary indices: {', '.join(found['secondary_indices']) or 'none'}",
        f"primary key: {', '.join(found['primary_key']) or 'none'}",
        f"commit: {commit_text(commit)}",
    ]
    return lines + [f"{name}: {value}" for name, value in found["metadata"].items()]


def commit_text(commit: Mapping[str, Any]) -> str:
    """Return who made a state, how and when."""
    if commit["foreign"]:
        return f"{commit['commit']}, by another client"
    return f"{commit['commit']}, {commit['operation'] or 'write'} of {commit['time'] or 'unknown time'}"


def history_lines(commits: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a history for people, the live state first."""
    return [
        f"{commit_text(commit)}: {counted(commit['files'], 'file')}, {sums_text(commit)}{live}"
        for commit, live in zip(commits, itertools.chain([" (live)"], itertools.repeat("")), strict=False)
    ]


def garbage_lines(found: Mapping[str, Any]) -> list[str]:
    """Return what nobody needs for people: the first keys, and the sum."""
    keys = [f"{one['kind']}: {one['key']} ({size_text(one['bytes'])})" for one in found["keys"][:MOST_LISTED]]
    more = len(found["keys"]) - len(keys)
    done = "were deleted" if found["deleted"] else "can be deleted (--delete does it)"
    total = f"{counted(found['objects'], 'object')}, {size_text(found['bytes'])}, {done}"
    states = len(found["retained"])
    kept = f"{counted(states, 'state')} of {found['uuid']} {'stays' if states == 1 else 'stay'} readable"
    return [*keys, *([f"and {more:,} more"] if more else []), total if keys else "There is no garbage.", kept]


def describe_explanation(found: Explanation, reading: FooterPruning) -> dict[str, Any]:
    """Return how a question is answered: the plan, and what the footers of the files then left out."""
    return {
        "files": found.files,
        "left_out": {
            "by_indices": found.pruned_by_index,
            "by_partition_values": found.pruned_by_partition,
            "by_statistics": reading.pruned_files,
        },
        "indices": dict(found.indices),
        "read": found.read - reading.pruned_files,
        "whole": found.read - reading.files,
        "row_groups": {"asked": reading.row_groups, "left_out": reading.pruned_row_groups, "rows": reading.rows},
    }


def explanation_lines(found: Mapping[str, Any]) -> list[str]:
    """Return how a question is answered, for people."""
    left_out, groups = found["left_out"], found["row_groups"]
    indices = ", ".join(f"{column} leaves {counted(files, 'file')}" for column, files in found["indices"].items())
    planned = found["read"] + left_out["by_statistics"]
    return [
        f"{counted(found['files'], 'file')} in the dataset",
        f"{left_out['by_indices']:,} left out by secondary indices ({indices or 'none is read'})",
        f"{left_out['by_partition_values']:,} left out by partition values",
        f"planned: {counted(planned, 'file')}, {found['whole']:,} of them whole",
        f"{left_out['by_statistics']:,} left out by the smallest and largest values in their footers",
        f"{groups['left_out']:,} of {counted(groups['asked'], 'row group')} left out by theirs",
        f"to read: {counted(found['read'], 'file')}, and {counted(groups['rows'], 'row')} of those not read whole",
    ]


LONGEST_CELL: Final = 32
"""Characters of a cell on a screen that is too narrow for whole ones."""


def row_lines(rows: pa.Table, *, limited: int | None, width: int | None = None) -> list[str]:
    """Return rows as a text table, nulls as an empty cell, and how many they are.

    A table wider than `width` has its long cells cut, then loses the columns at its end, which are named below it.
    """
    shown = with_decimal_texts(rows).columns
    cells = [[("" if value is None else str(value)) for value in column.to_pylist()] for column in shown]
    widths = [max(map(len, [name, *column])) for name, column in zip(rows.column_names, cells, strict=True)]
    left_out: list[str] = []
    if width is not None and sum(widths) + 2 * (len(widths) - 1) > width:
        widths = [min(one, max(LONGEST_CELL, len(name))) for one, name in zip(widths, rows.column_names, strict=True)]
        cells = [[shorten(cell, most) for cell in column] for column, most in zip(cells, widths, strict=True)]
        ends = [end - 2 for end in accumulate(one + 2 for one in widths)]
        fitting = max(1, sum(end <= width for end in ends))
        left_out, rows = rows.column_names[fitting:], rows.select(rows.column_names[:fitting])
        cells, widths = cells[:fitting], widths[:fitting]
    head = "  ".join(name.ljust(width) for name, width in zip(rows.column_names, widths, strict=True))
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*cells, strict=True)
    ]
    note = f" (the first {limited}; --limit gives more)" if rows.num_rows == limited else ""
    more = f"{counted(len(left_out), 'more column')}: {', '.join(left_out)}; --columns chooses"
    return [head.rstrip(), *lines, f"{counted(rows.num_rows, 'row')}{note}", *([more] if left_out else [])]


def describe_verdict(verdict: Verdict, done: Sequence[str]) -> dict[str, Any]:
    """Return what a verification found, and what a repair before it did."""
    return {
        "uuid": verdict.uuid,
        "sound": not verdict.faults,
        "files": verdict.files,
        "rows": verdict.rows,
        "indices": verdict.indices,
        "fast": verdict.fast,
        "repaired": list(done),
        "faults": [asdict(fault) for fault in verdict.faults],
        "notices": [asdict(fault) for fault in verdict.notices],
        "orphans": list(verdict.orphans),
    }


def verdict_lines(found: Mapping[str, Any]) -> list[str]:
    """Return what a verification found, for people."""
    faults = [_fault_text(fault) for fault in found["faults"]]
    notices = [f"notice {_fault_text(notice)}" for notice in found["notices"]]
    looked = "looked at without reading data" if found["fast"] else "read"
    indices = counted(found["indices"], "index", "indices")
    read = f"{counted(found['files'], 'file')}, {counted(found['rows'], 'row')}, {indices} {looked}"
    verdict = "no fault" if found["sound"] else counted(len(faults), "fault")
    return [*found["repaired"], *faults, *notices, f"{found['uuid']}: {verdict} in {read}"]


def _fault_text(fault: Mapping[str, Any]) -> str:
    place = "".join(f" ({name} {fault[name]!r})" for name in ("key", "column") if fault[name])
    return f"{fault['code']}: {fault['text']}{place}" + (f" - {fault['mend']}" if fault["mend"] else "")


def describe_sums(sums: Sums) -> dict[str, Any]:
    """Return rows and bytes of a state; `unknown_files` are not among them."""
    rows = dict(sums.rows)
    return {
        "rows": sum(rows.values()),
        "rows_by_table": rows,
        "bytes": sums.bytes,
        "unknown_files": sums.unknown,
    }


def sums_text(found: Mapping[str, Any]) -> str:
    """Return rows and bytes for people."""
    unknown = found["unknown_files"]
    text = f"{counted(found['rows'], 'row')}, {size_text(found['bytes'])}"
    return f"{text}, and {counted(unknown, 'file')} of which it is not known" if unknown else text


def describe_datasets(datasets: Iterable[Listed]) -> list[dict[str, Any]]:
    """Return uuid, files, rows and bytes of datasets, and the cube each is of; of one that cannot be read, why."""
    return [
        {"uuid": one.uuid}
        | ({"error": one.error} if one.sums is None else {"files": one.files, **describe_sums(one.sums)})
        | ({} if one.cube is None else {"cube": one.cube})
        for one in datasets
    ]


class Joined(Protocol):
    """What is said of a cube."""

    @property
    def prefix(self) -> str:
        """What the uuids of its datasets begin with."""

    @property
    def seed(self) -> str:
        """The name of its seed."""

    @property
    def datasets(self) -> Collection[str]:
        """The names of its datasets."""

    @property
    def dimension_columns(self) -> Collection[str]:
        """The columns that name a row."""


def cube_lines(cubes: Iterable[Joined]) -> list[str]:
    """Return what cubes there are, for people."""
    return [
        f"cube {cube.prefix}{SEPARATOR}: {', '.join(sorted(cube.datasets))}; seed {cube.seed},"
        f" dimensions {', '.join(cube.dimension_columns)}"
        for cube in cubes
    ]


def listing_lines(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a listing for people."""
    width = max((len(one["uuid"]) for one in found), default=0)
    return [f"{one['uuid']:<{width}}  {one.get('error') or sums_text(one)}" for one in found]


def describe_statistics(found: Statistics, schema: pa.Schema) -> dict[str, Any]:
    """Return a dataset of a schema in numbers; values that JSON does not have are text."""
    return {
        "files": found.files,
        "rows": found.rows,
        "bytes": found.bytes,
        "partitions": [
            {"values": _plain(one.values), "files": one.files, "rows": one.rows, "bytes": one.bytes}
            for one in found.partitions
        ],
        "columns": None
        if found.columns is None
        else [
            _described_column(one.name, schema.field(one.name).type)
            | {"nulls": one.nulls}
            | _plain({"minimum": one.minimum, "maximum": one.maximum})
            for one in found.columns
        ],
    }


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain_value(value) for name, value in values.items()}


def _plain_value(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int)):
        return value
    return decimal_text(value) if isinstance(value, Decimal) else str(value)


def statistics_lines(found: Mapping[str, Any]) -> list[str]:
    """Return the same for people: the first partitions, every column, and the sums."""
    total = f"{counted(found['rows'], 'row')}, {counted(found['files'], 'file')}, {size_text(found['bytes'])}"
    partitions = [_partition_text(one) for one in found["partitions"][:MOST_LISTED]]
    more = len(found["partitions"]) - len(partitions)
    columns = [_column_text(one) for one in found["columns"] or ()]
    return [*partitions, *([f"and {more:,} more"] if more else []), *columns, total]


def _partition_text(found: Mapping[str, Any]) -> str:
    values = "/".join(f"{name}={value}" for name, value in found["values"].items()) or "(not partitioned)"
    return f"{values}: {counted(found['rows'], 'row')}, {counted(found['files'], 'file')}, {size_text(found['bytes'])}"


def _column_text(found: Mapping[str, Any]) -> str:
    nulls = "nulls unknown" if found["nulls"] is None else counted(found["nulls"], "null")
    ends: Sequence[Any] = (found["minimum"], found["maximum"])
    values = "" if None in ends else f", {ends[0]} to {ends[1]}"
    return f"{found['name']} {type_text(found)}: {nulls}{values}"
