"""Findings as every report shows them: their order, as JSON values, as a line of text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from component.findings import LEVELS, Finding


def sorted_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings without repetitions, the worst first, else as they were found."""
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: LEVELS.index(finding.level)))


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON values."""
    return {
        "level": finding.level.value,
        "code": finding.code,
        "place": finding.place,
        "text": finding.text,
        "remedy": finding.remedy,
    }


def finding_line(finding: Finding) -> str:
    """Return the level, the place and the words: `warning: in/tables/a.csv: It has no manifest.`."""
    return ": ".join(filter(None, (finding.level.value, finding.place, finding.sentence)))
