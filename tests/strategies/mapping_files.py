"""Files in out/files with their manifests and mapping entries, as users write them and as they go wrong."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from component.folder.out_listing import FileListing, OutFile, OutManifest, Unseen, UnseenKind
from component.mapping.options.file import FILE_DEFAULTS
from tests.strategies.json_values import changed

NAMES = ("a.txt", "5", "b")
KEYS = (*FILE_DEFAULTS, "source", "is-public")

options = st.fixed_dictionaries(
    {},
    optional={"tags": st.lists(st.sampled_from(("x", "y", 5, None)), max_size=3)}
    | {name: st.booleans() for name in FILE_DEFAULTS if name != "tags"},
)
entries = st.builds(lambda source, rest: {"source": source} | rest, st.sampled_from((*NAMES, 5)), options)
unseen = st.builds(Unseen, st.sampled_from(("dir", ".hidden")), st.sampled_from(UnseenKind))


@st.composite
def mappings(draw: st.DrawFn) -> list[object]:
    """Build a mapping of a few entries, one in three damaged."""
    damaged = changed(entries, KEYS)
    return draw(st.lists(st.integers(0, 2).flatmap(lambda number: entries if number else damaged), max_size=3))


@st.composite
def listings(draw: st.DrawFn) -> FileListing:
    """Build a listing of all files, some with a manifest, rarely with an orphaned one."""
    owners = [name for name in NAMES if draw(st.booleans())] + (["dir"] if draw(st.integers(0, 19)) == 1 else [])
    manifests = tuple(OutManifest(f"{owner}.manifest", draw(manifest_texts())) for owner in owners)
    return FileListing("/data", tuple(map(OutFile, NAMES)), manifests, tuple(draw(st.lists(unseen, max_size=2))))


@st.composite
def manifest_texts(draw: st.DrawFn) -> bytes:
    """Build the bytes of a manifest: mostly valid, sometimes cut or not JSON at all."""
    kind = draw(st.integers(0, 9))
    text = json.dumps(draw(options if kind else changed(options, KEYS))).encode()
    return draw(st.sampled_from((text[:-1], b"", b"\xff", b"null", b"5"))) if kind == 1 else text
