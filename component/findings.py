"""What a person should know: one value for everything that is wrong or doubtful, wherever it was found.

Configurations, manifests, folders, records directories, datasets and comparisons are all looked at without stopping at
the first fault. Each look gives findings, and `component.report.words.findings` shows them the same way everywhere.
What ends the work at once is an error instead (`component.errors`); codes and remedies are shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Level(StrEnum):
    """How much a finding matters: the job will fail or lose data; it may; good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


LEVELS: Final = (Level.ERROR, Level.WARNING, Level.NOTE)
"""The worst first, as they are shown."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know.

    `code` is stable. `place` is where it is, in words that the reader of its report knows: a JSON path of config.json
    (`parameters.datasets[0].uuid`), a file of the folder (`in/tables/a.csv`), a file and a path in it
    (`in/state.json: a.b`), the name of an output; empty where the report has one place only. `text` is a sentence;
    `remedy` says what to do, and may be empty.
    """

    level: Level
    code: str
    place: str
    text: str
    remedy: str = ""

    @property
    def sentence(self) -> str:
        """The text, and what to do after it."""
        return f"{self.text.rstrip('.')}. {self.remedy}" if self.remedy else self.text


def error(code: str, place: str, text: str, remedy: str = "") -> Finding:
    """Return a finding that a run would fail of."""
    return Finding(Level.ERROR, code, place, text, remedy)


def warning(code: str, place: str, text: str, remedy: str = "") -> Finding:
    """Return a finding that a run may fail of, or give something else than was meant."""
    return Finding(Level.WARNING, code, place, text, remedy)


def note(code: str, place: str, text: str, remedy: str = "") -> Finding:
    """Return a finding that is good to know."""
    return Finding(Level.NOTE, code, place, text, remedy)
