"""Output tables of all types with any options that may go together, and names that the platform leaves as they are."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from component.outputs.manifest import OutputTable
from component.plan.options import FileOptions, TableOptions
from component.tables.types import BASE_TYPES, Column, TypeName
from tests.strategies.json_values import texts

names = st.from_regex(r"[a-zA-Z][a-zA-Z0-9]{0,5}", fullmatch=True).filter(
    lambda name: name.lower() not in {"oid", "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"}
)
filled = texts.filter(bool)
metadata = st.dictionaries(names, texts, max_size=2)
scalars = texts | st.integers(-(2**53), 2**53) | st.booleans()
lengths = {
    TypeName.NUMERIC: st.none() | st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: f"{p},{s}")),
    TypeName.STRING: st.none() | st.integers(1, 1000).map(str),
    TypeName.INTEGER: st.none() | st.just("11"),
}
native_types = st.fixed_dictionaries(
    {"type": st.sampled_from(("STRING", "NUMBER", "INT64"))}, optional={"length": st.just("12,2"), "default": filled}
)
data_types = st.dictionaries(st.sampled_from(("base", "snowflake", "bigquery")), native_types, max_size=3)
filters = st.one_of(
    st.fixed_dictionaries({"values_from_set": st.lists(scalars, min_size=1, max_size=2)}),
    st.fixed_dictionaries({"values_from_workspace": st.just({"workspace_id": "7", "table": "t", "column": "c"})}),
    st.fixed_dictionaries({"values_from_storage": st.just({"bucket_id": "in.c-x", "table": "t"})}),
).flatmap(
    lambda source: st.fixed_dictionaries({"column": names, "operator": st.sampled_from(("eq", "ne"))}).map(
        lambda rest: rest | source
    )
)
deletions = st.fixed_dictionaries(
    {"changed_since": st.just("-7 days")},
    optional={"changed_until": st.just("2024-01-01"), "where_filters": st.lists(filters, min_size=1, max_size=2)},
)


@st.composite
def columns(draw: st.DrawFn) -> tuple[Column, ...]:
    different = draw(st.lists(names, min_size=1, max_size=5, unique_by=str.lower))
    found = []
    for name in different:
        kind = draw(st.sampled_from(BASE_TYPES))
        found.append(Column(name, kind, draw(lengths.get(kind, st.none())), nullable=draw(st.booleans())))
    return tuple(found)


@st.composite
def options(draw: st.DrawFn, columns: tuple[Column, ...], *, header: bool) -> TableOptions:
    some = st.sampled_from([column.name for column in columns])
    by_column = draw(st.booleans())
    given: dict[str, Any] = {
        "has_header": draw(st.sampled_from((None, True) if header else (None, False))),
        "delimiter": draw(st.sampled_from((None, ",", ";", "\t"))),
        "enclosure": draw(st.sampled_from((None, '"', "'"))),
        "write_always": draw(st.booleans()),
        "distribution_key": tuple(draw(st.lists(some, max_size=2, unique=True))),
        "deduplication_strategy": draw(st.sampled_from((None, "insert", "upsert"))),
        "delete_where_column": draw(names) if by_column else None,
        "delete_where_operator": draw(st.sampled_from((None, "eq", "ne"))) if by_column else None,
        "delete_where_values": tuple(draw(st.lists(scalars, min_size=1, max_size=2))) if by_column else (),
        "delete_where": () if by_column else tuple(draw(st.lists(deletions, max_size=2))),
        "description": draw(st.none() | filled),
        "metadata": draw(metadata),
        "column_metadata": draw(st.dictionaries(some, metadata, max_size=2)),
        "data_types": draw(st.dictionaries(some, data_types, max_size=2)),
        "manifest_type": draw(st.sampled_from((None, "out"))),
    }
    return TableOptions(**given)


@st.composite
def tables(draw: st.DrawFn) -> OutputTable:
    """One output table."""
    found = draw(columns())
    header = draw(st.booleans())
    return OutputTable(
        columns=found,
        destination=draw(st.sampled_from(("out.c-x.t", "t"))),
        primary_key=tuple(draw(st.lists(st.sampled_from([one.name for one in found]), max_size=2, unique=True))),
        incremental=draw(st.booleans()),
        header=header,
        tags=tuple(draw(st.lists(filled, max_size=3))),
        options=draw(options(found, header=header)),
    )


file_options = st.builds(
    FileOptions,
    is_public=st.booleans(),
    is_permanent=st.booleans(),
    is_encrypted=st.booleans(),
    notify=st.booleans(),
)
