"""Types by evidence, over whole columns: one pass over the splits before the main job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from component.errors import Place
from component.formats.csv.read import CsvReader, ReadAgainError
from component.formats.csv.source import CsvSplit
from component.spark.engine import Engine
from component.tables.infer import Evidence, Example, column_by_evidence, combine, evidence_of, kept_text
from component.tables.types import Column, NullRule, TableSchema, TypeName


@dataclass(frozen=True, slots=True)
class InferTask:
    """One split to be looked through for the named columns."""

    split: CsvSplit
    reader: CsvReader
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Looked:
    """What one split says of its columns; nothing, when the whole slice must be looked through as one split instead.

    The rows of examples are counted within the split, which has `records` records.
    """

    evidence: Mapping[str, Evidence]
    records: int = 0
    instead: CsvSplit | None = None


def look_through(task: InferTask) -> Looked:
    """Return the evidence of one split. Rows with a fault say nothing; the main job reports them."""
    found = {name: Evidence() for name in task.columns}
    records = 0
    try:
        for parsed in task.reader.read(task.split):
            for name, known in found.items():
                found[name] = known | evidence_of(parsed.rows[name], known, records)
            records += parsed.records
    except ReadAgainError as again:
        if again.whole_slice and not task.split.gzip:
            return Looked({}, instead=again.split)
        return look_through(replace(task, split=again.split))
    return Looked(found, records)


@dataclass(frozen=True, slots=True)
class Inferred:
    """A schema whose types are found out, and what a person should know of them."""

    schema: TableSchema
    notes: tuple[str, ...]


def infer_types(
    engine: Engine, schema: TableSchema, reader: CsvReader, splits: Sequence[CsvSplit], names: Sequence[str]
) -> Inferred:
    """Return the schema with the types of the named columns found out."""
    as_text = TableSchema(tuple(Column(column.name, null_rule=NullRule.ALWAYS) for column in schema.columns))
    lenient = CsvReader(as_text, reader.dialect, reject=True)
    found = _look_through_all(engine, [InferTask(split, lenient, tuple(names)) for split in splits])
    evidence = {name: [(slice_name, one[name]) for slice_name, one in found] for name in names}
    decided = {name: column_by_evidence(name, combine(one for _, one in evidence[name])) for name in names}
    columns = tuple(_keep_rule(column, decided.get(column.name)) for column in schema.columns)
    table = splits[0].table if splits else ""
    notes = [*_types_note(table, [decided[name] for name in names]), *_text_notes(table, evidence)]
    return Inferred(replace(schema, columns=columns), tuple(notes))


def _look_through_all(engine: Engine, tasks: Sequence[InferTask]) -> list[tuple[str, Mapping[str, Evidence]]]:
    """Return what each split says, with the name of its slice and its rows counted there.

    Slices whose splits were no whole records are looked through again.
    """
    looked = engine.run(look_through, tasks)
    instead = {one.instead.slice: one.instead for one in looked if one.instead is not None}
    again = engine.run(look_through, [replace(tasks[0], split=split) for split in instead.values()])
    kept = [(task.split.slice, one) for task, one in zip(tasks, looked, strict=True) if task.split.slice not in instead]
    kept += zip(instead, again, strict=True)
    done: Counter[str] = Counter()
    placed: list[tuple[str, Mapping[str, Evidence]]] = []
    for name, one in kept:
        placed.append((name, {column: found.moved(done[name]) for column, found in one.evidence.items()}))
        done[name] += one.records
    return placed


_NAMED: Final = 12
"""So many columns are named one by one."""


def _types_note(table: str, columns: Sequence[Column]) -> Iterator[str]:
    typed = [column for column in columns if column.type is not TypeName.STRING]
    words = [f"{column.name} {_words(column)}" for column in typed[:_NAMED]]
    more = [f"and {len(typed) - _NAMED} more"] if len(typed) > _NAMED else []
    if typed:
        yield f"{table}: types found: {', '.join([*words, *more])}; text: {len(columns) - len(typed)}"


def _words(column: Column) -> str:
    nulls = f" ({', '.join(column.null_words)} is null)" if column.null_words else ""
    return column.type.value + (f"({column.length})" if column.length else "") + nulls


def _text_notes(table: str, evidence: Mapping[str, Sequence[tuple[str, Evidence]]]) -> Iterator[str]:
    """Say of each column that is text, though most of it looks otherwise, which cell kept it so."""
    kept = [(name, found) for name, parts in evidence.items() if (found := _kept_text(parts)) is not None]
    for name, (example, slice_name, expected) in kept[:_NAMED]:
        place = Place(table=table, slice=slice_name, row=example.row + 1, column=name, value=example.text)
        yield f"The column stays text, since a cell is no {expected} ({place})."
    if len(kept) > _NAMED:
        yield f"{table}: {len(kept) - _NAMED} more columns stay text for a few cells."


def _kept_text(parts: Sequence[tuple[str, Evidence]]) -> tuple[Example, str, str] | None:
    """Return the cell that kept a column text, its slice, and the type that it is not of."""
    found = kept_text(combine(one for _, one in parts))
    if found is None:
        return None
    example, expected = found
    slices = (name for name, one in parts if example in one.examples)
    return example, next(slices, ""), expected


def _keep_rule(column: Column, decided: Column | None) -> Column:
    """Keep what the configuration says of empty cells."""
    return column if decided is None else replace(decided, null_rule=column.null_rule, nullable=column.nullable)
