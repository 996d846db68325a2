"""The entry of the mapping room: one question, answered by a named rule set.

A rule set is a function from listing, mapping and settings to a Resolution. To add one, write it in its own module and
name it in `RULE_SETS`; the parser nodes, the merge and the checks it shares are modules beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from component.errors import UserError
from component.folder.out_listing import OutListing
from component.mapping.model import Resolution, Settings
from component.mapping.rules_2026 import NAME, resolve_2026

RuleSet = Callable[[OutListing, Sequence[Mapping[str, Any]], Settings], Resolution]

RULE_SETS: Final[Mapping[str, RuleSet]] = {NAME: resolve_2026}
"""Every rule set by its name."""

DEFAULT_RULES: Final = NAME


def resolve(
    listing: OutListing,
    mapping: Sequence[Mapping[str, Any]],
    settings: Settings,
    rules: str = DEFAULT_RULES,
) -> Resolution:
    """Return what the platform would do with the listed outputs, by one rule set.

    `mapping` is storage.output.tables as decoded JSON. What the platform refuses is in `Resolution.error`; the only
    exception is UserError `config.value` for an unknown rule set.
    """
    rule_set = RULE_SETS.get(rules)
    if rule_set is None:
        raise UserError(
            "config.value",
            f"There is no rule set {rules!r}",
            remedy=f"Use one of: {', '.join(RULE_SETS)}.",
        )
    return rule_set(listing, mapping, settings)
