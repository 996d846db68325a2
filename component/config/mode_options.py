"""What a run does to a dataset that is there, as it is configured: the mode, what goes with some modes, the history."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, WithJsonSchema

from component import naming
from component.config import rules
from component.config.fields import Name, Positive, Strict

ModeWord = Literal["overwrite", "append", "replace_partitions", "upsert", "delete"]


class KeepConfig(Strict):
    """How much of a dataset's history stays readable: so many states, and all that were live within so many days."""

    commits: Positive = naming.KEEP_COMMITS
    """How many of the newest states stay readable."""
    days: Positive = naming.KEEP_DAYS
    """States that were live within so many days stay readable too."""


ScopeCondition = Annotated[
    dict[Name, JsonValue], BeforeValidator(rules.scope_condition), WithJsonSchema(rules.SCOPE_SCHEMA)
]
DeleteScope = Annotated[
    tuple[ScopeCondition, ...] | None, AfterValidator(rules.some_scope), Field(json_schema_extra={"minItems": 1})
]
