"""What a verification finds: faults, and notices of what is odd and does no harm to rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, or odd. `code` is stable; `mend` says what `repair` would do, None where it cannot."""

    code: str
    text: str
    key: str | None = None
    label: str | None = None
    column: str | None = None
    mend: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verification found, and how much it looked at.

    `notices` are no faults: what other clients do by right, and what may also be a byte that changed where it does no
    harm. `orphans` are objects that no kept state names and that are older than any running writer. `fast`: data files
    and indices were not read; `rows` are those of the facts then.
    """

    uuid: str
    faults: tuple[Fault, ...] = ()
    notices: tuple[Fault, ...] = ()
    files: int = 0
    rows: int = 0
    indices: int = 0
    orphans: tuple[str, ...] = ()
    fast: bool = False
