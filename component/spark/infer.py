"""Types by evidence, over whole columns: one pass over the splits before the main job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from component.formats.csv.read import CsvReader, ReadAgainError
from component.formats.csv.source import CsvSplit
from component.spark.engine import Engine
from component.tables.infer import Evidence, column_by_evidence, combine, evidence_of
from component.tables.types import Column, NullRule, TableSchema


@dataclass(frozen=True, slots=True)
class InferTask:
    """One split to be looked through for the named columns."""

    split: CsvSplit
    reader: CsvReader
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Looked:
    """What one split says of its columns; nothing, when the whole slice must be looked through as one split instead."""

    evidence: Mapping[str, Evidence]
    instead: CsvSplit | None = None


def look_through(task: InferTask) -> Looked:
    """Return the evidence of one split. Rows with a fault say nothing; the main job reports them."""
    found = {name: [Evidence()] for name in task.columns}
    try:
        for parsed in task.reader.read(task.split):
            for name, pieces in found.items():
                pieces.append(evidence_of(parsed.rows[name]))
    except ReadAgainError as again:
        if again.whole_slice and not task.split.gzip:
            return Looked({}, again.split)
        return look_through(replace(task, split=again.split))
    return Looked({name: combine(pieces) for name, pieces in found.items()})


def infer_types(
    engine: Engine, schema: TableSchema, reader: CsvReader, splits: Sequence[CsvSplit], names: Sequence[str]
) -> TableSchema:
    """Return the schema with the types of the named columns found out."""
    as_text = TableSchema(tuple(Column(column.name, null_rule=NullRule.ALWAYS) for column in schema.columns))
    lenient = CsvReader(as_text, reader.dialect, reject=True)
    found = _look_through_all(engine, [InferTask(split, lenient, tuple(names)) for split in splits])
    decided = {name: column_by_evidence(name, combine(one[name] for one in found)) for name in names}
    columns = tuple(_keep_rule(column, decided.get(column.name)) for column in schema.columns)
    return replace(schema, columns=columns)


def _look_through_all(engine: Engine, tasks: Sequence[InferTask]) -> list[Mapping[str, Evidence]]:
    """Look through all splits, and again through the slices whose splits were no whole records."""
    looked = engine.run(look_through, tasks)
    instead = {one.instead.slice: one.instead for one in looked if one.instead is not None}
    again = engine.run(look_through, [replace(tasks[0], split=split) for split in instead.values()])
    kept = [one.evidence for task, one in zip(tasks, looked, strict=True) if task.split.slice not in instead]
    return kept + [one.evidence for one in again]


def _keep_rule(column: Column, decided: Column | None) -> Column:
    """Keep what the configuration says of empty cells."""
    return column if decided is None else replace(decided, null_rule=column.null_rule, nullable=column.nullable)
