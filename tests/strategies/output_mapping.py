"""Manifests, mapping entries and outputs as users write them, and as they go wrong."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from component.folder.out_listing import OutListing, OutManifest, OutSource
from component.mapping.options.table import DEFAULTS
from component.mapping.platform.model import DataTypes, Feature, MappingLayer, Settings
from tests.strategies.json_values import changed

COLUMNS = ("Id", "name", "My col", "_timestamp", "oid", "žluť", "a-b", "0", "")
SOURCES = ("a.csv", "in.c-main.t.csv", "sliced")
DESTINATIONS = ("t", "in.c-main.t", "in.c-main.t.x", "", "0", "..", "in..t")
KEYS = (
    *DEFAULTS,
    "destination",
    "source",
    "has_header",
    "description",
    "table_metadata",
    "delete_where",
    "delete_where_column",
    "primary-key",
    "name",
    "key",
    "value",
    "data_type",
    "base",
    "unload_strategy",
    "deduplication_strategy",
)

columns = st.sampled_from(COLUMNS)
destinations = st.sampled_from(DESTINATIONS)
metadata = st.lists(st.fixed_dictionaries({"key": st.sampled_from(("a", "5", "KBC.description")), "value": columns}))
data_types = st.fixed_dictionaries(
    {"base": st.fixed_dictionaries({"type": st.just("INTEGER")}, optional={"length": st.just(3)})},
    optional={"snowflake": st.just({"type": "NUMBER"})},
)
schemas = st.lists(
    st.fixed_dictionaries(
        {"name": columns},
        optional={"data_type": data_types, "primary_key": st.booleans(), "metadata": st.just({"a": "b"})},
    ),
    max_size=3,
)
filters = st.fixed_dictionaries({"column": columns}, optional={"values_from_set": st.lists(columns, max_size=2)})
common = {
    "destination": destinations,
    "incremental": st.booleans(),
    "delimiter": st.sampled_from((",", ";", "\t", "")),
    "table_metadata": st.dictionaries(columns, columns, max_size=2),
    "write_always": st.booleans(),
    "tags": st.lists(st.just("tag"), max_size=2),
    "has_header": st.booleans(),
    "delete_where": st.lists(st.fixed_dictionaries({}, optional={"where_filters": st.lists(filters)}), max_size=1),
}
legacy = {
    "primary_key": st.lists(columns, max_size=3),
    "columns": st.lists(columns, max_size=3),
    "distribution_key": st.lists(st.sampled_from(COLUMNS[:-1]), max_size=2),
    "metadata": metadata,
    "column_metadata": st.dictionaries(columns, metadata, max_size=2),
}
manifests = st.fixed_dictionaries({}, optional=common | legacy) | st.fixed_dictionaries(
    {"schema": schemas}, optional=common
)
entries = st.fixed_dictionaries({"source": st.sampled_from(SOURCES)}, optional=common | legacy) | st.fixed_dictionaries(
    {"source": st.sampled_from(SOURCES)}, optional={"primary_key": legacy["primary_key"], "schema": schemas}
)

settings = st.builds(
    Settings,
    bucket=st.sampled_from(("in.c-main", "in.c-main", "", None)),
    branch=st.none() | st.just("123"),
    data_types=st.sampled_from(DataTypes),
    failed_job=st.booleans(),
    features=st.frozensets(st.sampled_from(Feature), max_size=2),
    mapping_layer=st.sampled_from(MappingLayer),
    component_id=st.none() | st.just("keboola.tablemill"),
)


@st.composite
def mappings(draw: st.DrawFn) -> list[object]:
    """Build a mapping of a few entries, one in three damaged."""
    damaged = changed(entries, KEYS)
    return draw(st.lists(st.integers(0, 2).flatmap(lambda number: entries if number else damaged), max_size=2))


@st.composite
def listings(draw: st.DrawFn) -> OutListing:
    """Build a listing of all sources, most with a manifest, rarely with an orphaned one."""
    sources = tuple(OutSource(name, sliced=name == "sliced", size=draw(st.integers(0, 1))) for name in SOURCES)
    owners = [name for name in SOURCES if draw(st.booleans())] + (["orphan"] if draw(st.integers(0, 19)) == 1 else [])
    found = tuple(OutManifest(f"{owner}.manifest", draw(manifest_texts())) for owner in owners)
    return OutListing("/data", sources, found)


@st.composite
def manifest_texts(draw: st.DrawFn) -> bytes:
    """Build the bytes of a manifest: mostly JSON, mostly valid, sometimes cut or not JSON at all."""
    whole = draw(st.integers(0, 9))
    text = json.dumps(draw(manifests if whole else changed(manifests, KEYS))).encode()
    return draw(st.sampled_from((text[:-1], b"\xef\xbb\xbf" + text, b"", b"\xff"))) if whole == 1 else text
