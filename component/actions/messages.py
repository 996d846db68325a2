"""The shapes of answers that the platform's forms show (reference keboola 1.7, "UI conventions")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from component.errors import shorten

MessageType = Literal["success", "info", "warning", "error", "table"]

SUCCESS: Final[Mapping[str, Any]] = {"status": "success"}
"""What testConnection answers, and nothing else."""

CELL_LIMIT: Final = 80
"""Most characters of one cell."""

_VISIBLE: Final = str.maketrans({"\r": "", "\n": "⏎", "\t": "⇥", "|": "\\|", "`": "\\`", "<": "&lt;", "\\": "\\\\"})


def element(value: str, label: str | None = None) -> dict[str, str]:
    """Return one entry of a select box."""
    return {"label": label or value, "value": value}


def message(text: str, kind: MessageType = "info", **more: Any) -> dict[str, Any]:
    """Return what a button shows: Markdown, and for programs the same as JSON under keys of its own."""
    return {"message": text, "type": kind, "status": "error" if kind == "error" else "success", **more}


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str | None]]) -> str:
    """Return a Markdown table; None is shown as *null*. No cell can end its row or begin markup."""
    lines = [[cell(name) for name in columns], ["---"] * len(columns)]
    lines += [["*null*" if text is None else cell(text) for text in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(text: str) -> str:
    """Return a text as one cell of a Markdown table, cut to `CELL_LIMIT` characters."""
    return escaped(shorten(text, CELL_LIMIT))


def escaped(text: str) -> str:
    """Return a text on one line, in which nothing is markup."""
    return text.translate(_VISIBLE)
