"""Documents of a platform that is newer than Tablemill: what is not understood and not needed is left out, and said."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, Final

from pydantic import ValidationError

from component.config.json_text import Step
from component.config.model import Config
from component.config.problems import Problem, WrongValue, first_of, problems_of, wrong_values

NEEDED: Final = frozenset({"parameters", "image_parameters", "action"})
NEEDED_OUTPUT: Final = frozenset({"tables", "files", "default_bucket", "data_type_support"})
"""Keys of `storage.output` that decide what is written; the platform alone needs the others, and all of the input."""
ROUNDS: Final = 5
ALIKE: Final = 0.8


def validated(document: Any) -> tuple[Config, tuple[str, ...]]:
    """Return a configuration, and a sentence for every value that was left out because nothing here depends on it.

    UserError as `load_config` for a value that matters.
    """
    config, rest, warnings = _forgiven(document)
    if config is not None:
        return config, warnings
    problems = problems_in(rest)  # no exception of pydantic's is raised from: it carries the values that it saw
    raise first_of(problems)


def problems_in(document: Any) -> list[Problem]:
    """Return every problem of a document but what is forgiven, unknown keys first."""
    config, rest, _ = _forgiven(document)
    if config is None:
        try:
            Config.model_validate(rest)
        except ValidationError as error:
            return problems_of(error, Config, rest)
    return []


def _forgiven(document: Any) -> tuple[Config | None, Any, tuple[str, ...]]:
    """Return the configuration, None where there is none, the document without what is forgiven, and what that was."""
    warnings: list[str] = []
    for _ in range(ROUNDS):
        try:
            return Config.model_validate(document), document, tuple(warnings)
        except ValidationError as error:
            wrong = list(wrong_values(error, Config, document))
        forgiven = [value for value in wrong if _is_forgiven(value)]
        if not forgiven:
            break
        for value in forgiven:
            document = _without(document, _to_a_key(value.steps))
            warnings.append(f"{value.sentence} It is left out.")
    return None, document, tuple(warnings)


def document_warnings(document: Any) -> Iterator[str]:
    """Yield what a person should know of keys that are left alone: a misspelled one, and rows."""
    known = list(Config.model_fields)
    for key in document if isinstance(document, dict) else ():
        near = difflib.get_close_matches(str(key).lower(), known, n=1, cutoff=ALIKE)
        if key not in known and near:
            yield f'config.json has the key "{key}", which is not known. Did you mean "{near[0]}"?'
    if isinstance(document, dict) and document.get("rows"):
        yield "config.json has rows, which the platform merges into a configuration before it runs; they are left out."


def _is_forgiven(wrong: WrongValue) -> bool:
    first, *rest = wrong.steps or ("parameters",)
    if first == "image_parameters":
        return wrong.code == "config.unknown_key"
    if first == "storage":
        return rest[:1] == ["input"] or (rest[:1] == ["output"] and len(rest) > 1 and rest[1] not in NEEDED_OUTPUT)
    return first not in NEEDED


def _to_a_key(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps to the innermost key: without one element a list would say something else."""
    while isinstance(steps[-1], int):
        steps = steps[:-1]
    return steps


def _without(document: Any, steps: tuple[Step, ...]) -> Any:
    """Return a copy of a document without the value at some steps, if it is there still."""
    first, *rest = steps
    if isinstance(document, dict) and first in document:
        if not rest:
            return {key: value for key, value in document.items() if key != first}
        return {**document, first: _without(document[first], tuple(rest))}
    if isinstance(document, list) and isinstance(first, int) and rest and first < len(document):
        return [*document[:first], _without(document[first], tuple(rest)), *document[first + 1 :]]
    return document
