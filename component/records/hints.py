"""From the hints of a file to what is in force, or to the reason why it cannot be read (reference records 2, 4, 9.4).

General defaults, then those of the variant, then what is given. What is unknown or not supported is refused; `lax` goes
on with a finding where no cell could be cut wrongly by it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from component.errors import Place, UserError
from component.findings import Finding, warning
from component.formats.delimited.dialect import DelimitedDialect
from component.records.hint_values import (
    ALLOWED,
    NAMES,
    STRUCTURAL,
    VARIANTS,
    Defaults,
    HintValue,
    default_hints,
)

FORMAT_FILE: Final = "_format_delimited"
"""The format file whose content counts: it names a variant and hints."""
ISO_DATE: Final = "YYYY-MM-DD"
_NO_VARIANT: Final = "dumb"
"""What is written where no variant was given: it has the general defaults, and all hints are written anyway."""
_LAX: Final = "Set lax to go on without it."


@dataclass(frozen=True, slots=True)
class Hints:
    """All 13 hints in force, and the variant they were resolved from.

    `record_terminator` is None where the file has to be looked at, `dateformat` where only ISO dates are dates.
    """

    variant: str
    header_row: bool
    field_delimiter: str
    record_terminator: str | None
    compression: str | None
    quoting: str | None
    quotechar: str
    doublequote: bool
    escape: str | None
    encoding: str
    dateformat: str | None
    timeonlyformat: str
    datetimeformat: str
    datetimeformattz: str

    def values(self) -> dict[str, HintValue]:
        """Return the hints by their names in a file."""
        return {name: getattr(self, _attribute(name)) for name in NAMES}


def resolve_hints(
    variant: str | None,
    given: Mapping[str, Any],
    *,
    lax: bool = False,
    defaults: Defaults = "tablemill",
    place: Place | None = None,
) -> tuple[Hints, tuple[Finding, ...]]:
    """Return the hints in force, and what was ignored to get there.

    UserError `records.hint` for a variant or hint that is unknown, a value that is not allowed or not supported, and
    values that contradict each other. `lax` ignores unknown names and unknown formats of dates and times; a value that
    would change how cells are cut is refused even then.
    """
    at = place or Place()
    said = [*_variant_doubts(variant, given, at, lax=lax)]
    values = default_hints(variant, defaults)
    for name, value in given.items():
        fault = _fault(name, value)
        if fault is None:
            values[name] = value
            continue
        if not lax or name in STRUCTURAL:
            remedy = f"{name} cannot be ignored: without it cells would be cut wrongly." if name in STRUCTURAL else _LAX
            raise UserError("records.hint", fault, place=at, remedy=remedy)
        said.append(
            warning(
                "hint.value" if name in ALLOWED else "hint.unknown", FORMAT_FILE, f"{fault}. {_instead(name, values)}"
            )
        )
    fields: dict[str, Any] = {_attribute(name): values[name] for name in NAMES}
    hints = Hints(variant=variant or _NO_VARIANT, **fields)
    _check(hints, at)
    return hints, tuple(said)


def dialect_of(hints: Hints, terminator: str | None = None) -> DelimitedDialect:
    """Return the dialect of hints; `terminator` is the one that was found where the hint leaves it open.

    Where nothing was found it is the variant's own. UserError `records.hint` for values that contradict each other.
    """
    values = {_attribute(name): value for name, value in hints.values().items()}
    if hints.record_terminator is None:
        values["record_terminator"] = terminator or default_hints(hints.variant)["record-terminator"]
    values["dateformat"] = hints.dateformat or ISO_DATE
    checked: dict[str, Any] = values
    return DelimitedDialect(**checked)


def _check(hints: Hints, place: Place) -> None:
    """Hold that the hints make a dialect."""
    try:
        dialect_of(hints)
    except UserError as error:
        raise error.at(table=place.table, slice=place.slice) from None


def _variant_doubts(variant: str | None, given: Mapping[str, Any], place: Place, *, lax: bool) -> Iterator[Finding]:
    """Yield what is said of a variant that is unknown: it is no obstacle where everything it would decide is given."""
    if variant in VARIANTS:
        return
    what = "There is no variant" if variant is None else f"The variant {_json(variant)} is not known"
    fault = f"{what}; variants are {', '.join(VARIANTS)}"
    missing = [name for name in NAMES if name in STRUCTURAL and name not in given]
    if not lax or missing:
        remedy = (
            f"Name a known variant; with lax it is enough to give the hints {', '.join(missing)}." if missing else _LAX
        )
        raise UserError("records.hint", fault, place=place, remedy=remedy)
    yield warning(
        "variant.unknown", FORMAT_FILE, f"{fault}. The hints that are given are used, and general defaults for others."
    )


def _fault(name: str, value: Any) -> str | None:
    """Say what is wrong with a hint, or None."""
    allowed = ALLOWED.get(name)
    if allowed is None:
        return f"The hint {_json(name)} with the value {_json(value)} is not known; hints are {', '.join(NAMES)}"
    if not allowed.holds(value):
        return f"The hint {name} has the value {_json(value)}; allowed is {allowed.words}"
    return None


def _instead(name: str, values: Mapping[str, HintValue]) -> str:
    return f"{_json(values[name])} is used instead." if name in values else "It is ignored."


def _attribute(name: str) -> str:
    return name.replace("-", "_")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
