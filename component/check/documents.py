"""The JSON texts of a folder: whether they can be read, and what is left in them of secrets that were taken out.

A folder from a debug job has `[hidden]` for every secret, and its texts are cut after 60,000 characters; a folder from
a configuration that nobody decrypted has ciphers (reference keboola 7.2, 7.4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from component.check.finding import CONFIG_FILES, error, place_in, warning
from component.config.json_text import JsonFaultError, Step, read_document_file
from component.config.load import parse_text
from component.config.notation import Notation
from component.findings import Finding
from component.report.messages.record import TRIMMED
from component.report.words.masking import HIDDEN

CIPHER: Final = re.compile(r"KBC::\w*(?:Secure|Encrypted)\w*(?:::|==)")
"""How every cipher of the platform begins, whatever the key that it was made with."""
USED: Final = ("parameters", "image_parameters")
"""Parts of config.json that a run uses secrets of."""


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """A JSON text of the folder: its value (None where it is not `readable`), its bytes, and what was found."""

    value: Any
    findings: tuple[Finding, ...] = ()
    readable: bool = True
    size: int = 0


def read_document(path: Path, name: str, code: str, notation: Notation = "json") -> CheckedDocument | None:
    """Return the document in a file, None where there is no file; `code` is that of a text that cannot be read."""
    try:
        data = read_document_file(path)
    except FileNotFoundError:
        return None
    except OSError as failed:
        return CheckedDocument(
            None, (error(code, name, f"The file cannot be read: {failed.strerror}"),), readable=False
        )
    except JsonFaultError as fault:
        return CheckedDocument(None, (error(code, name, f"The text {fault}"),), readable=False)
    try:
        value = parse_text(data, notation)
    except JsonFaultError as fault:
        return CheckedDocument(None, (_unreadable(data, name, code, str(fault)),), readable=False)
    return CheckedDocument(value, tuple(_marks(value, name)), size=len(data))


def _unreadable(data: bytes, name: str, code: str, fault: str) -> Finding:
    if data.rstrip().endswith(TRIMMED.encode()):
        return error(
            "text.trimmed",
            name,
            f"The text was cut off when the folder was made, so it cannot be read: it {fault}",
            f"Put the whole {name} of the job in its place.",
        )
    return error(code, name, f"The text {fault}")


def _marks(value: Any, name: str) -> Iterator[Finding]:
    for steps, text in texts_in(value):
        place = place_in(name, steps)
        used = name in CONFIG_FILES and bool(steps) and steps[0] in USED
        if CIPHER.match(text):
            found = "The value is still encrypted", "Put the secret in its place: only the platform can decrypt it."
            yield (error if used else warning)("secret.encrypted", place, *found)
        elif HIDDEN in text:
            found = "The value was hidden when the folder was made", f"Put the value in the place of {HIDDEN}."
            yield (error if used else warning)("secret.hidden", place, *found)
        elif text.endswith(TRIMMED):
            yield warning("text.trimmed", place, "The value was cut off when the folder was made")


def texts_in(value: Any) -> Iterator[tuple[Sequence[Step], str]]:
    """Yield every text of a JSON value with its path, in the order in which they are written."""
    waiting: list[tuple[tuple[Step, ...], Any]] = [((), value)]
    while waiting:
        steps, node = waiting.pop()
        if isinstance(node, str):
            yield steps, node
        elif isinstance(node, dict):
            waiting.extend(((*steps, key), item) for key, item in reversed(node.items()))
        elif isinstance(node, list):
            waiting.extend(((*steps, index), node[index]) for index in reversed(range(len(node))))


def ciphers_in(value: Any) -> frozenset[str]:
    """Return all ciphers of a JSON value: they are no secrets, but nobody needs to see them."""
    return frozenset(text for _, text in texts_in(value) if CIPHER.match(text))
