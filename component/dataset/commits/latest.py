"""The one loop "again on the latest state": for every commit that may lose a race and is still meant on what won."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from component.errors import CommitRefusedError

TRIES: Final = 5
State = TypeVar("State")
Result = TypeVar("Result")


def on_latest(
    state: State,
    attempt: Callable[[State], Result],
    again: Callable[[State, CommitRefusedError], State],
) -> Result:
    """Return what an attempt to commit returns; one that loses the race is made again, at most `TRIES` in all.

    An attempt leaves nothing of its own when it fails. `again` returns the state for the next one, from the state that
    is in the store by then; where another attempt makes no sense it raises the refusal that it is given.

    CommitRefusedError when others won every time; else what `attempt` and `again` raise.
    """
    for _ in range(TRIES - 1):
        try:
            return attempt(state)
        except CommitRefusedError as refused:
            state = again(state, refused)
    return attempt(state)
