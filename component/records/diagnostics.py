"""What is said of a records directory without stopping: the spec demands a word where something is ignored."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One remark: a stable code such as `hint.unknown`, and a sentence for people."""

    code: str
    text: str

    def __str__(self) -> str:
        return self.text
