"""The two ways of treating what is not as it should be (docs/workbench.md sets them side by side)."""

from __future__ import annotations

from enum import StrEnum


class ReadingMode(StrEnum):
    """How to treat what can be read only with a loss.

    - `lenient`: for a person's file. Read what can be read, and say in a warning what was changed or left out.
    - `strict`: for a pipeline. Change nothing: a loss is an error.
    """

    LENIENT = "lenient"
    STRICT = "strict"
