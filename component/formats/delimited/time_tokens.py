"""The words of date and time formats, as Redshift's COPY has them (reference records 2.3), compiled once per format.

| token | on reading | on writing |
|---|---|---|
| `YYYY` | four digits | four digits |
| `YY` | two digits, 69 to 99 of the 20th century, 00 to 68 of the 21st; four digits too | two digits |
| `MM` `DD` `HH` `HH24` `HH12` `MI` | one or two digits; two where another number follows at once | two digits |
| `SS` | one or two digits and up to 6 of a fraction; more only if they are zeros | see `temporal` |
| `AM` `PM` | either, in either case | `AM` or `PM` |
| `OF` | `+HH`, `+HHMM`, `+HH:MM`, `Z`, or nothing for UTC | `+HH:MM` |

`HH` is `HH24`, beside `AM` it is `HH12`. The blank or `T` between date and time stands for both on reading. Anything
that is no letter and no digit stands for itself. An instant, or a time with offset, may have its offset at the end
where none is declared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from component.errors import UserError

PIVOT: Final = 69
"""Two digits from here on are years of the 20th century, as POSIX has it."""


class TemporalKind(StrEnum):
    """What a format describes."""

    DATE = "date"
    TIME = "time"
    TIMETZ = "timetz"
    DATETIME = "datetime"
    DATETIMETZ = "datetimetz"


class Token(StrEnum):
    """What stands in a format for a part of a date or time."""

    YEAR = "YYYY"
    SHORT_YEAR = "YY"
    MONTH = "MM"
    DAY = "DD"
    HOUR = "HH24"
    HOUR12 = "HH12"
    MINUTE = "MI"
    SECOND = "SS"
    MERIDIAN = "AM"
    OFFSET = "OF"


class TimeLoss(StrEnum):
    """What a format cannot carry."""

    CENTURY = "years before 1969 and after 2068"
    MINUTES = "minutes"
    SECONDS = "seconds"


YEARS: Final = frozenset({Token.YEAR, Token.SHORT_YEAR})
HOURS: Final = frozenset({Token.HOUR, Token.HOUR12})
_DATE_TOKENS: Final = YEARS | {Token.MONTH, Token.DAY}
_TIME_TOKENS: Final = HOURS | {Token.MINUTE, Token.SECOND, Token.MERIDIAN, Token.OFFSET}
_WORDS: Final = {**{token.value: token for token in Token}, "HH": Token.HOUR, "PM": Token.MERIDIAN}
_LEXED: Final = re.compile(r"YYYY|YY|MM|DD|HH24|HH12|HH|MI|SS|AM|PM|OF|T|[^A-Za-z0-9]", re.ASCII)
_OF_DAY: Final = frozenset({TemporalKind.TIME, TemporalKind.TIMETZ})
_WITH_OFFSET: Final = frozenset({TemporalKind.TIMETZ, TemporalKind.DATETIMETZ})


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """A compiled format: its tokens and separators in order; `pattern` is what a text must match as a whole."""

    text: str
    kind: TemporalKind
    parts: tuple[Token | str, ...]
    pattern: str

    def has(self, token: Token) -> bool:
        """Say whether a token is in the format."""
        return token in self.parts

    @property
    def has_date(self) -> bool:
        """Whether the values have a date."""
        return self.kind not in _OF_DAY

    @property
    def has_time(self) -> bool:
        """Whether the values have a time of day."""
        return self.kind is not TemporalKind.DATE


@lru_cache(maxsize=256)
def compiled(text: str, kind: TemporalKind) -> TimeFormat:
    """Compile a format for values of a kind.

    A time with an offset is written in a format that has none with `OF` at its end, since no hint is made for it
    (reference records 3.1). UserError `records.hint` for a format that is none, or not for that kind.
    """
    parts = _lexed(text, kind)
    if Token.MERIDIAN in parts:
        parts = tuple(Token.HOUR12 if part is Token.HOUR and "HH24" not in text else part for part in parts)
    if kind is TemporalKind.TIMETZ and Token.OFFSET not in parts:
        parts = (*parts, Token.OFFSET)
    _check(parts, text, kind)
    return TimeFormat(text, kind, parts, _pattern(parts, kind))


def losses(text: str, kind: TemporalKind) -> tuple[TimeLoss, ...]:
    """Return what values of a kind lose in a format; such values are refused on writing, never cut."""
    form = compiled(text, kind)
    found = [TimeLoss.CENTURY] if form.has(Token.SHORT_YEAR) else []
    if form.has_time and not form.has(Token.MINUTE):
        found.append(TimeLoss.MINUTES)
    if form.has_time and not form.has(Token.SECOND):
        found.append(TimeLoss.SECONDS)
    return tuple(found)


def is_between(parts: tuple[Token | str, ...], place: int) -> bool:
    """Say whether the part is the blank or T between date and time."""
    if parts[place] not in {" ", "T"} or not 0 < place < len(parts) - 1:
        return False
    sides = {parts[place - 1], parts[place + 1]}
    return bool(sides & _DATE_TOKENS) and bool(sides & _TIME_TOKENS)


def _lexed(text: str, kind: TemporalKind) -> tuple[Token | str, ...]:
    parts: list[Token | str] = []
    at = 0
    while at < len(text):
        found = _LEXED.match(text, at)
        if found is None:
            raise _wrong(text, kind, f"{text[at:]!r} begins with no token")
        parts.append(_WORDS.get(found[0], found[0]))
        at = found.end()
    return tuple(parts)


def _check(parts: tuple[Token | str, ...], text: str, kind: TemporalKind) -> None:
    tokens = [part for part in parts if isinstance(part, Token)]
    roles = ["year" if token in YEARS else "hour" if token in HOURS else token.value for token in tokens]
    allowed = (
        set(Token)
        if kind not in {TemporalKind.DATE, *_OF_DAY}
        else _DATE_TOKENS
        if kind is TemporalKind.DATE
        else _TIME_TOKENS
    )
    for role in roles:
        if roles.count(role) > 1:
            raise _wrong(text, kind, f"it says the {role} twice")
    for token in tokens:
        if token not in allowed or (token is Token.OFFSET and kind is TemporalKind.TIME):
            raise _wrong(text, kind, f"a {kind} has no {token.value}")
    needed = (() if kind in _OF_DAY else ("year", "MM", "DD")) + (() if kind is TemporalKind.DATE else ("hour",))
    for role in needed:
        if role not in roles:
            raise _wrong(text, kind, f"it lacks the {role}")
    if Token.HOUR12 in tokens and Token.MERIDIAN not in tokens:
        raise _wrong(text, kind, "hours of 12 need AM")
    if Token.HOUR in tokens and Token.MERIDIAN in tokens:
        raise _wrong(text, kind, "hours of 24 have no AM")
    if Token.SECOND in tokens and Token.MINUTE not in tokens:
        raise _wrong(text, kind, "it has seconds and no minutes")


def _wrong(text: str, kind: TemporalKind, why: str) -> UserError:
    return UserError(
        "records.hint",
        f"The format {text!r} is none of a {kind}: {why}",
        remedy="Use the tokens YYYY YY MM DD HH24 HH12 MI SS AM OF, for example YYYY-MM-DD HH24:MI:SSOF.",
    )


_NUMBERS: Final = {
    Token.MONTH: "month",
    Token.DAY: "day",
    Token.HOUR: "hour",
    Token.HOUR12: "hour",
    Token.MINUTE: "minute",
    Token.SECOND: "second",
}
_OFFSET_PATTERN: Final = r"(?:(?P<zulu>Z)|(?P<sign>[+-])(?P<offset_hour>[0-9]{2})(?::?(?P<offset_minute>[0-9]{2}))?)?"
_FRACTION_PATTERN: Final = r"(?:\.(?P<fraction>[0-9]{1,6})0{0,3})?"


def _pattern(parts: tuple[Token | str, ...], kind: TemporalKind) -> str:
    """Return the expression, in what Python's and Arrow's engines share; its groups are what `time_fields` reads."""
    touching = {n for n, (one, two) in enumerate(pairwise(parts)) if _is_number(one) and _is_number(two)}
    found = []
    for place, part in enumerate(parts):
        exact = place in touching or place - 1 in touching
        if isinstance(part, Token):
            found.append(_token_pattern(part, exact=exact))
        else:
            found.append("[ T]" if is_between(parts, place) else re.escape(part))
    if kind in _WITH_OFFSET and Token.OFFSET not in parts:
        found.append(_OFFSET_PATTERN)
    return "".join(found)


def _is_number(part: Token | str) -> bool:
    return part in YEARS or part in _NUMBERS


def _token_pattern(token: Token, *, exact: bool) -> str:
    if token is Token.YEAR:
        return "(?P<year>[0-9]{4})"
    if token is Token.SHORT_YEAR:
        return "(?P<short_year>[0-9]{2})" if exact else "(?:(?P<year>[0-9]{4})|(?P<short_year>[0-9]{2}))"
    if token is Token.MERIDIAN:
        return "(?P<meridian>[AaPp][Mm])"
    if token is Token.OFFSET:
        return _OFFSET_PATTERN
    number = f"(?P<{_NUMBERS[token]}>[0-9]{{{'2' if exact else '1,2'}}})"
    return number + _FRACTION_PATTERN if token is Token.SECOND else number
