"""Whether rows to come fit a dataset that is there, and whether a layout can be written at all: pure decisions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from component.dataset.commits.tables import check_same_table
from component.dataset.format.flavour import said_flavour
from component.dataset.format.header import Header
from component.dataset.format.keys import LABELS_COLUMN, check_partition_keys, check_table
from component.dataset.format.layout import Layout, OtherTable, described_attributes, described_schema, source_order
from component.dataset.format.schema import (
    OTHER_TYPE,
    check_appendable,
    normal_schema,
    normal_type,
    same_flavour,
    takes,
)
from component.errors import Place, UserError
from component.formats.losses import Loss, rezoned
from component.tables.logical import LOGICAL, ZONE, FullRows, Logical
from component.tables.numeric import cast_values


def check_indices(layout: Layout) -> None:
    """Raise UserError `column.type` or `column.missing` for one that cannot be indexed (reference kartothek 3.1)."""
    for name in layout.secondary_indices:
        if name not in layout.schema.names or name in layout.partition_on:
            raise UserError(
                "column.missing",
                "A column to index is not among the columns of the data files",
                place=Place(table=layout.uuid, column=name),
                remedy="Index a column of the table that it is not partitioned by.",
            )
        data_type = layout.schema.field(name).type
        if name == LABELS_COLUMN or pa.types.is_nested(data_type) or pa.types.is_null(data_type):
            what = "that name" if name == LABELS_COLUMN else f"the type {data_type}"
            raise UserError(
                "column.type",
                f"A column of {what} cannot have an index",
                place=Place(table=layout.uuid, column=name),
                remedy="Leave it out of secondary_indices.",
            )


def check_names(layouts: Sequence[Layout]) -> None:
    """Raise UserError `store.key` or `column.type` for names that a dataset to be made cannot have."""
    for layout in layouts:
        check_table(layout.table, layout.uuid)
        check_partition_keys(layout.partition_on, layout.uuid)


def index_doubts(layouts: Iterable[Layout]) -> list[str]:
    """Return what is to be said of indices that the client which a dataset is kept for cannot append to."""
    doubtful = {
        name: layout
        for layout in layouts
        for name in layout.secondary_indices
        if name in layout.schema.names and pa.types.is_decimal(layout.schema.field(name).type)
    }
    return [
        f"The index on the numeric column {name!r} of the dataset {layout.uuid!r} keeps {layout.compatibility} from"
        " appending to it. Index another column, or make it integer, float or string."
        for name, layout in doubtful.items()
    ]


def fit_tables(layouts: Sequence[Layout], header: Header, existing: Mapping[str, pa.Schema]) -> tuple[Layout, ...]:
    """Return the layouts for an append of rows to all tables of a dataset, in the order in which they came.

    `existing` are the normalised schemas by table. A dataset of one table takes rows of a table of any name, one of
    several rows for some of its tables. UserError
    `dataset.schema` and `dataset.partitioning` when rows do not fit, `dataset.format` when the tables are not those of
    the dataset, or its partitions do not have the same tables.
    """
    check_same_table(header)
    if len(layouts) == len(header.tables) == 1:
        return (replace(fit_layout(layouts[0], header, existing[header.table]), table=header.table),)
    names = [layout.table for layout in layouts]
    if not set(names) <= set(header.tables):
        raise UserError(
            "dataset.format",
            f"The dataset {header.uuid!r} has the tables {', '.join(header.tables)}, and rows come for"
            f" {', '.join(names)}",
            remedy="Name tables of the dataset, or use mode overwrite.",
        )
    fitted = [fit_layout(layout, header, existing[layout.table]) for layout in layouts]
    kept_for = said_flavour(header)
    return tuple(replace(one, secondary_indices=_of_table(one), compatibility=kept_for) for one in fitted)


def absent_tables(
    header: Header, existing: Mapping[str, pa.Schema], present: Collection[str]
) -> tuple[OtherTable, ...]:
    """Return the tables of a dataset of several for which no rows come, as they are."""
    if len(header.tables) < 2:
        return ()
    found = []
    for table in (table for table in header.tables if table not in present):
        described, stored = header.described(table), existing[table]
        schema = pa.schema([stored.field(name) for name in source_order(described, stored)])
        layout = Layout(
            header.uuid,
            schema,
            header.partition_keys,
            tuple(name for name in header.indices if name in schema.names),
            table=table,
            compatibility=said_flavour(header),
        )
        found.append(OtherTable(layout, tuple(described.get("primary_key", ()))))
    return tuple(found)


def _of_table(layout: Layout) -> tuple[str, ...]:
    return tuple(name for name in layout.secondary_indices if name in layout.schema.names)


def fit_layout(layout: Layout, header: Header, existing: pa.Schema) -> Layout:
    """Return the layout for an append to one table: partition keys as they are, and all indices of the dataset.

    `existing` is the normalised schema of the table. UserError `dataset.schema` and `dataset.partitioning` when the
    rows do not fit.
    """
    if layout.partition_on and layout.partition_on != header.partition_keys:
        raise _differs("partitioned by", layout.partition_on, header.partition_keys)
    unknown = [name for name in layout.secondary_indices if name not in header.indices]
    if unknown and header.partitions:
        raise _differs("indexed by", layout.secondary_indices, tuple(header.indices))
    schema = _their_types(layout, existing)
    check_appendable(normal_schema(schema, ()), existing, table=layout.uuid)
    return replace(
        layout,
        schema=schema,
        partition_on=header.partition_keys,
        secondary_indices=tuple(dict.fromkeys([*header.indices, *layout.secondary_indices])),
    )


def _their_types(layout: Layout, existing: pa.Schema) -> pa.Schema:
    """Give columns the type that the dataset has for them where their values go into it: `fitted_values` brings them.

    That is so for a column without values (Arrow's null type), for times and instants where the dataset has such types,
    and for whole numbers where it has uint64.
    """
    attributes = {name: dict(known) for name, known in layout.attributes}
    full = FullRows(layout.schema, attributes).schema
    zoned = {name for name, known in attributes.items() if known.get(LOGICAL) == Logical.ZONED}
    return pa.schema(
        [_their_field(one, full.field(one.name).type, existing, zoned=one.name in zoned) for one in layout.schema]
    )


def _their_field(field: pa.Field, full: pa.DataType, existing: pa.Schema, *, zoned: bool) -> pa.Field:
    at = existing.get_field_index(field.name)
    if at < 0:
        return field
    theirs = existing.field(at)
    if pa.types.is_null(field.type):
        return theirs
    if same_flavour(field.type, theirs.type):
        return theirs if pa.types.is_nested(theirs.type) else field
    if zoned and pa.types.is_timestamp(theirs.type):
        return theirs if theirs.type.tz is not None else field  # each text names its zone, or does not fit
    return theirs if same_flavour(full, theirs.type) or takes(full, theirs.type) else field


def fitted_values(rows: pa.Table, layout: Layout) -> pa.Table:
    """Return rows of a source with the types of the layout that they were fitted to; UserError `cell.type`."""
    wanted = {field.name: field for field in layout.schema}
    other = [f.name for f in rows.schema if f.name in wanted and not f.type.equals(wanted[f.name].type)]
    if not other:
        return rows
    full = FullRows(rows.schema, {name: dict(known) for name, known in layout.attributes}).of(rows)
    for name in other:
        rows = rows.set_column(rows.schema.get_field_index(name), wanted[name], _taken(full[name], wanted[name]))
    return rows


def _taken(values: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    try:
        return cast_values(values, field.type)
    except pa.ArrowInvalid as error:
        raise UserError(
            "cell.type",
            f"A value does not fit the type that the column has in the dataset, {field.type}: {error}",
            place=Place(column=field.name),
            remedy=OTHER_TYPE,
        ) from error


def joined_attributes(layout: Layout, header: Header | None) -> dict[str, dict[str, str]]:
    """Return the attributes of the columns that a dataset will have: the new ones, and those of rows that stay.

    Whether a text is a time and a timestamp an instant is what the header says, if there are values of the column in
    this type; instants of several zones meet in UTC.
    """
    new = {name: dict(known) for name, known in layout.attributes}
    described = header.described(layout.table) if header else {}
    before = described_attributes(described)
    stays = _staying(layout, header)
    joined = {name: _joined(told, before.get(name, {})) for name, told in new.items() if name in stays}
    known = {**before, **new, **joined}
    return {name: known[name] for name in layout.schema.names if known.get(name)}


def _joined(told: Mapping[str, str], old: Mapping[str, str]) -> dict[str, str]:
    kind, zone = old.get(LOGICAL), old.get(ZONE)
    found = {key: text for key, text in told.items() if key not in {LOGICAL, ZONE}}
    if kind is not None:
        found[LOGICAL] = kind
    if zone is not None and (told.get(LOGICAL) != kind or told.get(ZONE) == zone):
        found[ZONE] = zone
    return found


def _staying(layout: Layout, header: Header | None) -> frozenset[str]:
    """Return the columns of which a header has values that stay: not one that is new, of another type now, or empty."""
    if header is None:
        return frozenset()
    stored = described_schema(header.described(layout.table))
    if stored is None:
        return frozenset(layout.schema.names)
    types = {field.name: normal_type(field.type) for field in stored if not pa.types.is_null(field.type)}
    fields = (field for field in layout.schema if field.name in types)
    return frozenset(field.name for field in fields if types[field.name].equals(normal_type(field.type)))


def joining_losses(given: Layout, fitted: Layout, header: Header) -> Iterator[Loss]:
    """Yield what becomes of zones where rows join those of a header: their own zone, and that of the dataset.

    `given` is the layout of the rows as they come, `fitted` as `fit_layout` returns it.
    """
    come = _full(given, {name: dict(known) for name, known in given.attributes})
    there = _full(fitted, described_attributes(header.described(fitted.table)))
    kept = _full(fitted, joined_attributes(fitted, header))
    for name in (name for name in come.names if name in kept.names):
        yield from rezoned(name, *(one.field(name).type for one in (come, there, kept)))


def _full(layout: Layout, attributes: Mapping[str, Mapping[str, str]]) -> pa.Schema:
    return FullRows(layout.schema, attributes).schema


def _differs(what: str, wanted: Sequence[str], there: Sequence[str]) -> UserError:
    return UserError(
        "dataset.partitioning",
        f"The dataset is {what} {', '.join(there) or 'nothing'}, and {', '.join(wanted)} is configured",
        remedy="Configure what the dataset has, or use mode overwrite.",
    )


def fitted_rows(rows: pa.Table, schema: pa.Schema, uuid: str) -> pa.Table:
    """Return rows in the columns and types of a schema; UserError `dataset.schema` where a value would be lost."""
    if set(rows.column_names) != set(schema.names) or len(rows.column_names) != len(schema.names):
        raise UserError(
            "dataset.schema",
            f"The new rows have the columns {', '.join(rows.column_names)}",
            place=Place(table=uuid),
            remedy=f"Give them the columns of the dataset: {', '.join(schema.names)}.",
        )
    return pa.table([_fitted(rows[field.name], field, uuid) for field in schema], schema=schema)


def _fitted(column: pa.ChunkedArray, field: pa.Field, uuid: str) -> pa.ChunkedArray:
    try:
        return column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        first = str(error).splitlines()[0]
        raise UserError(
            "dataset.schema",
            f"The column is {column.type} now and {field.type} in the dataset, and a value does not fit: {first}",
            place=Place(table=uuid, column=field.name),
            remedy=OTHER_TYPE,
        ) from error
