"""JSON text to records, one by one: the first array there is, or a document a line (reference workbench 5, "JSON").

What stands before a fault in the text is kept. Numbers stay text until it is known what their column is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

from component.workbench.parse.json_faults import (
    NO_COLON,
    NO_COMMA_IN_LIST,
    NO_COMMA_IN_OBJECT,
    NO_NAME,
    NO_VALUE,
    NOT_SINGLE,
    TOO_DEEP,
    JsonTextError,
    constant_in,
    fault_of,
    hold_pairs,
)

_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_MOST_DEPTH: Final = 200
"""Lists and objects in each other; Workbench has no limit, Python has one."""
UNWRITTEN: Final = object()
"""Stands for the value of a key at which the text breaks off."""


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
    """An object with its keys in order, those that stand twice included; the last value may be `UNWRITTEN`."""

    pairs: tuple[tuple[str, Any], ...]


class NoRecordsError(Exception):
    """The text holds no array; `found` says what it holds."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found


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
    """Yield the elements of the root array, or of the first array that is a value of the root object.

    Without such an array: the documents of the text, if there are more than one. Raises NoRecordsError when there are
    no records, JsonTextError where the text stops being JSON; a record that breaks off is yielded before.
    """
    at = _skip(text, 0)
    if text.startswith("[", at):
        _hold_end(text, (yield from _elements(text, at)))
        return
    if not text.startswith("{", at):
        root, end = _value(text, at)
        _hold_end(text, end)
        raise NoRecordsError(compact(root))
    array = _array_in_object(text, at)
    if array is not None:
        after = yield from _elements(text, array)
        _hold_end(text, _rest_of_object(text, after))
        return
    first, end = _value(text, at)
    if _skip(text, end) == len(text):
        raise NoRecordsError(compact(first))
    yield from _documents(text, at)


def json_lines(text: str) -> Iterator[Any]:
    """Yield the documents of a text, one after the other; a text that is one array has its elements.

    Raises JsonTextError where the text stops being JSON; a record that breaks off is yielded before.
    """
    at = _skip(text, 0)
    return json_records(text) if text.startswith("[", at) else _documents(text, at)


def _documents(text: str, at: int) -> Iterator[Any]:
    while at < len(text):
        value, end = yield from _record(text, at)
        yield value
        at = _skip(text, end)


def _elements(text: str, at: int) -> Generator[Any, None, int]:
    """Yield the elements of the array that begins at a position; return where it ends."""
    at = _skip(text, at + 1)
    if text.startswith("]", at):
        return at + 1
    while True:
        value, at = yield from _record(text, at)
        yield value
        at = _skip(text, at)
        if text.startswith("]", at):
            return at + 1
        at = _expect(text, at, ",", NO_COMMA_IN_LIST)


def _record(text: str, at: int) -> Generator[Any, None, tuple[Any, int]]:
    """Return a value and where it ends; yield what there is of an object that breaks off, before raising."""
    try:
        return _value(text, at)
    except JsonTextError:
        if text.startswith("{", at) and (begun := _begun(text, at)).pairs:
            yield begun
        raise


def _begun(text: str, at: int) -> JsonObject:
    """Return an object up to the fault in its text."""
    pairs: list[tuple[str, Any]] = []
    try:
        at = _skip(text, at + 1)
        while True:
            key, at = _key(text, at)
            pairs.append((key, UNWRITTEN))
            value, at = _value(text, at)
            pairs[-1] = (key, value)
            at = _expect(text, at, ",", NO_COMMA_IN_OBJECT)
    except JsonTextError:
        return JsonObject(tuple(pairs))


def _key(text: str, at: int) -> tuple[str, int]:
    """Return a key and where its value begins."""
    if not text.startswith('"', at):
        raise JsonTextError(at, NO_NAME)
    key, at = _value(text, at)
    return key, _expect(text, at, ":", NO_COLON)


def _array_in_object(text: str, at: int) -> int | None:
    """Return where the first array begins that is a value of the object at a position; None when none is."""
    at = _skip(text, at + 1)
    while not text.startswith("}", at):
        _, at = _key(text, at)
        if text.startswith("[", at):
            return at
        _, at = _value(text, at)
        at = _skip(text, at)
        if text.startswith("}", at):
            return None
        at = _expect(text, at, ",", NO_COMMA_IN_OBJECT)
    return None


def _rest_of_object(text: str, at: int) -> int:
    """Return where the object ends whose value ends at a position."""
    at = _skip(text, at)
    while not text.startswith("}", at):
        at = _expect(text, at, ",", NO_COMMA_IN_OBJECT)
        _, at = _key(text, at)
        _, at = _value(text, at)
        at = _skip(text, at)
    return at + 1


def _hold_end(text: str, at: int) -> None:
    """Raise if anything follows."""
    at = _skip(text, at)
    if at < len(text):
        raise JsonTextError(at, NOT_SINGLE)


def _expect(text: str, at: int, mark: str, why: str) -> int:
    at = _skip(text, at)
    if not text.startswith(mark, at):
        raise JsonTextError(at, why)
    return _skip(text, at + 1)


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise fault_of(text, at, error) from error
    except RecursionError as error:
        raise JsonTextError(at, TOO_DEEP) from error
    except ValueError as error:  # NaN and infinities
        raise JsonTextError(constant_in(text, at), NO_VALUE) from error
    if text.count("[", at, end) + text.count("{", at, end) > _MOST_DEPTH and _depth(value) > _MOST_DEPTH:
        raise JsonTextError(at, TOO_DEEP)
    hold_pairs(text, at, end)
    return value, end


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [inner for one in level for inner in _inside(one)]
    return depth


def _inside(value: Any) -> list[Any]:
    if isinstance(value, JsonObject):
        return [item for _, item in value.pairs if isinstance(item, list | JsonObject)]
    return [item for item in value if isinstance(item, list | JsonObject)] if isinstance(value, list) else []


def _skip(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return at if found is None else found.end()


def compact(value: Any) -> str:
    """Return a value as JSON without blanks; numbers as they were written."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, JsonObject):
        return "{" + ",".join(f"{_quoted(key)}:{compact(item)}" for key, item in value.pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    return _quoted(value)


_CONTROL: Final = re.compile(r"(?<!\\)((?:\\\\)*\\u00)([0-9a-f]{2})")


def _quoted(value: Any) -> str:
    """Return a value as Workbench quotes it: control characters in capital hexadecimal digits."""
    text = json.dumps(value, ensure_ascii=False)
    return _CONTROL.sub(lambda found: found[1] + found[2].upper(), text) if "\\u00" in text else text
