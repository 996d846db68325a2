"""Key columns as the platform cleans them: no empty names, no duplicates, no blanks around (reference keboola 4.1)."""

from __future__ import annotations

from typing import Any, Final

from component.mapping.platform_values import array, entries, given, text_of, type_name
from component.mapping.texts import refusal, warning
from component.mapping.webalize import array_option

KEYS: Final = ("primary_key", "distribution_key")
_BLANKS: Final = " \n\r\t\v\0"


def clean_keys(config: dict[str, Any], source: str, log: list[str]) -> dict[str, Any]:
    """Return the options with both keys cleaned; each empty name is a warning in `log`.

    Positions are kept: `["", "Id"]` becomes `{"1": "Id"}`, since the platform leaves the gap.
    """
    cleaned = {key: _clean(config, key, source, log) for key in KEYS if given(config, key)}
    return config | cleaned


def _clean(config: dict[str, Any], key: str, source: str, log: list[str]) -> list[Any] | dict[str, Any]:
    kept: dict[str, str] = {}
    seen: set[str] = set()
    for position, name in entries(array_option(config, key, source)):
        if name == "":
            log.append(warning("mapping.empty_key_column"))
        elif text_of(name) not in seen:
            if not isinstance(name, str):
                raise refusal("mapping.application", source, where=f"{key}[]", expected="string", type=type_name(name))
            seen.add(name)
            kept[position] = name.strip(_BLANKS)  # after the duplicates are gone, so blanks can make new ones
    return array(kept.items())
