"""JSON text to records, one by one: the first array there is, or a document a line (reference workbench 5, "JSON").

What stands before a fault in the text is kept. Numbers stay text until it is known what their column is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_BLANKS: Final = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    text: str

    @property
    def is_integer(self) -> bool:
        """Whether it is written without fraction and exponent."""
        return not any(character in self.text for character in ".eE")


@dataclass(frozen=True, slots=True)
class JsonObject:
    """An object with its keys in order, those that stand twice included."""

    pairs: tuple[tuple[str, Any], ...]


class NoRecordsError(Exception):
    """The text holds no array; `found` says what it holds."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found


class JsonFaultError(Exception):
    """The text is no JSON from `position` (in characters) on."""

    def __init__(self, position: int, why: str) -> None:
        super().__init__(position, why)
        self.position = position
        self.why = why


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=lambda pairs: JsonObject(tuple(pairs)),
    parse_int=Number,
    parse_float=Number,
    parse_constant=_constant,
    strict=False,
)


def json_records(text: str) -> Iterator[Any]:
    """Yield the elements of the root array, or of the first array that is a value of the root object, or of lines.

    Raises NoRecordsError when there is no array, JsonFaultError where the text stops being JSON.
    """
    at = _skip(text, 0)
    if text.startswith("[", at):
        yield from _elements(text, at)
        return
    if not text.startswith("{", at):
        root, _ = _value(text, at)
        raise NoRecordsError(compact(root))
    array = _array_in_object(text, at)
    if array is not None:
        yield from _elements(text, array)
        return
    first, end = _value(text, at)
    if _skip(text, end) == len(text):
        raise NoRecordsError(compact(first))
    yield from _lines(text, at)


def _lines(text: str, at: int) -> Iterator[Any]:
    while at < len(text):
        value, end = _value(text, at)
        yield value
        at = _skip(text, end)


def _elements(text: str, at: int) -> Iterator[Any]:
    """Yield the elements of the array that begins at a position."""
    at = _skip(text, at + 1)
    if text.startswith("]", at):
        return
    while True:
        value, at = _value(text, at)
        yield value
        at = _skip(text, at)
        if text.startswith("]", at):
            return
        at = _expect(text, at, ",", "Missing a comma or ] after an array element.")


def _array_in_object(text: str, at: int) -> int | None:
    """Return where the first array begins that is a value of the object at a position; None when none is."""
    at = _skip(text, at + 1)
    while not text.startswith("}", at):
        key, at = _value(text, at)
        if not isinstance(key, str):
            raise JsonFaultError(at, "Missing a name for object member.")
        at = _expect(text, at, ":", "Missing a colon after a name of object member.")
        if text.startswith("[", at):
            return at
        _, at = _value(text, at)
        at = _skip(text, at)
        if text.startswith("}", at):
            return None
        at = _expect(text, at, ",", "Missing a comma or } after an object member.")
    return None


def _expect(text: str, at: int, mark: str, why: str) -> int:
    at = _skip(text, at)
    if not text.startswith(mark, at):
        raise JsonFaultError(at, why)
    return _skip(text, at + 1)


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise JsonFaultError(error.pos, f"{error.msg}.") from error
    except (ValueError, RecursionError) as error:
        raise JsonFaultError(at, str(error)) from error


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def compact(value: Any) -> str:
    """Return a value as JSON without blanks; numbers as they were written."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, JsonObject):
        return "{" + ",".join(f"{_quoted(key)}:{compact(item)}" for key, item in value.pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    return _quoted(value)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
