"""Keys of a store: any that are allowed, sets that a file system can hold, and texts that are no keys."""

from __future__ import annotations

import string

from hypothesis import strategies as st

ALPHABET = "`!\"#$%&'()+,-.<=>?@[]^_{}~ " + string.digits + string.ascii_letters


def parts() -> st.SearchStrategy[str]:
    """One component of a key."""
    return st.text(ALPHABET, min_size=1, max_size=12).filter(lambda part: part not in {".", ".."})


def keys() -> st.SearchStrategy[str]:
    """Any key of up to four components."""
    return st.lists(parts(), min_size=1, max_size=4).map("/".join)


def below(folder: str, key: str) -> bool:
    return key.startswith(f"{folder}/")


def key_sets(*, max_size: int = 6) -> st.SearchStrategy[list[str]]:
    """Distinct keys of which none is the folder of another, as files need it."""

    def compatible(found: list[str]) -> bool:
        return not any(below(one, other) for one in found for other in found)

    return st.lists(keys(), min_size=1, max_size=max_size, unique=True).filter(compatible)


def objects(*, max_size: int = 6) -> st.SearchStrategy[dict[str, bytes]]:
    """Keys with contents."""
    return key_sets(max_size=max_size).flatmap(
        lambda found: st.fixed_dictionaries({key: st.binary(max_size=200) for key in found})
    )


BAD_KEYS = (
    *("", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/../b", "./a", "a/."),
    *("a:b", "a*b", "a;b", "a|b", "a\\b", "C:\\a", "a\0b", "a\nb", "é", "\udcff", ".tablemill;/0.lock"),
)
"""Texts that no store may take as a key."""
