"""From what pydantic found to one sentence for the user: the path, what is wrong, and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from component.config.fields import SECRET_MARK
from component.config.json_text import Step, describe, json_path
from component.errors import CODES, UserError

EXPECTED: Final[Mapping[str, str]] = {
    "string_type": "a text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}
OTHERS: Final[Mapping[str, str]] = {"string_too_short": "must not be empty"}
SHOWN_PATHS: Final = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a configuration, ready to be said; the remedy is empty where the text says what must be."""

    code: str
    path: str
    text: str
    remedy: str


@dataclass(frozen=True, slots=True)
class WrongValue:
    """Where in a document something is wrong, and a sentence about it."""

    steps: tuple[Step, ...]
    code: str
    sentence: str


def first_of(problems: Sequence[Problem]) -> UserError:
    """Return the first of some problems as a UserError, with the paths of the others behind its remedy.

    Unknown keys come first, since a misspelled key is often why another one is missing.
    """
    first = problems[0]
    others = list(dict.fromkeys(problem.path for problem in problems[1:]))
    remedy = " ".join(filter(None, (first.remedy, _others(others))))
    return UserError(first.code, f"{first.path} {first.text}", remedy=remedy)


def problems_of(error: ValidationError, model: type[BaseModel], raw: Any) -> list[Problem]:
    """Return every problem, unknown keys first; a key that is there under a wrong name is not missing as well."""
    details = sorted(error.errors(include_url=False), key=lambda detail: detail["type"] != "extra_forbidden")
    unknown = [detail["loc"] for detail in details if detail["type"] == "extra_forbidden"]
    return [_problem(detail, model, raw) for detail in details if not _is_misspelled(detail, unknown)]


def wrong_values(error: ValidationError, model: type[BaseModel], raw: Any) -> Iterator[WrongValue]:
    """Yield everything that is wrong, each with its place in the document as it was written."""
    for detail in error.errors(include_url=False):
        problem = _problem(detail, model, raw)
        steps, _ = in_document(detail["loc"], raw)
        yield WrongValue(steps, problem.code, f"{problem.path} {problem.text}.")


def _others(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    shown = ", ".join(paths[:SHOWN_PATHS])
    hidden = len(paths) - SHOWN_PATHS
    return f"There are problems with {shown}{f' and {hidden} more' if hidden > 0 else ''} too."


def _is_misspelled(detail: ErrorDetails, unknown: Sequence[tuple[Step, ...]]) -> bool:
    """Tell whether a missing key is there under a wrong name."""
    if detail["type"] != "missing":
        return False
    *parent, key = detail["loc"]
    return any(list(other[:-1]) == parent and nearest(str(other[-1]), [str(key)]) for other in unknown)


def _problem(detail: ErrorDetails, model: type[BaseModel], raw: Any) -> Problem:
    steps, value = in_document(detail["loc"], raw)
    path, kind, context = json_path(steps) or "config.json", detail["type"], detail.get("ctx", {})
    if kind in CODES:
        return Problem(kind, path, context["text"], context["remedy"])
    if kind == "extra_forbidden":
        return _unknown_key(path, str(steps[-1]), sorted(_keys_at(model, detail["loc"][:-1])))
    if kind == "missing":
        return Problem("config.missing_key", path, "is missing", "Add it.")
    if kind == "literal_error" and isinstance(value, str):
        return _unknown_word(path, value, _words(context["expected"]))
    secret = any(isinstance(step, str) and step.startswith(SECRET_MARK) for step in steps)
    return _wrong_value(path, kind, context, "something else" if secret else describe(value))


def _wrong_value(path: str, kind: str, context: Mapping[str, Any], got: str) -> Problem:
    if kind in EXPECTED:
        return Problem("config.type", path, f"must be {EXPECTED[kind]}, but is {got}", "")
    if kind == "literal_error":
        words = ", ".join(_words(context["expected"]))
        return Problem("config.type", path, f"must be one of {words}, but is {got}", "")
    if kind == "greater_than":
        return Problem("config.value", path, f"must be greater than {context['gt']}, but is {got}", "")
    if kind in OTHERS:
        return Problem("config.value", path, OTHERS[kind], "")
    return Problem("config.value", path, "is not right", "Correct it: docs/configuration.md describes every key.")


def input_words(detail: Mapping[str, Any]) -> str:
    """Return what pydantic says of a value in the words of JSON: a list, not a tuple."""
    expected = EXPECTED.get(detail["type"])
    return str(detail["msg"]) if expected is None else f"Input should be {expected}"


def _words(expected: str) -> list[str]:
    """Return the words of pydantic's list: 'a', 'b' or 'c'."""
    return expected.replace(" or ", ", ").replace("'", "").split(", ")


def in_document(location: tuple[Step, ...], raw: Any) -> tuple[tuple[Step, ...], Any]:
    """Return the steps to a location in the document as it was written, and what is there.

    Models turn objects into lists and texts into objects; in the document, a position in an object is its key, and
    a step into a text stays at the text.
    """
    steps: list[Step] = []
    node = raw
    for position, step in enumerate(location):
        if isinstance(node, dict):
            key = list(node)[step] if isinstance(step, int) else step
            steps.append(key)
            node = node.get(key)
        elif isinstance(node, list) and isinstance(step, int) and step < len(node):
            steps.append(step)
            node = node[step]
        elif isinstance(node, list) and not node and position == len(location) - 1:
            steps.append(step)
            node = None
        else:
            break
    return tuple(steps), node


def _unknown_key(path: str, key: str, allowed: list[str]) -> Problem:
    near = nearest(key, allowed)
    remedy = (f'Did you mean "{near}"? ' if near else "") + f"Allowed are {', '.join(allowed)}."
    return Problem("config.unknown_key", path, "is not a known key", remedy)


def _unknown_word(path: str, word: str, allowed: list[str]) -> Problem:
    near = nearest(word, allowed)
    text = f"must be one of {', '.join(allowed)}, but is {describe(word)}"
    return Problem("config.value", path, text, f'Did you mean "{near}"?' if near else "")


def nearest(word: str, candidates: Sequence[str]) -> str | None:
    """Return the candidate most like a word, None when no one is."""
    begun = sorted((one for one in candidates if word and one.startswith(word.lower())), key=len)
    return next(iter(begun or difflib.get_close_matches(word.lower(), candidates, n=1)), None)


def _keys_at(model: type[BaseModel], location: tuple[Step, ...]) -> Iterator[str]:
    """Yield the keys of the model at a location, as they are written in the document."""
    here: type[BaseModel] | None = model
    for step in location:
        if isinstance(step, str) and here is not None:
            by_key = {field.alias or name: field for name, field in here.model_fields.items()}
            here = _model_in(by_key[step].annotation) if step in by_key else here  # a key of the user's leads nowhere
    for name, field in (here.model_fields if here else {}).items():
        yield field.alias or name


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)
