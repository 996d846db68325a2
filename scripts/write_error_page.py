"""Write docs/errors.md from the codes in the code: `python scripts/write_error_page.py`."""

from __future__ import annotations

from pathlib import Path

from component.errors import CODES, REMEDIES

PAGE = Path(__file__).parent.parent / "docs" / "errors.md"
INTRODUCTION = """\
# Errors

This page is made by `scripts/write_error_page.py` from `component/errors.py`.

Every error says who must act. `UserError`: the configuration or the data must change (exit code 1). `RetryError`:
the same run may succeed later, a store failed or a race was lost (exit code 1). `BugError`: a fault of ours (exit code
2; the log has the details). The text is one sentence with the place (table, slice, row, column, value) and the remedy;
the code is stable. Most errors know a more precise remedy than the one in this table.

| code | what it means | what to do |
|---|---|---|
"""
NAMED_IN_TEXT = "The text says what the value must be."


def error_page() -> str:
    """Return the page."""
    return INTRODUCTION + "".join(
        f"| `{code}` | {text} | {REMEDIES.get(code, NAMED_IN_TEXT)} |\n" for code, text in CODES.items()
    )


if __name__ == "__main__":
    PAGE.write_text(error_page(), encoding="utf-8")
