"""What the platform says when its own code is handed a value of the wrong type: an application error (exit 2 there).

Its parsers refuse most such values; what they let through, or what no parser saw, ends here (reference keboola 4.2).
"""

from __future__ import annotations

from typing import Any, Final

from component.mapping.platform.model import RefusedError
from component.mapping.platform.texts import refusal
from component.mapping.platform.values import is_array, type_name

_ROOT: Final = "Keboola\\OutputMapping"
_ENTRY: Final = "Mapping\\MappingFromRawConfiguration"
_PROPERTIES: Final = (("source", "string"), ("columns", "array"), ("delimiter", "string"), ("enclosure", "string"))


def array_fault(
    method: str, argument: str, value: Any, source: str | None = None, *, caller: str | None = None
) -> RefusedError:
    r"""Return the error of a call that wants an array: `method` as `Folder\Class::name`, `argument` as `#2 ($mapping)`.

    The text ends with the file of the caller: that of the class itself, unless `caller` names another.
    """
    file = caller or method.partition("::")[0].rpartition("\\")[2]
    text = f"{_ROOT}\\{method}(): Argument {argument} must be of type array, {type_name(value)} given"
    return refusal("mapping.application", source, text=f"{text}, called in {file}.php")


def trim_fault(value: Any, source: str) -> RefusedError:
    """Return the error for a name that is no text where blanks around it are cut."""
    text = f"trim(): Argument #1 ($string) must be of type string, {type_name(value)} given"
    return refusal("mapping.application", source, text=text)


def other_fault(where: str, expected: str, value: Any, source: str | None = None) -> RefusedError:
    """Return the error for a value whose exact text on the platform depends on the version of its language."""
    text = f"The platform stops with an application error: {where} must be of type {expected}, {type_name(value)} given"
    return refusal("mapping.application", source, text=text)


def entry_fault(value: Any) -> RefusedError:
    """Return the error for a mapping entry that is no array."""
    return array_fault(f"{_ENTRY}::__construct", "#1 ($mappingItem)", value, caller="OutputMappingSettings")


def check_entry(entry: dict[str, Any]) -> None:
    """Raise `mapping.application` for a mapping entry that the platform cannot even hold, whatever the job is like."""
    for name, expected in _PROPERTIES:
        found = entry.get(name)
        fits = is_array(found) if expected == "array" else isinstance(found, str)
        if not fits and (found is not None or name == "source"):
            text = f"Cannot assign {type_name(found)} to property {_ROOT}\\{_ENTRY}::${name} of type {expected}"
            raise refusal("mapping.application", text=text)
