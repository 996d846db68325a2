"""What to do about what a replay finds; the platform's own refusals and findings bring theirs along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from component.findings import Finding, Level

REMEDIES: Final[Mapping[str, str]] = {
    "replay.document": "Write it as the platform reads it, or leave it out.",
    "replay.exit_code": "Correct what its message says, or name this code as the expected one.",
    "replay.folder": "Write into the folders that are there: empty them, and never remove or replace them.",
    "replay.gap": "Put it back with --secret PATH=VARIABLE, a profile or the file itself, or go on with --allow-gaps.",
    "replay.input_changed": "Read the input where it is, and write copies to /tmp.",
    "replay.junk": "Keep working files in /tmp.",
    "replay.state": "Write a small state to out/state.json.",
    "replay.stderr": "Write messages to stdout, and to stderr only why a run failed.",
    "replay.written_elsewhere": "Keep working files in /tmp, and results in /data/out.",
}
"""Code -> what to do, for every error and warning of a replay. Notes need none."""


def with_remedies(remarks: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return remarks with what to do: their own remedy, or that of their code."""
    return tuple(
        remark if remark.remedy or remark.level is Level.NOTE else replace(remark, remedy=REMEDIES.get(remark.code, ""))
        for remark in remarks
    )
