"""From the bytes of a manifest to its options (reference keboola 4.1, 4.2, pitfall 10.2.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from component.folder.out_listing import OutListing, OutManifest
from component.mapping.options.nodes import NodeError
from component.mapping.options.table import parse_manifest
from component.mapping.platform.texts import refusal
from component.mapping.platform.values import JsonError, decode_json
from component.naming import MANIFEST_SUFFIX


def read_manifest(
    manifest: OutManifest, listing: OutListing, parse: Callable[[Any], dict[str, Any]] = parse_manifest
) -> dict[str, Any]:
    """Return the options of a manifest, defaults filled in; RefusedError `mapping.manifest` when it is not valid.

    JSON null reads as true for the strict booleans; that is the platform's own rule.
    """
    source = manifest.name.removesuffix(MANIFEST_SUFFIX)
    path = f"{listing.root}/out/tables//{manifest.name}"  # the doubled slash is in the platform's message
    try:
        return parse(decode_json(manifest.data))
    except JsonError as error:
        raise refusal("mapping.manifest", source, ("mapping.json", str(error)), path=path) from error
    except NodeError as error:
        raise refusal("mapping.manifest", source, error.reason, path=path) from error
