"""What people fill into a form of the platform, from its schema: every required field, blank or not."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from tests.strategies.json_values import texts

Schema = dict[str, Any]


def filled_in(schema: Schema):
    """Any value that the form would save."""
    if schema.get("enum"):
        return st.sampled_from(schema["enum"])
    return {"object": _object, "array": _array, "boolean": lambda _: st.booleans(), "string": _text}[schema["type"]](
        schema
    )


def _object(schema: Schema):
    fields = {key: filled_in(one) for key, one in schema["properties"].items() if one["type"] != "button"}
    required = {key: fields.pop(key) for key in schema["required"]}
    return st.fixed_dictionaries(required, optional=fields)


def _array(schema: Schema):
    return st.lists(
        filled_in(schema["items"]),
        min_size=schema.get("minItems", 0),
        max_size=schema.get("maxItems", 2),
        unique_by=repr if schema.get("uniqueItems") else None,
    )


def _text(schema: Schema):
    if "pattern" in schema:
        found = st.from_regex(schema["pattern"].replace("$", r"\Z"), alphabet=st.characters(codec="utf-8"))
        return found.filter(lambda text: not ("not" in schema and text.endswith(".manifest")))
    return texts.filter(lambda text: len(text) >= schema.get("minLength", 0))


def as_validated(schema: Schema) -> Schema:
    """The schema as a validator sees it: what actions fill in has no words yet, and buttons have no value."""
    found = copy.deepcopy(schema)
    waiting = [found]
    while waiting:
        node = waiting.pop()
        if node.get("enum") == []:
            del node["enum"]
        properties = node.get("properties", {})
        for key in [key for key, one in properties.items() if one.get("type") == "button"]:
            del properties[key]
        waiting += [*properties.values(), *([node["items"]] if "items" in node else [])]
    return found


def merged(root: Any, row: Any) -> Any:
    """PHP's array_replace_recursive, by which a row is laid over its configuration: lists are merged by position."""
    if isinstance(root, dict) and isinstance(row, dict):
        return {**root, **{key: merged(root.get(key), value) for key, value in row.items()}}
    if isinstance(root, list) and isinstance(row, list):
        return [merged(*pair) for pair in zip(root, row, strict=False)] + [*row[len(root) :], *root[len(row) :]]
    return row
