"""The entry of the mapping room: one question, answered by a named rule set.

A rule set is a function from listing, mapping and settings to a Resolution; the findings are added to all alike. To add
one, write it in its own module and name it in `RULE_SETS`; the parser nodes, the merge and the checks it shares are
modules beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from component.errors import UserError
from component.folder.out_listing import OutListing
from component.mapping.findings.tables import table_findings
from component.mapping.platform.model import Resolution, Settings
from component.mapping.platform.remedies import with_remedy
from component.mapping.rules import seed as rules_seed
from component.mapping.rules import y2017 as rules_2017
from component.mapping.rules import y2026 as rules_2026

RuleSet = Callable[[OutListing, Sequence[Mapping[str, Any]], Settings], Resolution]

RULE_SETS: Final[Mapping[str, RuleSet]] = {
    rules_seed.NAME: rules_seed.resolve_seed,
    rules_2017.NAME: rules_2017.resolve_2017,
    rules_2026.NAME: rules_2026.resolve_2026,
}
"""Every rule set by its name, from the oldest to the one in force."""

DEFAULT_RULES: Final = rules_2026.NAME


def resolve(
    listing: OutListing,
    mapping: Sequence[Mapping[str, Any]],
    settings: Settings,
    rules: str = DEFAULT_RULES,
) -> Resolution:
    """Return what the platform would do with the listed outputs, by one rule set, with our findings.

    `mapping` is storage.output.tables as decoded JSON. What the platform refuses is in `Resolution.error`; the only
    exception is UserError `config.value` for an unknown rule set.
    """
    resolution = find_rule_set(rules)(listing, mapping, settings)
    names = [source.name for source in listing.sources]
    return replace(
        resolution,
        error=resolution.error and with_remedy(resolution.error, names),
        findings=table_findings(listing, mapping, resolution, settings),
    )


def find_rule_set(rules: str) -> RuleSet:
    """Return a rule set by its name; UserError `config.value` for an unknown one."""
    rule_set = RULE_SETS.get(rules)
    if rule_set is None:
        raise UserError(
            "config.value",
            f"There is no rule set {rules!r}",
            remedy=f"Use one of: {', '.join(RULE_SETS)}.",
        )
    return rule_set
