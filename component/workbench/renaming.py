"""Column names of a table brought within the rules: refused, or made valid and unique."""

from __future__ import annotations

from dataclasses import replace

from component.workbench.cell_checks import check_name
from component.workbench.column_names import name_messages, unique_names
from component.workbench.limits import Limits
from component.workbench.messages import Message
from component.workbench.reading import Reading
from component.workbench.table import WorkbenchTable


def within_name_limit(
    table: WorkbenchTable, limits: Limits, reading: Reading
) -> tuple[WorkbenchTable, tuple[Message, ...]]:
    """Return the table with valid names, and messages for those that were changed (lenient).

    UserError `workbench.invalid` (InvalidArrowFile) for a name that is not valid (strict).
    """
    if reading is Reading.STRICT:
        for name in table.names:
            check_name(name, limits.name_bytes)
        return table, ()
    names = unique_names(table.names, limits.name_bytes)
    messages = name_messages(names, limits.name_bytes)
    if not messages:
        return table, ()
    columns = tuple(replace(column, name=one.name) for column, one in zip(table.columns, names, strict=True))
    return WorkbenchTable(columns, table.rows.rename_columns([one.name for one in names])), messages
