"""Column names as Storage takes them ("webalized"), in every option that names columns (reference keboola 4.4)."""

from __future__ import annotations

import re
from typing import Any, Final

from component.mapping.ascii_fold import ascii_fold
from component.mapping.platform_values import array, entries, given, is_array, text_of, type_name
from component.mapping.texts import refusal, warning

SYSTEM_COLUMN: Final = "_timestamp"
_RESERVED: Final = frozenset({"oid", "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
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
            webalized[key] = _renamed_items(array_option(config, key, source), log)
    if given(config, "column_metadata"):
        webalized["column_metadata"] = _renamed_keys(array_option(config, "column_metadata", source), log)
    if given(config, "schema"):
        webalized["schema"] = _renamed_columns(array_option(config, "schema", source), source, log)
    return webalized


def array_option(config: dict[str, Any], key: str, source: str) -> list[Any] | dict[str, Any]:
    """Return an option that must be an array; only an entry that no parser saw can fail (`mapping.application`)."""
    value = config[key]
    if not is_array(value):
        raise refusal("mapping.application", source, where=key, expected="array", type=type_name(value))
    found: list[Any] | dict[str, Any] = value
    return found


def _rename(name: str, log: list[str]) -> str:
    renamed = webalized_name(name)
    if renamed != name:
        log.append(warning("mapping.column_renamed", column=name, renamed=renamed))
    return renamed


def _renamed_items(names: list[Any] | dict[str, Any], log: list[str]) -> Any:
    return array([(key, _rename("" if is_array(name) else text_of(name), log)) for key, name in entries(names)])


def _renamed_keys(metadata: list[Any] | dict[str, Any], log: list[str]) -> Any:
    renamed = {name: _rename(name, log) for name, _ in entries(metadata)}
    moved = dict(entries(metadata))
    for name, items in entries(metadata):
        moved.pop(name, None)
        moved[renamed[name]] = items  # of two names that become one, the last wins
    return array(moved.items())


def _renamed_columns(schema: list[Any] | dict[str, Any], source: str, log: list[str]) -> Any:
    columns = entries(schema)
    for _, column in columns:
        if not isinstance(column, dict) or not given(column, "name"):
            raise refusal("mapping.application", source, where="schema[].name", expected="string", type="null")
    names = {key: _rename(text_of(column["name"]), log) for key, column in columns}
    return array([(key, column | {"name": names[key]}) for key, column in columns])
