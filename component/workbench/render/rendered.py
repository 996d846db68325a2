"""What a step gives: a table, errors or warnings, and JSON (reference workbench 4, 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from component.workbench.render.messages import RenderError
from component.workbench.tables.table import WorkbenchTable


class RenderStatus(StrEnum):
    """What a result means to the steps after it.

    - `ok`: there are columns; errors are warnings.
    - `error`: there are no columns, and errors say why; they stop the flow.
    - `unreachable`: there is neither.
    """

    OK = "ok"
    ERROR = "error"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A result as it is kept: `json` is an object of the step's own."""

    table: WorkbenchTable
    errors: tuple[RenderError, ...] = ()
    json: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> RenderStatus:
        """What the result means."""
        if self.table.columns:
            return RenderStatus.OK
        return RenderStatus.ERROR if self.errors else RenderStatus.UNREACHABLE
