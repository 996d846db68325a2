"""What is configured of outputs in the formats of others, as the plan holds it; their rooms are loaded for these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from component.config.parameters import OutputConfig
from component.config.writing import RecordsWriting, WorkbenchFiles
from component.plan.model import RecordsPlan

if TYPE_CHECKING:
    from component.workbench.rules.limits import TableSizes


def records_plan(config: OutputConfig) -> RecordsPlan | None:
    """Return how a records directory is written; UserError `records.hint` for hints that make no dialect."""
    if config.format != "records":
        return None
    from component.records.format_file import FormatType, RecordsFormat  # noqa: PLC0415 - as said above
    from component.records.hints import resolve_hints  # noqa: PLC0415

    said = config.records or RecordsWriting()
    kind = FormatType(said.format)
    hints = resolve_hints(said.variant, said.hints)[0] if kind is FormatType.DELIMITED else None
    return RecordsPlan(RecordsFormat(kind, hints), said.files, said.file_bytes, said.url)


def workbench_sizes(config: OutputConfig) -> TableSizes | None:
    """Return what an Arrow file of Workbench may not exceed."""
    if config.format != "workbench":
        return None
    from component.plan.file_limits import file_limits  # noqa: PLC0415 - as said above

    return file_limits((config.workbench or WorkbenchFiles()).limits).table


def fetched_from(config: OutputConfig) -> str:
    """Return the URL that an httpfile says it was fetched from; empty for other formats."""
    if config.format != "httpfile":
        return ""
    said = config.httpfile.url if config.httpfile else None
    return said or f"tablemill:{config.dataset}"
