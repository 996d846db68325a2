"""The tags that the platform gives to files by itself (reference keboola 5)."""

from __future__ import annotations

from component.mapping.platform.model import Settings


def system_tags(settings: Settings, run_id: str | None = None) -> list[str]:
    """Return the system tags in the platform's order; what is not known gives none."""
    facts = {
        "componentId": settings.component_id,
        "configurationId": settings.config_id,
        "configurationRowId": settings.config_row_id,
        "branchId": settings.branch,
        "runId": run_id,
    }
    return [f"{key}: {value}" for key, value in facts.items() if value is not None]
