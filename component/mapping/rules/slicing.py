"""The project feature that lets the platform slice big files itself: what it refuses (reference keboola 4.6).

Which files it really slices depends on their content (the slicer leaves files under 50 MB alone); the destination and
the options do not change, so the resolver checks the conditions and goes on with the files as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from component.folder.out_listing import OutManifest, OutSource
from component.mapping.platform.texts import refusal, warning
from component.mapping.platform.values import given, truthy
from component.naming import DELIMITER, ENCLOSURE


@dataclass(frozen=True, slots=True)
class Item:
    """One load to resolve: a source, its manifest if any, and one mapping entry if any."""

    source: OutSource
    manifest: OutManifest | None
    entry: dict[str, Any] | None


def check_slicing(items: Sequence[Item], log: list[str]) -> None:
    """Raise RefusedError for a source with several mappings, or one whose mapping the slicer cannot follow."""
    loads = Counter(item.source.name for item in items)
    for item in items:
        name = item.source.name
        if loads[name] > 1:
            raise refusal("mapping.several_destinations", name)
        if item.source.sliced and item.manifest is None:
            log.append(warning("mapping.slices_not_sliced", source=name))
        elif not item.source.sliced and not item.source.size:
            log.append(warning("mapping.empty_not_sliced", source=name))
        elif item.entry is not None and any(_slicing_options(item.entry)):
            raise refusal("mapping.slicing_options", name)


def _slicing_options(entry: dict[str, Any]) -> Iterable[bool]:
    yield given(entry, "delimiter") and entry["delimiter"] != DELIMITER
    yield given(entry, "enclosure") and entry["enclosure"] != ENCLOSURE
    yield truthy(entry.get("columns"))
