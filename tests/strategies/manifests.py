"""Table manifests of every era, each with the columns it tells of."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from component.folder.datatypes import has_zone
from component.tables.types import BASE_TYPES, Column, TypeName
from tests.strategies.json_values import texts

BACKEND_WORDS = {
    TypeName.STRING: ("VARCHAR", "STRING(20)", "VARIANT", "time", "character varying(12)", "GEOGRAPHY", "json"),
    TypeName.INTEGER: ("BIGINT", "INT64", "int(11)", "mediumint(8) unsigned", "smallint", "bigserial", "INTEGER"),
    TypeName.NUMERIC: ("NUMBER", "decimal", "NUMERIC", "BIGNUMERIC"),
    TypeName.FLOAT: ("DOUBLE PRECISION", "FLOAT64", "real", "float8", "double"),
    TypeName.BOOLEAN: ("BOOL", "boolean"),
    TypeName.DATE: ("DATE", "date"),
    TypeName.TIMESTAMP: ("TIMESTAMP_NTZ", "timestamp without time zone", "DATETIME", "timestamptz", "TIMESTAMP_TZ"),
}
"""Words of the backends for each type, without a length that would count."""

names = texts.filter(bool)
lengths = st.none() | st.tuples(st.integers(1, 38), st.integers(0, 9)).map(lambda pair: f"{pair[0]},{pair[1]}")


@st.composite
def columns(draw: st.DrawFn, max_size: int = 4) -> tuple[Column, ...]:
    """Different columns of any types."""
    different = draw(st.lists(names, min_size=1, max_size=max_size, unique=True))
    return tuple(
        Column(name, draw(st.sampled_from(BASE_TYPES)), draw(lengths), nullable=draw(st.booleans()))
        for name in different
    )


def backend_words(column: Column) -> st.SearchStrategy[str]:
    """Words for the type of a column that say neither a length nor a zone."""
    plain = [word for word in BACKEND_WORDS[column.type] if "(" not in word and not has_zone(word)]
    return st.sampled_from(plain)


@st.composite
def metadata(draw: st.DrawFn, column: Column) -> Any:
    """The KBC.datatype metadata of a column: with a base type or only a backend's, as a list or as an object."""
    nullable = draw(st.sampled_from((1, "1", True, "true") if column.nullable else (0, "0", "", False)))
    values: dict[str, Any] = {"KBC.datatype.nullable": nullable, "KBC.description": draw(texts)}
    if draw(st.booleans()):
        values["KBC.datatype.basetype"] = column.type.upper()
    else:
        values["KBC.datatype.type"] = draw(backend_words(column))
    if column.length is not None:
        values["KBC.datatype.length"] = column.length
    if draw(st.booleans()):
        return values
    return [{"id": 1, "key": key, "value": value, "provider": "user"} for key, value in values.items()]


@st.composite
def schema_entry(draw: st.DrawFn, column: Column) -> dict[str, Any]:
    """The entry of a column in `schema`: with a base type, a backend's type, or both."""
    length = {"length": column.length} if column.length else {}
    base = {"type": column.type.upper()}
    backend = {"type": draw(backend_words(column)), **length}
    data_types = ({"base": base, "snowflake": backend}, {"snowflake": backend}, {"base": base | length})
    return {"name": column.name, "data_type": draw(st.sampled_from(data_types)), "nullable": column.nullable, "x": 1}


@st.composite
def manifests(draw: st.DrawFn) -> tuple[dict[str, Any], tuple[Column, ...]]:
    """A manifest of an input table and its columns."""
    known = draw(columns())
    manifest: dict[str, Any] = {"id": "in.c-x.table", "attributes": [], "rows_count": 3, "description": None}
    if draw(st.booleans()):
        manifest["schema"] = [draw(schema_entry(column)) for column in known]
        if draw(st.booleans()):
            manifest["columns"] = [column.name for column in known]
    else:
        manifest["columns"] = [column.name for column in known]
        manifest["column_metadata"] = {column.name: draw(metadata(column)) for column in known}
    return manifest, known
