"""Data type hints: a schema whose types become metadata of text columns (reference keboola 4.3)."""

from __future__ import annotations

from typing import Any, Final

from component.mapping.platform.type_faults import other_fault
from component.mapping.platform.values import array, entries, given, is_array, values

_TEXT_TYPE: Final = {"base": {"type": "STRING"}}
_PREFIX: Final = "KBC.datatype."


def types_to_hints(config: dict[str, Any], source: str) -> dict[str, Any]:
    """Return the options with each declared type moved into the column's metadata, and the column declared as text."""
    if not given(config, "schema"):
        return config
    return config | {"schema": [_hinted(column, source) for column in values(config["schema"])]}


def _hinted(column: dict[str, Any], source: str) -> dict[str, Any]:
    hints: dict[str, Any] = {}
    rest = {key: value for key, value in column.items() if key not in {"nullable", "distribution_key", "metadata"}}
    if given(column, "data_type"):
        base = column["data_type"]["base"]
        hints["basetype"] = base["type"]
        hints |= {key: base[key] for key in ("length", "default") if given(base, key)}
        rest["data_type"] = _TEXT_TYPE
    if "nullable" in column:
        hints["nullable"] = int(column["nullable"])  # the platform's number here, its boolean for the key below
    if "distribution_key" in column:
        hints["distribution_key"] = column["distribution_key"]
    metadata = column.get("metadata") or []
    if not is_array(metadata):
        raise other_fault("schema[].metadata", "array", metadata, source)
    return rest | {"metadata": array([*entries(metadata), *((_PREFIX + key, value) for key, value in hints.items())])}
