"""JSON values, and documents with something in them changed."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)


@st.composite
def changed(draw: st.DrawFn, documents: st.SearchStrategy[Any], keys: tuple[str, ...]) -> Any:
    """A document in which up to three places are replaced, removed, or given a key more."""
    document = {"root": copy.deepcopy(draw(documents))}
    for _ in range(draw(st.integers(0, 3))):
        holder, key = draw(st.sampled_from(list(_places(document))))
        act = draw(st.sampled_from(("replace", "remove", "add")))
        if act == "add" and isinstance(holder[key], dict):
            holder[key][draw(st.sampled_from(keys) | texts)] = draw(values)
        elif act == "remove" and holder is not document:
            del holder[key]
        else:
            holder[key] = draw(values)
    return document["root"]


def _places(node: Any) -> Any:
    for key, item in list(node.items() if isinstance(node, dict) else enumerate(node)):
        yield node, key
        if isinstance(item, dict | list):
            yield from _places(item)
