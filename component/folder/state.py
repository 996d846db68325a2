"""State between runs: in/state.json and out/state.json (reference keboola 1.3)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ConfigDict, Field, StrictInt, StrictStr

from component.config.exact import Exact
from component.config.fields import ByName, Lenient
from component.config.json_text import JsonFaultError, describe, read_document_file
from component.config.load import parse_text
from component.errors import UserError
from component.folder.json_file import json_text, write_json

OURS: Final = "tablemill"
"""The one key of the state that is ours; all others belong to somebody else and are carried forward."""
GUIDELINE_BYTES: Final = 1_000_000
"""Largest state that the platform's documentation recommends."""


class DatasetState(Exact):
    """What a run left of one dataset."""

    commit: StrictStr | None = None
    """Id of the commit, as in the header of the dataset."""
    rows: StrictInt = Field(ge=0)
    """Rows that the run read for it."""


class TablemillState(Lenient):
    """What Tablemill remembers."""

    model_config = ConfigDict(extra="allow")

    datasets: ByName[DatasetState] = Field(default_factory=dict)
    """The datasets by their uuid, each as the last run that wrote it left it."""


class State(Lenient):
    """State of a component between runs: any object; Tablemill keeps keys that are not its own."""

    model_config = ConfigDict(extra="allow", title="State")

    tablemill: TablemillState = TablemillState()
    """What Tablemill remembers."""


def read_state(path: Path) -> dict[str, Any]:
    """Return the state of a file; a missing one, and PHP's `[]`, are the empty state.

    UserError `state.syntax` for anything else that is no JSON object.
    """
    try:
        state = parse_text(read_document_file(path), "yaml" if path.suffix == ".yml" else "json")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError("state.syntax", f"The state {str(path)!r} cannot be read: {error.strerror}") from error
    except JsonFaultError as error:
        raise UserError("state.syntax", f"The state {str(path)!r} {error}") from None
    if state == []:
        return {}
    if isinstance(state, dict):
        return state
    raise UserError("state.syntax", f"The state {str(path)!r} must be an object, but is {describe(state)}")


def next_state(previous: Mapping[str, Any], datasets: Mapping[str, DatasetState]) -> dict[str, Any]:
    """Return the state after a run: the previous one, with what this run says of its datasets.

    The platform forgets what a run does not write again (reference keboola 1.3), so everything else is kept: keys of
    others, and datasets of runs that this one did not write. What cannot be ours under our own keys is replaced.
    """
    ours = _object(previous.get(OURS))
    known = _object(ours.get("datasets"))
    written = {uuid: state.content() for uuid, state in datasets.items()}
    return {**previous, OURS: {**ours, "datasets": {**known, **written}}}


def remembered_commits(state: Mapping[str, Any]) -> dict[str, str]:
    """Return the last commit of each dataset that a state remembers; what cannot be ours is left out."""
    datasets = _object(_object(state.get(OURS)).get("datasets"))
    named = {uuid: _object(one).get("commit") for uuid, one in datasets.items()}
    return {uuid: commit for uuid, commit in named.items() if isinstance(commit, str) and commit}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def size_warning(state: Mapping[str, Any]) -> str | None:
    """Return a warning for a state above the platform's guideline, None for others."""
    size = len(json_text(state).encode())
    if size <= GUIDELINE_BYTES:
        return None
    largest = max(state, key=lambda key: len(json_text(state[key])))
    text = f"The state has {size:,} bytes, most of them under {largest!r}"
    return f"{text}; the platform recommends no more than {GUIDELINE_BYTES:,}."


def write_state(path: Path, state: Mapping[str, Any]) -> None:
    """Write a state whole or not at all; UserError `output.unwritable` or `store.full`."""
    write_json(path, dict(state))
