"""What the rows of a write do to those that are there: a value that a commit carries from plan to plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from component.dataset.commits.scope import Scope

WriteMode = Literal["overwrite", "append", "replace_partitions", "upsert", "delete"]

KeyRule = Literal["warn", "fail", "reject"]
"""What becomes of new rows whose primary key is null, stands twice among them, or is in the dataset already."""


@dataclass(frozen=True, slots=True)
class Intent:
    """How new rows meet old ones.

    `overwrite`: all old rows go. `append`: none goes. `replace_partitions`: the partitions in `scope` go, or without
    one those that new rows are of. `upsert`: rows that have the `key` of a new row go. `delete`: the same, and the new
    rows do not come; they are nothing but keys. `on_duplicate_key` is the rule for primary keys.
    """

    mode: WriteMode = "append"
    scope: tuple[Scope, ...] | None = None
    key: tuple[str, ...] = ()
    on_duplicate_key: KeyRule = "warn"

    @property
    def by_key(self) -> bool:
        """Whether rows meet by their key."""
        return self.mode in {"upsert", "delete"}

    @property
    def operation(self) -> str:
        """Its name in the history; empty where that is the mode of the commit."""
        return OPERATIONS.get(self.mode, "")


OPERATIONS: Final = {"replace_partitions": "replace partitions", "upsert": "upsert", "delete": "delete keys"}
