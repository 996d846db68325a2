"""The answer to a question that a person asks a dataset: rows on the screen, or in a file."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Self, TextIO

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

import tablemill
from component.cli.printing import folded, terminal_width
from component.dataset.format.address import open_address
from component.dataset.format.history import named_state
from component.dataset.reading.cube import SEPARATOR
from component.dataset.reading.question import parse_question
from component.errors import Place, UserError
from component.report.results.datasets import explanation_lines, row_lines
from component.report.words.amounts import counted
from component.tables.numeric import decimal_text, with_decimal_texts

ON_SCREEN: Final = 50
"""Rows that are printed as text when nobody says how many."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, as it was typed."""

    address: str
    where: tuple[str, ...]
    predicates: str | None
    columns: str | None
    table: str | None
    limit: int | None
    as_of: str | None
    write_to: Path | None
    explain: bool
    output: str
    datasets: str | None = None


def answer_question(question: Question, screen: TextIO) -> None:
    """Answer on the screen, or in a file of the format that its suffix names.

    UserError as `Dataset.read` and `open_cube`; `column.type` for a column that CSV does not hold; `config.value` for
    another suffix, and for a file of what is only to be explained.
    """
    if question.explain and question.write_to is not None:
        raise UserError("config.value", "--explain reads no rows, so none can be written", remedy="Leave out --to.")
    if question.address.rstrip("/").endswith(SEPARATOR):
        _answer_of_cube(question, _cube_of(question), screen)
        return
    if question.datasets is not None:
        raise UserError("config.value", "--datasets are of a cube", remedy="Ask STORE/PREFIX++.")
    dataset = tablemill.open(question.address, table=question.table, as_of=question.as_of)
    asked = parse_question(question.where, question.predicates)
    if question.explain:
        found = dataset.explain(asked)
        lines = [json.dumps(found)] if question.output == "json" else explanation_lines(found)
        screen.writelines(f"{line}\n" for line in lines)
        return
    rows = dataset.batches(_names(question.columns), asked)
    _put_out(question, rows.schema, lambda most: _at_most(rows, most), screen)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def _cube_of(question: Question) -> tablemill.Cube:
    """Open a cube; a time is one for all of its datasets, a commit is of one of them."""
    address = open_address(question.address)
    as_of = None if question.as_of is None else named_state(question.as_of)
    if isinstance(as_of, str) or question.table is not None:
        raise UserError(
            "config.value",
            "A commit and --table are of one dataset, and this is a cube",
            remedy="Give --as-of a time, or ask a dataset of the cube.",
        )
    return tablemill.open_cube(address.store.url, address.uuid, as_of=as_of)


def _answer_of_cube(question: Question, cube: tablemill.Cube, screen: TextIO) -> None:
    """Answer of the datasets of a cube, joined."""
    columns = _names(question.columns)
    datasets = question.datasets.split(",") if question.datasets is not None else None
    asked = parse_question(question.where, question.predicates)
    if question.explain:
        parts = cube.explain(columns, asked, datasets)
        if question.output == "json":
            screen.write(json.dumps(parts) + "\n")
            return
        screen.writelines(
            f"{name}: {one['read']:,} of {counted(one['files'], 'file')} to read\n" for name, one in parts.items()
        )
        return
    found = cube.read(columns, asked, datasets)
    _put_out(question, found.schema, lambda most: _at_most(found.to_reader(), most), screen)


def _put_out(
    question: Question, schema: pa.Schema, at_most: Callable[[int | None], Iterator[pa.RecordBatch]], screen: TextIO
) -> None:
    """Print rows, or write them to a file; `at_most` gives so many of them, or all."""
    if question.write_to is not None:
        count = _write(question.write_to, schema, at_most(question.limit))
        screen.write(f"{counted(count, 'row')} in {question.write_to}\n")
        return
    most = question.limit if question.limit is not None or question.output != "text" else ON_SCREEN
    batches = at_most(most)
    if question.output == "text":
        shown = row_lines(pa.Table.from_batches(batches, schema), limited=most, width=terminal_width())
        screen.writelines(f"{line}\n" for line in folded(shown))
    elif question.output == "json":
        for batch in batches:
            rows = with_decimal_texts(pa.Table.from_batches([batch]))
            screen.writelines(f"{_json(row)}\n" for row in rows.to_pylist())
    else:
        _print_csv(schema, batches, screen)


def _at_most(rows: Iterable[pa.RecordBatch], limit: int | None) -> Iterator[pa.RecordBatch]:
    """Yield so many rows, or all; where there are enough, nothing more is read."""
    if limit is None:
        yield from rows
        return
    left = limit
    if left == 0:
        return
    for batch in rows:
        part = batch.slice(0, left)
        left -= part.num_rows
        yield part
        if left == 0:
            return


def _write(path: Path, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> int:
    makers: dict[str, Any] = {".csv": _CsvWriter, ".parquet": pq.ParquetWriter, ".arrow": pa.ipc.new_file}
    make = makers.get(path.suffix)
    if make is None:
        raise UserError(
            "config.value", f"{path.name!r} names no format", remedy=f"End it in one of {', '.join(makers)}."
        )
    if path.suffix == ".csv":
        _check_csv(schema)
    rows = 0
    unfinished = path.with_name(f".{path.name}.part")
    try:
        with make(str(unfinished), schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
                rows += batch.num_rows
        unfinished.replace(path)
    except OSError as error:
        raise UserError("output.unwritable", f"{str(path)!r} cannot be written: {error.strerror or error}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return rows


def _json(row: Any) -> str:
    """Return a row as JSON; what it has no form for is text: NaN and the infinities by name, bytes in base64."""
    return json.dumps(_plain(row), default=_text, ensure_ascii=False, allow_nan=False)


def _text(value: Any) -> str:
    return decimal_text(value) if isinstance(value, Decimal) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _check_csv(schema: pa.Schema) -> None:
    for field in schema:
        if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            raise UserError(
                "column.type",
                f"CSV has no form for values of type {field.type}",
                place=Place(column=field.name),
                remedy="Leave the column out with --columns, or choose JSON, .parquet or .arrow.",
            )


class _CsvWriter:
    """Arrow's writer of CSV, with decimals as people write them."""

    def __init__(self, sink: Any, schema: pa.Schema) -> None:
        self._writer = pacsv.CSVWriter(sink, with_decimal_texts(schema.empty_table()).schema)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._writer.write_table(with_decimal_texts(pa.Table.from_batches([batch])))


def _print_csv(schema: pa.Schema, batches: Iterator[pa.RecordBatch], screen: TextIO) -> None:
    _check_csv(schema)
    sink = pa.BufferOutputStream()
    with _CsvWriter(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    screen.write(sink.getvalue().to_pybytes().decode())
