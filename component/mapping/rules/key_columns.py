"""Key columns as the platform cleans them: no empty names, no duplicates, no blanks around (reference keboola 4.1)."""

from __future__ import annotations

from typing import Any, Final

from component.mapping.platform.texts import warning
from component.mapping.platform.type_faults import array_fault, trim_fault
from component.mapping.platform.values import BLANKS, array, entries, given, is_array, text_of

KEYS: Final = ("primary_key", "distribution_key")
_METHOD: Final = "Writer\\Helper\\PrimaryKeyHelper::normalizeKeyArray"
_CALLER: Final = "TableConfigurationResolver"


def clean_keys(config: dict[str, Any], source: str, log: list[str]) -> dict[str, Any]:
    """Return the options with both keys cleaned; each empty name is a warning in `log`.

    Positions are kept: `["", "Id"]` becomes `{"1": "Id"}`, since the platform leaves the gap.
    """
    cleaned = {key: _clean(config, key, source, log) for key in KEYS if given(config, key)}
    return config | cleaned


def _clean(config: dict[str, Any], key: str, source: str, log: list[str]) -> list[Any] | dict[str, Any]:
    if not is_array(config[key]):
        raise array_fault(_METHOD, "#2 ($keys)", config[key], source, caller=_CALLER)
    kept: dict[str, str] = {}
    seen: set[str] = set()
    for position, name in entries(config[key]):
        if name == "":
            log.append(warning("mapping.empty_key_column"))
        elif text_of(name) not in seen:
            if not isinstance(name, str):
                raise trim_fault(name, source)
            seen.add(name)
            kept[position] = name.strip(BLANKS)  # after the duplicates are gone, so blanks can make new ones
    return array(kept.items())
