"""Places in a JSON value: `parameters.#password`, `rows[0]["two words"]`; read, and set."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from component.config.json_text import Step, json_path
from component.errors import UserError

_STEP: Final = re.compile(
    r'\[(?P<index>\d{1,9})\]|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]|(?P<first>^|\.)(?P<name>[^.\[\]"]+)'
)


def parse_place(text: str) -> tuple[Step, ...]:
    """Return the steps of a place; UserError `replay.profile` for a text that is none."""
    steps: list[Step] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            break
        if found["index"] is not None:
            steps.append(int(found["index"]))
        else:
            steps.append(json.loads(found["quoted"]) if found["quoted"] else found["name"])
        at = found.end()
    if at < len(text) or not steps:
        remedy = 'Write it as the list of gaps does: parameters.#password, parameters.rows[0]["two words"].'
        raise UserError("replay.profile", f"{text!r} is no place in a JSON document", remedy=remedy)
    return tuple(steps)


def put(document: Any, steps: tuple[Step, ...], value: Any) -> Any:
    """Return the document with a value at a place; objects on the way are made, PHP's `[]` for `{}` included.

    UserError `replay.profile` where the way leads through a scalar, or past the end of a list.
    """
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, str) and (document is None or document == [] or isinstance(document, dict)):
        inner = dict(document or {})
        inner[step] = put(inner.get(step), rest, value)
        return inner
    if isinstance(step, int) and isinstance(document, list) and step < len(document):
        return [put(item, rest, value) if index == step else item for index, item in enumerate(document)]
    text = f"There is no place {json_path(steps)!r} for a secret: what is there is no object or too short a list"
    raise UserError("replay.profile", text, remedy="Compare the path with config.json.")
