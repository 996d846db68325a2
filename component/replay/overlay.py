"""Secrets that the platform took out, put back by JSON path, from the profile or the caller's environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import SecretStr

from component.errors import UserError
from component.naming import CONFIG_FILE
from component.replay.json_places import parse_place, put
from component.replay.profile import FromVariable, Profile

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
