"""Configured limits of tables, as parsers and writers of Workbench's files take them."""

from __future__ import annotations

from typing import Literal

from component.config.reading import TableLimits
from component.workbench.parse.options import NO_LIMITS, WORKBENCH_LIMITS, FileLimits
from component.workbench.rules.limits import TableSizes


def file_limits(limits: Literal["none", "workbench"] | TableLimits) -> FileLimits:
    """Return configured limits as the parsers take them."""
    if isinstance(limits, TableLimits):
        return FileLimits(TableSizes(limits.rows, limits.columns, limits.cell_bytes, limits.name_bytes))
    return WORKBENCH_LIMITS if limits == "workbench" else NO_LIMITS
