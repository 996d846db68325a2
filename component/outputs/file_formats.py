"""How the files of an output are written, by its format.

All formats but CSV are loaded when an output is of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from component.formats.contract import Writing
from component.formats.csv.write import CsvWriting
from component.formats.typed import typed_format
from component.plan.model import OutputPlan

if TYPE_CHECKING:
    from component.records.format_file import RecordsFormat


def writing_of(output: OutputPlan, *, gzip: bool) -> Writing:
    """Return how the files of an output are written."""
    if output.records is not None:
        return writing_of_records(output.records.format)
    match output.format:
        case "csv":
            return CsvWriting(output.has_header, gzip, output.dialect)
        case "jsonl":
            return typed_format("jsonl").writing(gzip)
        case "parquet" | "avro" | "arrow" as kind:
            return typed_format(kind).writing()
    from component.outputs.workbench_files import HttpFileWriting, WorkbenchWriting  # noqa: PLC0415 - as said above

    return HttpFileWriting(output.fetched_from) if output.workbench is None else WorkbenchWriting(output.workbench)


def writing_of_records(chosen: RecordsFormat) -> Writing:
    """Return how the data files of a records directory are written."""
    if chosen.hints is None:
        return typed_format("parquet" if chosen.type == "parquet" else "avro").writing()
    from component.formats.delimited.write import DelimitedWriting  # noqa: PLC0415 - as said above
    from component.records.hints import dialect_of  # noqa: PLC0415

    return DelimitedWriting(dialect_of(chosen.hints))
