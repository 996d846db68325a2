"""One field of a records schema from its JSON: what can be understood, and remarks on the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from component.config.json_text import describe
from component.errors import Place, UserError
from component.findings import Finding, warning
from component.records.schema_models import BOUNDS, OF_TYPE, SCHEMA_JSON, Constraints, Field, FieldType

_KEYS: Final = frozenset({"type", "index", "constraints", "statistics", "representations"})
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,4000}")
_FLAGS: Final = ("required", "unique")


def parse_field(
    name: str, value: Any, *, lax: bool = False, place: Place | None = None
) -> tuple[Field, tuple[Finding, ...]]:
    """Return a field, and a remark on each part that is not understood.

    UserError `records.schema` for a field that is no object, or has no type that is known; with `lax` it is a string.
    """
    said: list[Finding] = []
    if not isinstance(value, dict):
        raise _wrong(name, f"is {describe(value)}", place)
    kind = _type(name, value.get("type"), said, lax, place)
    index = value.get("index")
    if index is not None and not _is_whole(index):
        said.append(_ignored(name, f"the index {describe(index)}"))
        index = None
    said += [_ignored(name, f"the key {key!r}") for key in sorted(set(value) - _KEYS)]
    field = Field(
        name,
        kind,
        index,
        _constraints(name, kind, _part(name, value, "constraints", said), said),
        _part(name, value, "statistics", said) or None,
        _part(name, value, "representations", said),
    )
    return field, tuple(said)


def _type(name: str, said_type: Any, said: list[Finding], lax: bool, place: Place | None) -> FieldType:
    if isinstance(said_type, str) and said_type in set(FieldType):
        return FieldType(said_type)
    text = f"has {describe(said_type)} as its type"
    if not lax:
        raise _wrong(name, text, place)
    said.append(warning("schema.type", SCHEMA_JSON, f"The field {name!r} {text}; its cells are read as text."))
    return FieldType.STRING


def _part(name: str, value: dict[str, Any], key: str, said: list[Finding]) -> dict[str, Any]:
    part = value.get(key)
    if part is None or isinstance(part, dict):
        return part or {}
    said.append(_ignored(name, f"{key} {describe(part)}"))
    return {}


def _constraints(name: str, kind: FieldType, part: dict[str, Any], said: list[Finding]) -> Constraints:
    allowed = (*_FLAGS, *OF_TYPE.get(kind, ()))
    found: dict[str, Any] = {}
    for key, value in part.items():
        read = _constraint(key, value) if key in allowed else None
        if read is not None:
            found[key] = read
        elif value is not None:
            said.append(_ignored(name, f"the constraint {key} with {describe(value)}"))
    said.extend(_contradictions(name, found))
    return Constraints(**found)


def _constraint(key: str, value: Any) -> bool | int | None:
    """Return the value of a constraint, None when it is not one; bounds are texts, and numbers are taken too."""
    if key in _FLAGS:
        return value if isinstance(value, bool) else None
    if key in BOUNDS and isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value) else None
    is_number = _is_whole(value) and (key in BOUNDS or value >= 0)
    return int(value) if is_number else None


def _contradictions(name: str, found: dict[str, Any]) -> Iterator[Finding]:
    if found.get("fixed_precision") is not None and found.get("fp_total_bits") is not None:
        text = f"The field {name!r} is both a fixed and a floating point decimal; it is read as the former."
        yield warning("schema.decimal", SCHEMA_JSON, text)
    elif (found.get("fp_total_bits") or 0) > 64:
        text = f"The field {name!r} has {found['fp_total_bits']} bits, and is read with the 64 of a double."
        yield warning("schema.decimal", SCHEMA_JSON, text)
    low, high = found.get("min"), found.get("max")
    if low is not None and high is not None and low > high:
        yield warning(
            "schema.bounds", SCHEMA_JSON, f"The field {name!r} has the bounds {low} to {high}, which no number is in."
        )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _ignored(name: str, what: str) -> Finding:
    return warning(
        "schema.ignored", SCHEMA_JSON, f"The field {name!r} has {what}, which is not in schema v1 and is ignored."
    )


def _wrong(name: str, what: str, place: Place | None) -> UserError:
    remedy = f"Types are {', '.join(FieldType)}; with lax a field of another type is read as text."
    return UserError("records.schema", f"The field {name!r} of the schema {what}", place=place, remedy=remedy)
