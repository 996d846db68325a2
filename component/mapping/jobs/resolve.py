"""The entry of the mapping room: one question, answered by a named rule set.

A rule set is a function from listing, mapping and settings to a Resolution; the findings are added to all alike. To add
one, write it in its own module and name it in `RULE_SETS` and `find_rule_set`, which loads those of the past only for
who asks for them; the parser nodes, the merge and the checks it shares are modules beside it.
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
from component.mapping.rules import y2026

RuleSet = Callable[[OutListing, Sequence[Mapping[str, Any]], Settings], Resolution]

DEFAULT_RULES: Final = y2026.NAME
RULE_SETS: Final = ("seed", "2017", DEFAULT_RULES)
"""The names of all rule sets, from the oldest to the one in force."""


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
    if rules == DEFAULT_RULES:
        return y2026.resolve_2026
    if rules == "2017":
        from component.mapping.rules.y2017 import resolve_2017  # noqa: PLC0415 - as said above

        return resolve_2017
    if rules == "seed":
        from component.mapping.rules.seed import resolve_seed  # noqa: PLC0415 - as said above

        return resolve_seed
    raise UserError(
        "config.value",
        f"There is no rule set {rules!r}",
        remedy=f"Use one of: {', '.join(RULE_SETS)}.",
    )
