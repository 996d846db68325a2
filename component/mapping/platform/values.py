"""JSON values as the platform's PHP holds them, and PHP's notions of emptiness, text and type of a value.

PHP has one array type. Here a list is an array with keys 0..n-1 and a dict is any other; `array` gives that form, so an
empty map is `[]` and `{"0": "a"}` is `["a"]`, as in everything the platform writes back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from math import isfinite
from typing import Any, Final, TypeGuard

Array = list[Any] | dict[str, Any]
"""An array of the platform."""

MAX_DEPTH: Final = 512
BLANKS: Final = " \n\r\t\v\0"
"""What PHP's trim takes off both ends."""
_INTEGERS: Final = range(-(2**63), 2**63)
_NUMERIC: Final = re.compile(r"[ \t\n\r\v\f]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\r\v\f]*")
_INTEGER_KEY: Final = re.compile(r"0|-?[1-9][0-9]{0,18}")


class JsonError(ValueError):
    """A text that the platform cannot read as JSON; the message is the platform's."""


def decode_json(data: bytes) -> Any:
    """Return the value of a JSON text; JsonError with the platform's message for what it cannot read."""
    try:
        value = json.loads(data.decode(), parse_constant=_refuse_constant, parse_int=_integer)
    except UnicodeDecodeError as error:
        raise JsonError("Malformed UTF-8 characters, possibly incorrectly encoded") from error
    except json.JSONDecodeError as error:
        control = error.msg.startswith("Invalid control character")
        raise JsonError(
            "Control character error, possibly incorrectly encoded" if control else "Syntax error"
        ) from error
    except RecursionError as error:
        raise JsonError("Maximum stack depth exceeded") from error
    return platform_value(value)


def _refuse_constant(name: str) -> Any:
    raise json.JSONDecodeError(f"{name} is not JSON", "", 0)


def _integer(digits: str) -> int | float:
    if len(digits) < len(str(_INTEGERS.stop)) + 1 and int(digits) in _INTEGERS:
        return int(digits)
    return float(digits)


def platform_value(value: Any, depth: int = 0) -> Any:
    """Return a decoded JSON value in the platform's form; JsonError where it is too deep or holds half a character."""
    if isinstance(value, str):
        return _whole(value)
    if not isinstance(value, (list, tuple, dict)):
        return value
    if depth == MAX_DEPTH:
        raise JsonError("Maximum stack depth exceeded")
    items = []
    # a loop, not a comprehension: one frame a level keeps the deepest value within Python's own limit; no call for
    # numbers and ASCII, since manifests of thousands of columns have a hundred thousand of them
    for item in value.values() if isinstance(value, dict) else value:
        if type(item) is str:
            items.append(_whole(item))
        else:
            nested = isinstance(item, (str, list, tuple, dict))
            items.append(platform_value(item, depth + 1) if nested else item)
    if not isinstance(value, dict):
        return items
    return array(zip([_whole(key if type(key) is str else str(key)) for key in value], items, strict=True))


def _whole(text: str) -> str:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise JsonError("Single unpaired high surrogate in Unicode escape")
    return text


def is_array(value: Any) -> TypeGuard[list[Any] | dict[str, Any]]:
    """Whether PHP holds the value as an array."""
    return isinstance(value, (list, dict))


def entries(value: list[Any] | dict[str, Any]) -> list[tuple[str, Any]]:
    """Return keys and values of an array, keys as text."""
    if isinstance(value, dict):
        return list(value.items())
    return [(str(index), item) for index, item in enumerate(value)]


def values(value: list[Any] | dict[str, Any]) -> list[Any]:
    """Return the values of an array in order."""
    return list(value.values()) if isinstance(value, dict) else list(value)


def array(pairs: Iterable[tuple[str, Any]]) -> list[Any] | dict[str, Any]:
    """Return the array with these keys and values: a list when the keys are 0..n-1 in order, a dict otherwise."""
    made = dict(pairs)
    if next(iter(made), "0") == "0" and all(key == str(index) for index, key in enumerate(made)):
        return list(made.values())
    return made


def truthy(value: Any) -> bool:
    """Whether PHP takes the value as true: not null, false, 0, "", "0" or an empty array."""
    return bool(value) and value != "0"


def given(config: dict[str, Any], key: str) -> bool:
    """Whether a key is there with a value other than null (PHP's isset)."""
    return config.get(key) is not None


def text_of(value: Any) -> str:
    """Return a scalar as PHP turns it into text: true is "1", false and null are "", floats have 14 digits."""
    if isinstance(value, bool):
        return "1" if value else ""
    if isinstance(value, float):
        return _float_text(value)
    return "" if value is None else str(value)


def _float_text(value: float) -> str:
    if value in {float("inf"), float("-inf")}:
        return "INF" if value > 0 else "-INF"
    digits, _, exponent = f"{value:.14G}".partition("E")
    if not exponent:
        return digits
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent):+d}"


def comparison_key(value: Any) -> int | float | str:
    """Return what PHP compares of a scalar by its loose equality: the number in a text that is one, else the text."""
    text = text_of(value)
    if not _NUMERIC.fullmatch(text):
        return text
    number = float(text)
    if not isfinite(number):
        return text
    return int(text) if text.strip().lstrip("+-").isdigit() else number


def array_key(value: Any) -> int | str:
    """Return the key under which PHP files a scalar: decimal integers in text become integers, null is empty text."""
    if isinstance(value, (bool, float)):
        return int(value) if isfinite(value) else 0
    if isinstance(value, str) and _INTEGER_KEY.fullmatch(value) and int(value) in _INTEGERS:
        return int(value)
    return value if isinstance(value, int) else text_of(value)


def type_name(value: Any) -> str:
    """Return the platform's name of a value's type."""
    names = ((bool, "bool"), (int, "int"), (float, "float"), (str, "string"), (list, "array"), (dict, "array"))
    return next((name for kind, name in names if isinstance(value, kind)), "null")


def json_text(value: Any) -> str:
    """Return a value as the platform quotes it in a message: numbers without a needless fraction, slashes escaped."""
    if isinstance(value, float):
        return _json_float(value)
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/")


def _json_float(value: float) -> str:
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits.removesuffix(".0")
    return f"{digits if '.' in digits else digits + '.0'}e{int(exponent):+d}"
