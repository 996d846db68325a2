"""Where a text stops being JSON and why, in the words of Workbench's parser (reference workbench 5, "JSON")."""

from __future__ import annotations

import json
import re
from typing import Final

EMPTY: Final = "The document is empty."
NOT_SINGLE: Final = "The document root must not be followed by other values."
NO_NAME: Final = "Missing a name for object member."
NO_COLON: Final = "Missing a colon after a name of object member."
NO_COMMA_IN_OBJECT: Final = "Missing a comma or } after an object member."
NO_COMMA_IN_LIST: Final = "Missing a comma or ] after an array element."
NO_VALUE: Final = "Invalid value."
NO_QUOTE: Final = "Missing a closing quotation mark in string."
NO_ESCAPE: Final = "Invalid escape character in string."
NO_HEX: Final = "Incorrect hex digit after \\u escape in string."
NO_PAIR: Final = "The surrogate pair in string is invalid."
TOO_DEEP: Final = "Lists and objects stand too deep in each other."

_STARTS: Final = (
    ("Unterminated string", NO_QUOTE),
    ("Expecting property name", NO_NAME),
    ("Illegal trailing comma before end of object", NO_NAME),
    ("Illegal trailing comma before end of array", NO_VALUE),
    ("Expecting ':'", NO_COLON),
    ("Expecting value", NO_VALUE),
    ("Invalid \\escape", NO_ESCAPE),
    ("Invalid \\uXXXX", NO_HEX),
)
_LITERALS: Final = ("null", "true", "false")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_CONSTANT: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:u([dD][89a-fA-F])?|.)", re.DOTALL)
_HIGH: Final = frozenset("89abAB")


class JsonTextError(Exception):
    """The text is no JSON from `position` (in characters) on."""

    def __init__(self, position: int, why: str) -> None:
        super().__init__(position, why)
        self.position = position
        self.why = why


def fault_of(text: str, start: int, error: json.JSONDecodeError) -> JsonTextError:
    """Return the fault that Python's decoder found in the value that begins at `start`."""
    why = next((words for begins, words in _STARTS if error.msg.startswith(begins)), None)
    if why is None:
        why = NO_COMMA_IN_OBJECT if _innermost(text, start, error.pos) == "{" else NO_COMMA_IN_LIST
    if why is NO_QUOTE:
        return JsonTextError(len(text), why)
    if why is NO_VALUE:
        if not text[: error.pos].strip() and error.pos >= len(text.rstrip()):
            return JsonTextError(len(text), EMPTY)
        return JsonTextError(error.pos + _said_of_literal(text, error.pos), why)
    return JsonTextError(error.pos, why)


def _innermost(text: str, start: int, end: int) -> str:
    """Return the bracket that is open at a position."""
    opened: list[str] = []
    for found in _TOKEN.finditer(text, start, end):
        if found[0] in "[{":
            opened.append(found[0])
        elif found[0] in "]}" and opened:
            opened.pop()
    return opened[-1] if opened else "["


def _said_of_literal(text: str, at: int) -> int:
    """Return how many characters at a position are those of null, true or false."""
    word = next((one for one in _LITERALS if text.startswith(one[0], at)), "")
    return next((count for count, one in enumerate(word) if not text.startswith(one, at + count)), 0)


def constant_in(text: str, start: int) -> int:
    """Return where the first NaN or infinity stands that is in no string."""
    return next((found.start() for found in _CONSTANT.finditer(text, start) if found[1]), start)


def hold_pairs(text: str, start: int, end: int) -> None:
    """Raise for an escaped half of a surrogate pair without the other, which no text can have."""
    if text.find("\\u", start, end) < 0:
        return
    expected = lone_low = -1  # where the second half of a pair has to stand; the first second half without a first
    for found in _ESCAPE.finditer(text, start, end):
        at, digits = found.start(), found[1]
        is_high, is_low = digits is not None and digits[1] in _HIGH, digits is not None and digits[1] not in _HIGH
        if expected >= 0 and not (is_low and at == expected):
            raise JsonTextError(expected - 6, NO_PAIR)
        if is_low and expected < 0 and lone_low < 0:
            lone_low = at
        expected = at + 6 if is_high else -1
    if expected >= 0:
        raise JsonTextError(expected - 6, NO_PAIR)
    if lone_low >= 0:
        raise JsonTextError(lone_low, NO_PAIR)
