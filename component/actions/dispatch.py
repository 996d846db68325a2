"""From the name of an action to its answer; only what that action needs is imported."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from component.actions.deadline import deadline
from component.actions.request import Request
from component.config.secrets import secrets_in
from component.errors import UserError
from component.report.log import Log


@dataclass(frozen=True, slots=True)
class Action:
    """One registered action: where its function is, and what it answers."""

    module: str
    function: str
    answers: str

    def load(self) -> Callable[[Request], Any]:
        """Import the function."""
        found: Callable[[Request], Any] = getattr(import_module(f"component.actions.{self.module}"), self.function)
        return found


ACTIONS: Final[Mapping[str, Action]] = {
    "testConnection": Action("connection", "check_connection", "Whether the store can be reached and written to."),
    "listDatasets": Action("listing", "list_datasets", "The datasets in the store and in the configuration."),
    "listColumns": Action("listing", "list_columns", "The columns of a dataset or of an input."),
    "previewTable": Action("preview", "preview_table", "The first rows of a dataset or of an input table."),
    "resolveDestinations": Action("destinations", "resolve_destinations", "Where each output will land, and why."),
    "suggestPartitioning": Action("suggesting", "suggest_partitioning", "What to partition on and index, and why."),
}
"""Every action by its name; component_config/actions.md is made from this."""


def answer(request: Request, log: Log) -> str:
    """Return the one JSON document that answers a request, on one line, secrets hidden.

    UserError `config.value` for an action that is not known; else the errors of the action.
    """
    log.hide({*secrets_in(request.document), *request.environment.secrets})
    action = ACTIONS.get(request.action)
    if action is None:
        raise UserError(
            "config.value",
            f"The action {request.action!r} is not known",
            remedy=f"Set action to run, or to one of {', '.join(ACTIONS)}.",
        )
    with deadline():
        found = action.load()(request)
        return json.dumps(_masked(found, log), ensure_ascii=False, allow_nan=False)


def quiet_log() -> Log:
    """Return the log of an action: stdout is the answer's, so only a fault of ours is told, on stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.ERROR)
    return Log(handler)


def _masked(value: Any, log: Log) -> Any:
    if isinstance(value, str):
        return log.mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(inner, log) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(inner, log) for inner in value]
    return value
