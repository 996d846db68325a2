"""JSON as the platform writes it, read strictly: every text that is accepted has exactly one meaning."""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

from component.errors import shorten
from component.naming import MIB, UTF8_BOM

SURROGATES: Final = ("\ud800", "\udfff")
"""First and last half of a pair: alone they are no text that UTF-8 can hold."""
DEEPEST: Final = 100
"""Most objects and lists in each other; what nobody writes by hand would only exhaust the stack somewhere."""

LONGEST: Final = 64 * MIB
"""Most bytes of a document. The platform's own limits are far below; what is longer would only fill the memory."""

Step = str | int
"""A key of an object or a position in a list."""


class JsonFaultError(ValueError):
    """A text that is no JSON, or has two meanings; the message is the end of a sentence that began with its file."""


class _RepeatingObject(dict[str, Any]):
    """An object in whose text a key appears twice."""

    repeated: str


def read_json(path: Path) -> Any:
    """Read a file as `parse_json` does; OSError when it cannot be read."""
    return parse_json(read_document_file(path))


def read_document_file(path: Path) -> bytes:
    """Return the bytes of a document.

    OSError when there is none or it cannot be read, also for what has no end or would wait for a writer: pipes, devices
    and sockets. JsonFaultError when it is longer than `LONGEST`.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        is_folder = path.is_dir()
        raise OSError(errno.EISDIR if is_folder else errno.EINVAL, "It is a folder" if is_folder else "It is no file")
    data = bytearray()
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # without waiting, should it be a pipe by now
    with os.fdopen(handle, "rb") as file:
        while piece := file.read(MIB):
            data += piece
            if len(data) > LONGEST:
                raise JsonFaultError(f"is longer than {LONGEST // MIB} MiB")
    return bytes(data)


def parse_json(data: bytes) -> Any:
    """Return the value of a JSON text in UTF-8, with or without BOM.

    JsonFaultError, with line and column where known, for anything else: a key twice in one object, NaN and the
    infinities, numbers that overflow, halves of surrogate pairs, nesting deeper than `DEEPEST`.
    """
    text = decode(data)
    if not text.strip():
        raise JsonFaultError("is empty")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole
        )
    except json.JSONDecodeError as error:
        raise JsonFaultError(f"is not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise JsonFaultError("is nested too deeply") from None
    return with_one_meaning(value)


def with_one_meaning(value: Any) -> Any:
    """Return a value that a text was decoded to, if nothing is wrong with it as a whole; else JsonFaultError."""
    for fault in _faults(value):
        raise JsonFaultError(fault)
    return value


def json_path(steps: tuple[Step, ...]) -> str:
    """Return steps in the usual notation: `parameters.datasets[0].partition_on`, `metadata["two words"]`."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("#", "_").isidentifier():
            text += f".{shorten(step)}" if text else shorten(step)
        else:
            text += f"[{json.dumps(shorten(step), ensure_ascii=False)}]"
    return text


def describe(value: Any) -> str:
    """Say what a JSON value is; what lies inside objects and lists is never shown."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, list | dict):
        return "an object" if isinstance(value, dict) else "a list"
    return f'the text "{shorten(value)}"' if isinstance(value, str) else f"the number {shorten(str(value))}"


def decode(data: bytes) -> str:
    """Return bytes as a text, without BOM; JsonFaultError for what is not UTF-8."""
    try:
        return data.removeprefix(UTF8_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonFaultError(f"is not UTF-8 at byte {error.start}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    repeating = _RepeatingObject(found)
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            repeating.repeated = key
        seen.add(key)
    return repeating


def _no_constant(word: str) -> NoReturn:
    raise JsonFaultError(f"holds {word}, which is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isfinite(number):
        return number
    raise JsonFaultError(f"holds the number {shorten(text, 20)}, which is too large")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise JsonFaultError(f"holds a whole number of {len(text)} digits, which is too large") from None


def _faults(value: Any) -> Iterator[str]:
    """Yield what only the whole value shows, with the path of each."""
    waiting: list[tuple[tuple[Step, ...], Any]] = [((), value)]
    while waiting:
        steps, node = waiting.pop()
        if len(steps) > DEEPEST:
            yield f"is nested more than {DEEPEST} levels deep at {json_path(steps[:3])}…"
        elif isinstance(node, str) and _has_half_pair(node):
            yield f"holds half of a surrogate pair at {json_path(steps)}"
        elif isinstance(node, dict):
            if isinstance(node, _RepeatingObject):
                yield f"has the key {json_path((*steps, node.repeated))} twice"
            if any(map(_has_half_pair, node)):
                yield f"holds half of a surrogate pair in a key of {json_path(steps) or 'its top level'}"
            waiting.extend(((*steps, key), item) for key, item in node.items())
        elif isinstance(node, list):
            waiting.extend(((*steps, index), item) for index, item in enumerate(node))


def _has_half_pair(text: str) -> bool:
    first, last = SURROGATES
    return not text.isascii() and any(first <= character <= last for character in text)
