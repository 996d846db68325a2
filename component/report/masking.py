"""Secrets never leave in a text: every value of a `#key` becomes `[hidden]`, in each form that a text may give it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote

HIDDEN: Final = "[hidden]"

_VISIBLE: Final = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
_VISIBLE.update({0x2028: "\\u2028", 0x2029: "\\u2029"})  # ends of lines and paragraphs, to some who read a log


def printable(text: str) -> str:
    """Return the text with control characters and lone surrogates written out; tabs and newlines stay.

    Such a text can be encoded as UTF-8 and cannot move a cursor.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8").translate(_VISIBLE)


class Masking:
    """Replaces secrets in texts.

    Each secret is found as it is, JSON-encoded (with or without escapes for what is not ASCII, and for `/` as PHP has
    it), base64-encoded, percent-encoded and as Python's `repr` writes it. Secrets of any length count, as on the
    platform: a secret `1` hides every `1` (reference keboola 1.5).
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.secrets: Final = frozenset(secret for secret in secrets if secret)
        forms = {printable(form) for secret in self.secrets for form in _forms(secret)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        # A lookahead finds matches that overlap: hiding only the first would leave the rest of the second to be read.
        self._pattern: Final = re.compile(f"(?=({'|'.join(map(re.escape, longest_first))}))") if forms else None

    def __call__(self, text: str) -> str:
        """Return the printable text with every secret replaced by `[hidden]`."""
        shown = printable(text)
        if self._pattern is None:
            return shown
        pieces, kept = [], 0
        for start, stop in _merged(found.span(1) for found in self._pattern.finditer(shown)):
            pieces += [shown[kept:start], HIDDEN]
            kept = stop
        return "".join([*pieces, shown[kept:]])


def _forms(secret: str) -> set[str]:
    plain_json = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    encoded = secret.encode("utf-8", "surrogatepass")
    return {
        secret,
        repr(secret)[1:-1],
        *plain_json,
        *(form.replace("/", "\\/") for form in plain_json),
        base64.b64encode(encoded).decode(),
        quote(encoded, safe=""),
    }


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that overlap; `spans` are in order of their start."""
    merged: list[tuple[int, int]] = []
    for start, stop in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged
