"""The platform's checks on one resolved table, in its order (reference keboola 4.3, 4.4, 6.2)."""

from __future__ import annotations

from typing import Any

from component.mapping.platform.model import DataTypes, Feature, Settings
from component.mapping.platform.texts import REASONS, refusal
from component.mapping.platform.values import entries, given, truthy, values
from component.mapping.platform.webalize import is_system_column
from component.mapping.rules.destination import is_table_id


def validate(config: dict[str, Any], source: str, settings: Settings, *, sliced: bool) -> None:
    """Raise RefusedError for the first check that the resolved options fail."""
    _validate_columns(config, source)
    if Feature.NATIVE_TYPES in settings.features:
        _validate_schema(config, source, settings.data_types)
    if sliced and not config["columns"] and not config["schema"]:
        raise refusal("mapping.slices_without_columns", source)
    if not is_table_id(config["destination"]):
        raise refusal("mapping.invalid_destination", source, destination=config["destination"])


def _validate_columns(config: dict[str, Any], source: str) -> None:
    named = {
        "mapping.columns.system": values(config["columns"]),
        "mapping.columns.system_metadata": [name for name, _ in entries(config["column_metadata"])],
        "mapping.columns.system_schema": [column["name"] for column in values(config["schema"])],
    }
    system = {code: list(filter(is_system_column, names)) for code, names in named.items()}
    texts = {code: REASONS[code].format(names=", ".join(names)) for code, names in system.items() if names}
    if texts:
        raise refusal("mapping.system_columns", source, (next(iter(texts)), " ".join(texts.values())))


def _validate_schema(config: dict[str, Any], source: str, data_types: DataTypes) -> None:
    if data_types is DataTypes.NONE:
        return
    if not truthy(config["schema"]):
        raise refusal("mapping.schema_missing", source)
    if data_types is DataTypes.AUTHORITATIVE:
        untyped = [column["name"] for column in values(config["schema"]) if not _has_base_type(column)]
        if untyped:
            raise refusal("mapping.data_types_missing", source, names=", ".join(untyped))


def _has_base_type(column: dict[str, Any]) -> bool:
    return isinstance(column.get("data_type"), dict) and given(column["data_type"], "base")
