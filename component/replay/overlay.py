"""Secrets that the platform took out, put back by JSON path, from the profile or the caller's environment.

A path names a place in a JSON value: `parameters.#password`, `rows[0]["two words"]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import SecretStr

from component.config.json_text import Step, json_path
from component.errors import UserError
from component.naming import CONFIG_FILE
from component.replay.profile import FromVariable, Profile

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
    raise UserError(
        "replay.profile",
        text,
        remedy="Name the place of a value in config.json, as parameters.#token or parameters.hosts[0].#key.",
    )


STATE: Final = "in/state.json"


def overlays(profile: Profile, given: Sequence[str], variables: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the values to put back, by document and path in it.

    `given` are PATH=NAME, where NAME is an environment variable of the caller: a secret has no place on a command line.
    UserError `replay.profile` for a variable that is not set.
    """
    found: dict[str, dict[str, Any]] = {CONFIG_FILE: {}, STATE: {}}
    for place, value in profile.secrets.items():
        _add(found, place, _secret(place, value, variables))
    for entry in given:
        place, _, name = entry.rpartition("=")
        _add(found, place, _variable(place, name, variables))
    return found


def overlaid(document: Any, values: Mapping[str, Any]) -> Any:
    """Return a document with values put in their places; UserError `replay.profile`."""
    for place, value in values.items():
        document = put(document, parse_place(place), value)
    return document


def _add(found: dict[str, dict[str, Any]], place: str, value: Any) -> None:
    document, separator, path = place.partition(": ")
    if separator and document in found:
        found[document][path] = value
    else:
        found[CONFIG_FILE][place] = value


def _secret(place: str, value: Any, variables: Mapping[str, str]) -> Any:
    if isinstance(value, FromVariable):
        return _variable(place, value.env, variables)
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def _variable(place: str, name: str, variables: Mapping[str, str]) -> str:
    if name in variables and place:
        return variables[name]
    text = f"The secret for {place!r} is to come from the environment variable {name!r}, which is not set"
    raise UserError("replay.profile", text, remedy="Set it, and write --secret PATH=VARIABLE.")
