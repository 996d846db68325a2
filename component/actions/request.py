"""What is asked: the action of config.json, its configuration as it was written, and its secrets.

Forms ask while they are filled in, so the configuration need not be valid: each action reads the parts it needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from component.config.environment import Environment
from component.errors import UserError

RUN: Final = "run"


@dataclass(frozen=True, slots=True)
class Request:
    """One question of the platform; `document` is the whole config.json."""

    action: str
    document: Mapping[str, Any]
    environment: Environment

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What is configured, as it was written; empty where that is no object."""
        return mapping_at(self.document, "parameters")


def read_request(environment: Environment) -> Request | None:
    """Return what config.json asks for, None for a run (reference keboola 1.7).

    A configuration that cannot be read is a run's, which says what is wrong with it.
    """
    from component.config.load import read_document  # noqa: PLC0415 - the models are loaded when they are needed

    try:
        document = read_document(environment.data_dir).value
    except UserError:
        return None
    action = document.get("action", RUN) if isinstance(document, dict) else RUN
    return Request(action, document, environment) if isinstance(action, str) and action != RUN else None


def mapping_at(value: Any, *keys: str) -> Mapping[str, Any]:
    """Return the object below these keys, empty where there is none (PHP writes `[]` for `{}`)."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def objects_at(value: Mapping[str, Any], key: str) -> tuple[Mapping[str, Any], ...]:
    """Return the objects of the list below a key; whatever is no object is left out."""
    found = value.get(key)
    return tuple(one for one in found if isinstance(one, Mapping)) if isinstance(found, list) else ()
