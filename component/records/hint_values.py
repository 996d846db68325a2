"""The 13 hints: what each may be, and what it is by default (reference records 2.1, 9.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from component.errors import UserError
from component.formats.delimited.dialect import COMPRESSIONS, ENCODINGS, ESCAPES, QUOTINGS
from component.formats.delimited.time_tokens import TemporalKind, compiled

HintValue = str | bool | None
Defaults = Literal["tablemill", "spec", "client"]
"""Whose defaults count where the spec and the client differ; `tablemill` are those of reference records 9.5."""

VARIANTS: Final = ("dumb", "csv", "bluelabs", "vertica", "bigquery")


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a hint may be: a test of a JSON value, and the same in words."""

    holds: Callable[[Any], bool]
    words: str


def _one_of(values: tuple[HintValue, ...], words: str) -> Allowed:
    return Allowed(lambda value: any(type(value) is type(one) and value == one for one in values), words)


def _character(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 1


def _terminator(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value != "")


def _format(kind: TemporalKind, *, null: bool = False) -> Callable[[Any], bool]:
    def holds(value: Any) -> bool:
        if not isinstance(value, str):
            return null and value is None
        try:
            compiled(value, kind)
        except UserError:
            return False
        return True

    return holds


ALLOWED: Final[Mapping[str, Allowed]] = {
    "header-row": _one_of((True, False), "true or false"),
    "field-delimiter": Allowed(_character, "one character"),
    "record-terminator": Allowed(_terminator, "a text of at least one character, or null to look at the file"),
    "compression": _one_of(COMPRESSIONS, '"GZIP", "BZIP", "LZO" or null'),
    "quoting": _one_of(QUOTINGS, '"all", "minimal", "nonnumeric" or null'),
    "quotechar": Allowed(_character, "one character"),
    "doublequote": _one_of((True, False), "true or false"),
    "escape": _one_of(ESCAPES, '"\\\\" or null'),
    "encoding": _one_of(tuple(ENCODINGS), ", ".join(f'"{name}"' for name in ENCODINGS)),
    "dateformat": Allowed(
        _format(TemporalKind.DATE, null=True),
        'an arrangement of YYYY or YY, MM and DD, such as "YYYY-MM-DD" or "MM/DD/YY"; null for ISO dates only',
    ),
    "timeonlyformat": Allowed(
        _format(TemporalKind.TIME), 'a time of day, such as "HH24:MI:SS", "HH:MI:SS", "HH24:MI" or "HH12:MI AM"'
    ),
    "datetimeformattz": Allowed(
        _format(TemporalKind.DATETIMETZ),
        'a date and a time, OF for the offset, such as "YYYY-MM-DD HH:MI:SSOF" or "MM/DD/YY HH24:MI"',
    ),
    "datetimeformat": Allowed(
        _format(TemporalKind.DATETIME),
        'a date and a time, such as "YYYY-MM-DD HH24:MI:SS", "YYYY-MM-DD HH12:MI AM" or "MM/DD/YY HH24:MI"',
    ),
}
NAMES: Final = (
    *("header-row", "field-delimiter", "record-terminator", "compression", "quoting", "quotechar", "doublequote"),
    *("escape", "encoding", "dateformat", "timeonlyformat", "datetimeformat", "datetimeformattz"),
)
"""The hints in the order in which the client writes them."""
STRUCTURAL: Final = frozenset(NAMES) - {"dateformat", "timeonlyformat", "datetimeformat", "datetimeformattz"}
"""Hints that say where cells begin and end: another value than the file's would mangle every row."""

_ISO: Final = "YYYY-MM-DD"
_EXCEL: Final = "MM/DD/YY HH24:MI"
_GENERAL: Final[Mapping[str, HintValue]] = {
    "header-row": False,
    "field-delimiter": ",",
    "record-terminator": "\n",
    "compression": "GZIP",
    "quoting": None,
    "quotechar": '"',
    "doublequote": False,
    "escape": None,
    "encoding": "UTF8",
    "dateformat": _ISO,
    "timeonlyformat": "HH24:MI:SS",
    "datetimeformat": "YYYY-MM-DD HH:MI:SS",
    "datetimeformattz": "YYYY-MM-DD HH:MI:SSOF",
}
_QUOTED: Final[Mapping[str, HintValue]] = {"quoting": "minimal", "doublequote": True, "header-row": True}
_OF_VARIANT: Final[Mapping[str, Mapping[str, HintValue]]] = {
    "dumb": {},
    "csv": {
        **_QUOTED,
        "dateformat": "MM/DD/YY",
        "timeonlyformat": "HH24:MI:SS",
        "datetimeformat": _EXCEL,
        "datetimeformattz": _EXCEL,
    },
    "bluelabs": {"escape": "\\", "datetimeformat": "YYYY-MM-DD HH24:MI:SS"},
    "vertica": {"field-delimiter": "\x01", "record-terminator": "\x02", "compression": None},
    "bigquery": {**_QUOTED, "datetimeformattz": "YYYY-MM-DD HH:MI:SS"},
}


def default_hints(variant: str | None, defaults: Defaults = "tablemill") -> dict[str, HintValue]:
    """Return all 13 hints of a variant as nobody set them; of no variant for None."""
    general: dict[str, HintValue] = dict(_GENERAL)
    if defaults == "spec":
        general["timeonlyformat"] = "HH24:MI"
        if variant == "dumb":
            general["dateformat"] = None
    return {**general, **_OF_VARIANT.get(variant or "", {})}
