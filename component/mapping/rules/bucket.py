"""The default bucket in force for a job (reference keboola 6.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from component.mapping.platform.texts import refusal
from component.mapping.platform.values import truthy

_NOT_IN_BUCKET: Final = re.compile(r"[^A-Za-z0-9-]")


@dataclass(frozen=True, slots=True)
class ComponentBucket:
    """The registration of a component with the default bucket option on: its id, and the stage (`in` or `out`)."""

    component_id: str
    stage: str = "in"


def default_bucket(configured: str | None, component: ComponentBucket | None, config_id: str | None) -> str | None:
    """Return the default bucket: the one in the configuration, else the component's own, else None.

    The row id never takes part. RefusedError `mapping.no_configuration` where the component's bucket needs the id of a
    configuration and there is none.
    """
    if configured:
        return configured if truthy(configured) else None
    if component is None:
        return None
    if not truthy(config_id):
        raise refusal("mapping.no_configuration")
    return f"{component.stage}.c-{_NOT_IN_BUCKET.sub('-', component.component_id)}-{config_id}"
