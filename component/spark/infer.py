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


def look_through(task: InferTask) -> Mapping[str, Evidence]:
    """Return the evidence of one split. Rows with a fault say nothing; the main job reports them."""
    found = {name: [Evidence()] for name in task.columns}
    try:
        for parsed in task.reader.read(task.split):
            for name, pieces in found.items():
                pieces.append(evidence_of(parsed.rows[name]))
    except ReadAgainError as again:
        return look_through(replace(task, split=again.split))
    return {name: combine(pieces) for name, pieces in found.items()}


def infer_types(
    engine: Engine, schema: TableSchema, reader: CsvReader, splits: Sequence[CsvSplit], names: Sequence[str]
) -> TableSchema:
    """Return the schema with the types of the named columns found out."""
    as_text = TableSchema(tuple(Column(column.name, null_rule=NullRule.ALWAYS) for column in schema.columns))
    lenient = CsvReader(as_text, reader.dialect, reject=True)
    tasks = [InferTask(split, lenient, tuple(names)) for split in splits]
    found = engine.run(look_through, tasks)
    decided = {name: column_by_evidence(name, combine(one[name] for one in found)) for name in names}
    columns = tuple(_keep_rule(column, decided.get(column.name)) for column in schema.columns)
    return replace(schema, columns=columns)


def _keep_rule(column: Column, decided: Column | None) -> Column:
    """Keep what the configuration says of empty cells."""
    return column if decided is None else replace(decided, null_rule=column.null_rule, nullable=column.nullable)
