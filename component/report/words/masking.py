"""Secrets never leave in a text: every value of a `#key` becomes `[hidden]`, in each form that a text may give it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, Final, TypeVar
from urllib.parse import quote

HIDDEN: Final = "[hidden]"
OURS: Final[Mapping[str, Any]] = {"ours": True}
"""Metadata of a field whose text is made of our own words: a secret `1` or `csv` would make a riddle of it."""
OUR_FIELDS: Final = frozenset({"code"})
"""Names of such fields wherever they are."""
Value = TypeVar("Value")
SHORT: Final = 4
"""Secrets below this length are hidden only where they stand alone."""
LINE: Final = 12
"""Lines of a secret from this length on, such as those of a key file, are secrets too."""
CUT_MARK: Final = "…"

_VISIBLE: Final = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
_VISIBLE.update({0x2028: "\\u2028", 0x2029: "\\u2029"})  # ends of lines and paragraphs, to some who read a log
_APART: Final = r"(?<!\w)(?<!\d[.,])(?:{})(?!\w)(?![.,]\d)"


def printable(text: str) -> str:
    """Return the text with control characters and lone surrogates written out; tabs and newlines stay.

    Such a text can be encoded as UTF-8 and cannot move a cursor.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8").translate(_VISIBLE)


class Masking:
    """Replaces secrets in texts.

    Each secret is found as it is, JSON-encoded (with or without escapes for what is not ASCII, and for `/` as PHP has
    it), base64-encoded (also inside of something longer that was), percent-encoded, as Python's `repr` writes it, and
    where a text was cut in the middle of it.

    The platform hides secrets of any length, so that a secret `1` makes `[hidden]0 rows` of `10 rows`
    (reference keboola 1.5), which tells more than it hides. Here one below `SHORT` characters is hidden where it stands
    alone: not inside of a longer word or number.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.secrets: Final = frozenset(secret for secret in secrets if secret)
        parts = {part for secret in self.secrets for part in _parts(secret)}
        long = _longest_first(printable(form) for part in parts if len(part) >= SHORT for form in _forms(part))
        short = _longest_first(printable(form) for part in parts if len(part) < SHORT for form in _short_forms(part))
        self._long: Final = long
        choices = [*map(re.escape, long), *([_APART.format("|".join(map(re.escape, short)))] if short else [])]
        # A lookahead finds matches that overlap: hiding only the first would leave the rest of the second to be read.
        self._pattern: Final = re.compile(f"(?=({'|'.join(choices)}))") if choices else None

    def __call__(self, text: str) -> str:
        """Return the printable text with every secret replaced by `[hidden]`."""
        shown = printable(text)
        if self._pattern is None:
            return shown
        spans = sorted([*(found.span(1) for found in self._pattern.finditer(shown)), *self._begun(shown)])
        pieces, kept = [], 0
        for start, stop in _merged(spans):
            pieces += [shown[kept:start], HIDDEN]
            kept = stop
        return "".join([*pieces, shown[kept:]])

    def json(self, value: Any) -> Any:
        """Return a JSON value with every text in it masked, keys too; numbers stay what they are."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {self(str(key)): self.json(item) for key, item in value.items()}
        return [self.json(item) for item in value] if isinstance(value, Sequence) else value

    def _begun(self, text: str) -> Iterable[tuple[int, int]]:
        """Yield where a text was cut in the middle of a secret: the part of it that is left."""
        for found in re.finditer(CUT_MARK, text):
            stop = found.start()
            lengths = (_overlap(text, stop, form) for form in self._long)
            if longest := max(lengths, default=0):
                yield stop - longest, stop


def masked(value: Value, mask: Callable[[str], str]) -> Value:
    """Return a value of a report in which every text went through `mask`: dataclasses, tuples and texts in them.

    Words of ours stay: enumerations, and the fields that are marked as `OURS`.
    """
    made: Any = value
    if isinstance(value, str) and not isinstance(value, Enum):
        made = mask(value)
    elif isinstance(value, tuple):
        made = tuple(masked(item, mask) for item in value)
    elif is_dataclass(value) and not isinstance(value, type):
        theirs = [field.name for field in fields(value) if not field.metadata and field.name not in OUR_FIELDS]
        made = replace(value, **{name: masked(getattr(value, name), mask) for name in theirs})
    return made  # type: ignore[no-any-return] # of the same type as it came


def _overlap(text: str, stop: int, form: str) -> int:
    """Return how many characters before `stop` are the beginning of a form; fewer than `SHORT` tell nothing."""
    for length in range(min(len(form) - 1, stop), SHORT - 1, -1):
        if text.startswith(form[:length], stop - length):
            return length
    return 0


def _longest_first(forms: Iterable[str]) -> list[str]:
    return sorted(set(forms), key=lambda form: (-len(form), form))


def _parts(secret: str) -> set[str]:
    """Return a secret, without what trimming would take off, and the lines of one that has several."""
    lines = {line.strip() for line in secret.splitlines() if len(line.strip()) >= LINE}
    return {secret, secret.strip() or secret, *lines}


def _short_forms(secret: str) -> set[str]:
    encoded = secret.encode("utf-8", "surrogatepass")
    packed = {base64.b64encode(encoded).decode(), base64.urlsafe_b64encode(encoded).decode()}
    return {*_text_forms(secret), *packed, quote(encoded, safe="")}


def _forms(secret: str) -> set[str]:
    encoded = secret.encode("utf-8", "surrogatepass")
    inside = {piece for shift in range(3) if len(piece := _base64_inside(encoded, shift)) >= 2 * SHORT}
    return _short_forms(secret) | inside | {piece.translate({43: "-", 47: "_"}) for piece in inside}


def _text_forms(secret: str) -> set[str]:
    plain_json = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return {secret, repr(secret)[1:-1], *plain_json, *(form.replace("/", "\\/") for form in plain_json)}


def _base64_inside(encoded: bytes, shift: int) -> str:
    """Return the characters of base64 that depend on nothing but the secret, `shift` bytes after a group's begin."""
    text = base64.b64encode(b"\0" * shift + encoded).decode()
    stable = (shift + len(encoded)) * 8 // 6
    return text[-(-shift * 8 // 6) : stable]


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that overlap; `spans` are in order of their start."""
    merged: list[tuple[int, int]] = []
    for start, stop in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged
