"""Types by evidence, over whole columns: one pass over the splits before the main job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from component.errors import Place, UserError
from component.formats.csv.read import CsvReader, ReadAgainError
from component.formats.csv.source import CsvSplit
from component.spark.engine import Engine
from component.spark.heartbeat import Heart, Heartbeats
from component.tables.infer import (
    Evidence,
    Example,
    column_by_evidence,
    combine,
    doubtful_commas,
    evidence_of,
    kept_text,
    no_evidence,
)
from component.tables.marks import marks_of, marks_text, with_marks, with_point
from component.tables.types import Column, NullRule, TableSchema, TypeName


@dataclass(frozen=True, slots=True)
class InferTask:
    """One split to be looked through for the named columns; `heart` is told what is read.

    `marks` stand before decimals and between thousands, where that is configured.
    """

    split: CsvSplit
    reader: CsvReader
    columns: tuple[str, ...]
    marks: tuple[str, str] | None = None
    heart: Heart = field(default_factory=Heart)


@dataclass(frozen=True, slots=True)
class Looked:
    """What one split says of its columns; nothing, when the whole slice must be looked through as one split instead.

    The rows of examples are counted within the split, which has `records` records.
    """

    evidence: Mapping[str, Evidence]
    records: int = 0
    instead: CsvSplit | None = None


def look_through(task: InferTask) -> Looked:
    """Return the evidence of one split. Rows and files with a fault say no more; the main job reports them."""
    found = dict.fromkeys(task.columns, no_evidence(task.reader.dialect.delimiter))
    records = 0
    try:
        for parsed in task.reader.read(task.split):
            for name, known in found.items():
                cells = parsed.rows[name]
                if task.marks is not None:
                    cells = with_point(cells, *task.marks)
                found[name] = known | evidence_of(cells, known, records)
            records += parsed.records
            task.heart.add(parsed.records, parsed.bytes)
    except ReadAgainError as again:
        if again.whole_slice and not task.split.gzip:
            return Looked({}, instead=again.split)
        return look_through(replace(task, split=again.split))
    except UserError:
        return Looked(found, records)  # as with rows: the main job says what is wrong, of this input and of others
    return Looked(found, records)


@dataclass(frozen=True, slots=True)
class Inferred:
    """A schema whose types are found out, and what a person should know of them."""

    schema: TableSchema
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Untyped:
    """A table with columns whose types are to be found out."""

    schema: TableSchema
    reader: CsvReader
    splits: tuple[CsvSplit, ...]
    names: tuple[str, ...]
    marks: tuple[str, str] | None = None


def infer_types(
    engine: Engine, tables: Sequence[Untyped], on_done: Callable[[int, int, int], None] = lambda *_: None
) -> list[Inferred]:
    """Return the schema of each table with the types of its named columns found out; all are looked through together.

    Slices whose splits were no whole records are looked through again. `on_done` is told the splits, rows and bytes.
    """
    tasks = [(number, task) for number, table in enumerate(tables) for task in _tasks(table)]
    looked = _run(engine, [task for _, task in tasks], on_done)
    instead = {
        (number, one.instead.slice): replace(task, split=one.instead)
        for (number, task), one in zip(tasks, looked, strict=True)
        if one.instead is not None
    }
    again = _run(engine, list(instead.values()), on_done)
    kept: list[list[tuple[str, Looked]]] = [[] for _ in tables]
    for (number, task), one in zip(tasks, looked, strict=True):
        if (number, task.split.slice) not in instead:
            kept[number].append((task.split.slice, one))
    for (number, name), one in zip(instead, again, strict=True):
        kept[number].append((name, one))
    return [_inferred(table, _placed(parts)) for table, parts in zip(tables, kept, strict=True)]


def _tasks(table: Untyped) -> list[InferTask]:
    as_text = TableSchema(tuple(Column(column.name, null_rule=NullRule.ALWAYS) for column in table.schema.columns))
    lenient = CsvReader(as_text, table.reader.dialect, reject=True)
    return [InferTask(split, lenient, table.names, table.marks) for split in table.splits]


def _run(engine: Engine, tasks: Sequence[InferTask], on_done: Callable[[int, int, int], None]) -> list[Looked]:
    sizes = [task.split.size for task in tasks]
    with Heartbeats(engine.scratch, partial(on_done, 0)) as beats:

        def note(number: int, looked: Looked) -> None:
            rows, byte_count = beats.end(number)
            if looked.instead is None:
                on_done(1, looked.records - rows, sizes[number] - byte_count)
            else:
                on_done(0, -rows, -byte_count)

        beating = [replace(task, heart=Heart(beats.path, number)) for number, task in enumerate(tasks)]
        return engine.run(look_through, beating, sizes=sizes, on_done=note, on_wait=beats.tell)


def _inferred(table: Untyped, found: Sequence[tuple[str, Mapping[str, Evidence]]]) -> Inferred:
    evidence = {name: [(slice_name, one[name]) for slice_name, one in found] for name in table.names}
    decided = {name: column_by_evidence(name, combine(one for _, one in evidence[name])) for name in table.names}
    if table.marks is not None:
        decided = {name: with_marks(column, *table.marks) for name, column in decided.items()}
    columns = tuple(_keep_rule(column, decided.get(column.name)) for column in table.schema.columns)
    title = table.splits[0].table if table.splits else ""
    notes = [*_types_note(title, [decided[name] for name in table.names]), *_text_notes(title, evidence)]
    return Inferred(replace(table.schema, columns=columns), tuple(notes))


def _placed(kept: Sequence[tuple[str, Looked]]) -> list[tuple[str, Mapping[str, Evidence]]]:
    """Return what each split says, with the name of its slice and its rows counted there."""
    done: Counter[str] = Counter()
    placed: list[tuple[str, Mapping[str, Evidence]]] = []
    for name, one in kept:
        placed.append((name, {column: found.moved(done[name]) for column, found in one.evidence.items()}))
        done[name] += one.records
    return placed


_DOUBTFUL: Final = (
    "its commas may stand before decimals, between thousands, or between values: "
    'say "decimal": "," or "thousands": "," of the table if they are numbers'
)
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
    marks = f" ({marks_text(column)})" if marks_of(column) else ""
    return column.type.value + (f"({column.length})" if column.length else "") + marks + nulls


def _text_notes(table: str, evidence: Mapping[str, Sequence[tuple[str, Evidence]]]) -> Iterator[str]:
    """Say of each column that is text, though most of it looks otherwise, which cell kept it so."""
    kept = [(name, found) for name, parts in evidence.items() if (found := _kept_text(parts)) is not None]
    for name, (example, slice_name, why) in kept[:_NAMED]:
        place = Place(table=table, slice=slice_name, row=example.row + 1, column=name, value=example.text)
        yield f"The column stays text, since {why} ({place})."
    if len(kept) > _NAMED:
        yield f"{table}: {len(kept) - _NAMED} more columns stay text for a few cells."


def _kept_text(parts: Sequence[tuple[str, Evidence]]) -> tuple[Example, str, str] | None:
    """Return the cell that kept a column text, its slice, and why it did."""
    evidence = combine(one for _, one in parts)
    comma, found = doubtful_commas(evidence), kept_text(evidence)
    if comma is not None:
        example, why = comma, _DOUBTFUL
    elif found is not None:
        example, why = found[0], f"a cell is no {found[1]}"
    else:
        return None
    slices = (name for name, one in parts if example in one.examples)
    return example, next(slices, ""), why


def _keep_rule(column: Column, decided: Column | None) -> Column:
    """Keep what the configuration says of empty cells."""
    return column if decided is None else replace(decided, null_rule=column.null_rule, nullable=column.nullable)
