"""Values of hints: what the spec and the client use, and what is none."""

from __future__ import annotations

from component.formats.delimited.dialect import ENCODINGS

GOOD = {
    "header-row": [True, False],
    "field-delimiter": [",", "\x01", "|", "\t"],
    "record-terminator": ["\n", "\r\n", "\r", "\x02", "~~end~~", None],
    "compression": ["GZIP", "BZIP", "LZO", None],
    "quoting": ["all", "minimal", "nonnumeric", None],
    "quotechar": ['"', "'"],
    "doublequote": [True, False],
    "escape": ["\\", None],
    "encoding": list(ENCODINGS),
    "dateformat": ["YYYY-MM-DD", "MM-DD-YYYY", "DD-MM-YYYY", "MM/DD/YY", "DD/MM/YY", "DD-MM-YY", None],
    "timeonlyformat": ["HH12:MI AM", "HH24:MI:SS", "HH:MI:SS", "HH24:MI"],
    "datetimeformat": [
        *("YYYY-MM-DD HH24:MI:SS", "YYYY-MM-DD HH:MI:SS", "YYYY-MM-DD HH12:MI AM", "MM/DD/YY HH24:MI"),
        "DD-MM-YY HH:MI:SS",
    ],
    "datetimeformattz": [
        *("YYYY-MM-DD HH:MI:SSOF", "YYYY-MM-DD HH:MI:SS", "YYYY-MM-DD HH24:MI:SSOF", "MM/DD/YY HH24:MI"),
        "DD-MM-YY HH12:MI AM",
    ],
}
BAD = {
    "header-row": ["True", 1, None, "true"],
    "field-delimiter": ["||", "", None, 1],
    "record-terminator": ["", 1],
    "compression": ["gzip", "ZIP", False, ""],
    "quoting": ["ALL", "none", False],
    "quotechar": ["''", "", None],
    "doublequote": ["False", 0, None],
    "escape": ["\\\\", "/", False],
    "encoding": ["UTF-8", "utf8", None],
    "dateformat": ["YYYY-MON-DD", "MM-DD", 1, "", "YYYY-YYYY-DD"],
    "timeonlyformat": ["HH12:MI", "MI:SS", None, "HH24:MI AM", "YYYY"],
    "datetimeformat": ["YYYY-MM-DD", "epochsecs", None, "auto"],
    "datetimeformattz": ["HH24:MI OF", None, "auto"],
}
