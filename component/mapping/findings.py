"""What the platform accepts in silence and the user should know before the job runs (reference keboola 6.2, 10 S44)."""

from __future__ import annotations

from collections.abc import Sequence

from component.mapping.model import Finding, Load
from component.mapping.texts import finding, quoted


def find(loads: Sequence[Load], input_tables: frozenset[str]) -> tuple[Finding, ...]:
    """Return the findings over all loads, in the order of the loads."""
    return (*_shared_destinations(loads), *_own_inputs(loads, input_tables))


def _shared_destinations(loads: Sequence[Load]) -> list[Finding]:
    sources: dict[str, list[str]] = {}
    for load in loads:
        sources.setdefault(load.destination, []).append(load.source)
    return [
        finding("finding.shared_destination", names[0], names=quoted(names), destination=destination)
        for destination, names in sources.items()
        if len(names) > 1
    ]


def _own_inputs(loads: Sequence[Load], input_tables: frozenset[str]) -> list[Finding]:
    return [
        finding("finding.own_input", load.source, destination=load.destination)
        for load in loads
        if load.destination in input_tables
    ]
