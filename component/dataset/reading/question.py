"""Questions as people type them: `column op value`, the value in JSON, in single quotes, or bare text.

A text may be enclosed in either quote: `"France"` with the escapes of JSON, `'France'` with a quote doubled, as in SQL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from component.dataset.files.predicates import OPERATORS, NumberText
from component.errors import UserError

_CONDITION: Final = re.compile(
    r"\s*(?P<column>.+?)\s*"
    r"(?:(?:(?P<sign>==|!=|<=|>=|<|>)|\s(?P<word>not in|in|like)\s)\s*(?P<value>.*?)"
    r"|\s(?P<null>is not null|is null))\s*",
    re.DOTALL,
)

_QUOTED: Final = re.compile(r"""\"(?:[^"\\]|\\.)*\"|'(?P<single>(?:[^']|'')*)'""")
_BEGINS_LITERAL: Final = ('"', "'", "[")


def parse_condition(text: str) -> list[Any]:
    """Return `[column, operator, value]`; the first operator in the text is the one. UserError `dataset.predicate`."""
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise UserError(
            "dataset.predicate",
            f"{text!r} is not a condition",
            remedy=f"Write column, operator and value; operators are {', '.join(OPERATORS)}.",
        )
    if found["null"]:
        return [found["column"], found["null"], None]
    return [found["column"], found["sign"] or found["word"], _value(found["value"])]


def _value(text: str) -> Any:
    """Return the value that a text stands for; UserError for a quote or a list that is not closed."""
    try:
        return _from_json(_QUOTED.sub(_in_json, text))
    except ValueError:
        if not text.startswith(_BEGINS_LITERAL):
            return text
    raise UserError(
        "dataset.predicate",
        f"The value {text} cannot be read",
        remedy="""Enclose a text in "double" or 'single' quotes, and write a list as [1, 2] or ['a', 'b'].""",
    )


def _in_json(quoted: re.Match[str]) -> str:
    """Return a text in either quote with the quotes and escapes of JSON."""
    return quoted[0] if quoted["single"] is None else json.dumps(quoted["single"].replace("''", "'"))


def _from_json(text: str) -> Any:
    return json.loads(text, parse_float=NumberText)  # as text, so that a decimal stays exact


def parse_question(where: Sequence[str], predicates: str | None) -> list[list[list[Any]]] | None:
    """Return conditions that must all hold, or predicates given as JSON; None when neither is given.

    UserError `dataset.predicate` for text that is neither, or when both are given.
    """
    if where and predicates is not None:
        raise UserError("dataset.predicate", "Conditions and predicates are both given", remedy="Give one of them.")
    if where:
        return [[parse_condition(text) for text in where]]
    if predicates is None:
        return None
    try:
        parsed = _from_json(predicates)
    except ValueError as error:
        raise UserError("dataset.predicate", f"The predicates are no JSON: {error}") from None
    lists = isinstance(parsed, list) and all(
        isinstance(conjunction, list) and all(isinstance(condition, list) for condition in conjunction)
        for conjunction in parsed
    )
    if not lists:
        raise UserError(
            "dataset.predicate", "The predicates are no lists", remedy="Write [[[column, operator, value], …], …]."
        )
    found: list[list[list[Any]]] = parsed
    return found
