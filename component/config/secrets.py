"""The secrets of a configuration: every value under a key that starts with `#` (reference keboola 1.2, 1.5)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from component.config.fields import SECRET_MARK
from component.config.model import Config


def secret_values(config: Config) -> frozenset[str]:
    """Return all secrets of the document that a configuration was read from, as texts, for masking."""
    return config.secrets


def secrets_in(document: Any) -> frozenset[str]:
    """Return every text and number below a key that starts with `#`, wherever it is in a JSON value.

    Whether something is true, false or null is no secret. A text that is JSON itself, as the credentials of OAuth are,
    is a secret as a whole, and so is each text in it.
    """
    return frozenset(text for text in _secrets(document, secret=False) if text)


def _secrets(document: Any, *, secret: bool) -> Iterator[str]:
    waiting = [(document, secret)]
    while waiting:
        value, hidden = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((item, hidden or str(key).startswith(SECRET_MARK)) for key, item in value.items())
        elif isinstance(value, list):
            waiting.extend((item, hidden) for item in value)
        elif hidden and not isinstance(value, bool) and value is not None:
            yield str(value)
            waiting.append((_inner(value), True))


def _inner(value: Any) -> Any:
    """Return the object or list that a text is the JSON of; None for any other."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
