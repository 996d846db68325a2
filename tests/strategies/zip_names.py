"""Paths in an archive, most of them wrong in one way."""

from __future__ import annotations

from hypothesis import strategies as st

PARTS = st.one_of(
    st.sampled_from(
        ["in", "out", "tables", "files", "config.json", "..", ".", "", "data", "C:", "A", "a", "ü", "x" * 300]
    ),
    st.text(st.characters(codec="utf-8"), max_size=6),
)
NAMES = st.builds(
    lambda start, parts, separator, end: start + separator.join(parts) + end,
    st.sampled_from(["", "", "", "/", "//", "../", "C:/", "\\", "./"]),
    st.lists(PARTS, min_size=1, max_size=4),
    st.sampled_from(["/", "/", "/", "\\"]),
    st.sampled_from(["", "", "/"]),
)
"""With a drive letter, a way up, a backslash, an empty part, a folder's end, or nothing wrong at all."""
