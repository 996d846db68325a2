"""The secrets of a configuration: every value under a key that starts with `#`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from component.config.fields import SECRET_MARK
from component.config.model import Config


def secret_values(config: Config) -> frozenset[str]:
    """Return all secrets as text, for masking."""
    store = config.parameters.store
    found = {secret.get_secret_value() for secret in store.credentials.values()} if store else set()
    for part in (config.image_parameters, config.authorization):
        found.update(_secrets(part))
    return frozenset(value for value in found if value)


def _secrets(value: Any, *, secret: bool = False) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _secrets(inner, secret=secret or str(key).startswith(SECRET_MARK))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _secrets(inner, secret=secret)
    elif secret and value is not None:
        yield str(value)
