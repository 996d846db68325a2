"""YAML as the platform writes it, read as strictly as JSON: every text that is accepted has exactly one JSON value.

PyYAML parses; what a plain word means is decided here by the core schema of YAML 1.2, which the platform's writer
follows. PyYAML's own rules are those of YAML 1.1, where `no` is false, `12:30` is 750 and `010` is 8. Aliases are
refused: the platform writes none, and a short text of them may stand for more values than any memory holds.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

import yaml

from component.config.json_text import DEEPEST, JsonFaultError, decode, parse_json, with_one_meaning
from component.errors import shorten

_TAG: Final = "tag:yaml.org,2002:"
_WORDS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_WHOLE: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_BROKEN: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_ENDLESS: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST_NUMBER: Final = 1000


def parse_yaml(data: bytes) -> Any:
    """Return the JSON value of a YAML text in UTF-8, with or without BOM; an empty text is an empty object.

    JsonFaultError, with line and column where known, for anything else: a key twice or that is no text, an alias, a tag
    that JSON has no value for, NaN and the infinities, several documents, too many levels.
    """
    text = decode(data)
    if text.lstrip().startswith(("{", "[")):
        with contextlib.suppress(JsonFaultError):  # it may be YAML still
            return parse_json(data)  # whose escapes for what is beyond 16 bits YAML does not have
    try:
        events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        value = _document(iter(events))
    except yaml.MarkedYAMLError as error:
        raise JsonFaultError(f"is not YAML{_at(error.problem_mark)}: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise JsonFaultError(f"is not YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise JsonFaultError("is nested too deeply") from None
    return with_one_meaning(value)


def _document(events: Iterator[yaml.Event]) -> Any:
    value: Any = {}
    documents = 0
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise JsonFaultError(f"holds several documents{_at(event.start_mark)}")
            value = _node(next(events), events, 0)
    return {} if value is None else value


def _node(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Any:
    if depth > DEEPEST:
        raise JsonFaultError(f"is nested more than {DEEPEST} levels deep{_at(event.start_mark)}")
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event)
    if isinstance(event, yaml.AliasEvent):
        raise JsonFaultError(f"holds an alias{_at(event.start_mark)}, which JSON does not have")
    _expect(event, "seq" if isinstance(event, yaml.SequenceStartEvent) else "map")
    if isinstance(event, yaml.SequenceStartEvent):
        return [_node(inner, events, depth + 1) for inner in _until(events, yaml.SequenceEndEvent)]
    found: dict[str, Any] = {}
    for inner in _until(events, yaml.MappingEndEvent):
        key = _key(inner)
        if key in found:
            raise JsonFaultError(f"has the key {shorten(key)!r} twice{_at(inner.start_mark)}")
        found[key] = _node(next(events), events, depth + 1)
    return found


def _until(events: Iterator[yaml.Event], end: type[yaml.Event]) -> Iterator[yaml.Event]:
    for event in events:
        if isinstance(event, end):
            return
        yield event


def _key(event: yaml.Event) -> str:
    """Return a key as it is written: as PHP, which has no other keys than texts, does."""
    if isinstance(event, yaml.ScalarEvent):
        return cast(str, event.value)
    raise JsonFaultError(f"has a key that is no text{_at(event.start_mark)}")


def _scalar(event: yaml.ScalarEvent) -> Any:
    text, tag = event.value, (event.tag or "").removeprefix(_TAG)
    if tag in {"str", "!"} or (not tag and not event.implicit[0]):
        return text
    if tag and tag not in _TYPED:
        raise _unknown(event)
    try:
        return _TYPED[tag](text) if tag else _plain(text)
    except (ValueError, KeyError, OverflowError):
        raise JsonFaultError(f"holds a value that JSON does not have{_at(event.start_mark)}") from None


def _expect(event: Any, tag: str) -> None:
    if event.tag not in {None, "!", _TAG + tag}:
        raise _unknown(event)


def _unknown(event: Any) -> JsonFaultError:
    return JsonFaultError(f"holds the tag {shorten(event.tag)!r}{_at(event.start_mark)}, which JSON does not have")


def _plain(text: str) -> Any:
    """Return what a plain word means; ValueError for numbers that JSON does not have."""
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return _whole(text)
    if _BROKEN.fullmatch(text):
        return _finite(text)
    if _ENDLESS.fullmatch(text):
        raise ValueError(text)
    return text


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise OverflowError
    return int(text, 0) if text.startswith(("0o", "0x")) else int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise OverflowError
    return number


_TYPED: Final[dict[str, Callable[[str], Any]]] = {
    "int": _whole,
    "float": _finite,
    "bool": lambda text: {"true": True, "false": False}[text.lower()],
    "null": lambda _: None,
}


def _at(mark: Any) -> str:
    return f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
