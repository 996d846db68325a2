"""What the platform would do with our tables in silence, and nobody can have meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from component.mapping.model import DataTypes, Feature, Load, Origin, Resolution, Settings
from component.runner.destinations import OutTable


def doubts(resolution: Resolution, tables: Iterable[OutTable], settings: Settings) -> Iterator[str]:
    """Yield a warning for each load whose result would surprise."""
    by_name = {table.name: table for table in tables}
    for load in resolution.loads:
        table = by_name.get(load.source)
        if table is not None:
            yield from table.warnings
            yield from _without_columns(table, settings)
            yield from _without_key(table, load)


def _without_columns(table: OutTable, settings: Settings) -> Iterator[str]:
    """Yield a doubt about a schema that nobody reads (reference keboola 4.3)."""
    native = Feature.NATIVE_TYPES in settings.features and settings.data_types is not DataTypes.NONE
    if "schema" in table.manifest and table.sliced and not native:
        yield (
            f"The manifest of {table.name!r} has a schema, which a project without native types does not read: "
            "its slices would be loaded without columns. Leave manifest_family out."
        )


def _without_key(table: OutTable, load: Load) -> Iterator[str]:
    """Yield a doubt about a mapping that empties the key of a legacy manifest (reference keboola 6.3)."""
    key = table.manifest.get("primary_key")
    if key and load.provenance.get("primary_key") is Origin.MAPPING and not load.options.get("primary_key"):
        yield (
            f"The output mapping for {table.name!r} names no primary key, and so takes away that of the manifest "
            f"({', '.join(key)}). Name it in the mapping too."
        )
