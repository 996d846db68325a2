"""Column names as Storage takes them ("webalized"), in every option that names columns (reference keboola 4.4)."""

from __future__ import annotations

import re
from typing import Any, Final

from component.mapping.platform.ascii_fold import ascii_fold
from component.mapping.platform.texts import warning
from component.mapping.platform.type_faults import array_fault, other_fault
from component.mapping.platform.values import Array, array, entries, given, is_array, text_of

SYSTEM_COLUMN: Final = "_timestamp"
_RESERVED: Final = frozenset({"oid", "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
_CLASS: Final = "Configuration\\Table\\Webalizer"
_NOT_ALLOWED: Final = re.compile(r"[^_A-Za-z0-9]+")


def webalized_name(name: str) -> str:
    """Return a column name as Storage would have it; the system column keeps its name and is refused later."""
    if is_system_column(name):
        return name
    cleaned = _NOT_ALLOWED.sub("_", ascii_fold(name)).strip("_")
    return f"{cleaned}_" if cleaned.lower() in _RESERVED else cleaned


def is_system_column(name: str) -> bool:
    """Whether a name is the system column, in any case."""
    return name.lower() == SYSTEM_COLUMN


def webalize(config: dict[str, Any], source: str, log: list[str]) -> dict[str, Any]:
    """Return the options with all column names webalized; every change is a warning in `log`.

    `distribution_key` and the delete conditions keep their names, as on the platform.
    """
    webalized = dict(config)
    for key in ("columns", "primary_key"):
        if given(config, key):
            names = _array(config[key], "getWebalizedColumnNames", "#1 ($columns)", source)
            webalized[key] = _renamed_items(names, log)
    if given(config, "column_metadata"):
        metadata = _array(config["column_metadata"], "webalizeColumnsMetadata", "#1 ($columnsMetadata)", source)
        webalized["column_metadata"] = _renamed_keys(metadata, log)
    if given(config, "schema"):
        schema = _array(config["schema"], "webalizeSchemaColumnNames", "#1 ($schema)", source)
        webalized["schema"] = _renamed_columns(schema, source, log)
    return webalized


def _array(value: Any, method: str, argument: str, source: str) -> Array:
    # only an entry that no parser saw can fail
    if not is_array(value):
        raise array_fault(f"{_CLASS}::{method}", argument, value, source)
    found: Array = value
    return found


def _rename(name: str, log: list[str]) -> str:
    renamed = webalized_name(name)
    if renamed != name:
        log.append(warning("mapping.column_renamed", column=name, renamed=renamed))
    return renamed


def _renamed_items(names: Array, log: list[str]) -> Any:
    return array([(key, _rename("Array" if is_array(name) else text_of(name), log)) for key, name in entries(names)])


def _renamed_keys(metadata: Array, log: list[str]) -> Any:
    renamed = {name: _rename(name, log) for name, _ in entries(metadata)}
    moved = dict(entries(metadata))
    for name, items in entries(metadata):
        moved.pop(name, None)
        moved[renamed[name]] = items  # of two names that become one, the last wins
    return array(moved.items())


def _renamed_columns(schema: Array, source: str, log: list[str]) -> Any:
    columns = {}
    for key, column in entries(schema):
        if not is_array(column) or is_array(dict(entries(column)).get("name")):
            raise other_fault("schema[].name", "string", column, source)
        columns[key] = dict(entries(column))
    # a column that lacks its name gets the empty one here, which the parser of the merged options refuses
    names = {key: _rename(text_of(column.get("name")), log) for key, column in columns.items()}
    return array([(key, column | {"name": names[key]}) for key, column in columns.items()])
