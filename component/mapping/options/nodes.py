"""The nodes of the platform's configuration library: what each accepts, fills in and says (reference keboola 4.1, 4.2).

A value is processed in two passes over the whole tree, as there: `normalize` (types, equivalents, unknown options, in
the order of the input) and `finalize` (required and empty values, defaults, checks, in the order of the definition).
Which of several faults is reported depends on that order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Final, Protocol

from component.mapping.platform.texts import REASONS
from component.mapping.platform.values import array, entries, is_array, json_text, text_of, type_name

Check = Callable[[Any, str], Any]
"""Takes a finalized value and its path; returns the value, changed or not, or raises NodeError."""


class NodeError(Exception):
    """A value does not fit its node; carries the code and the platform's text."""

    def __init__(self, code: str, **fields: Any) -> None:
        super().__init__(REASONS[code].format(**fields))
        self.code = code

    @property
    def reason(self) -> tuple[str, str]:
        """Code and text, to be quoted in the error that stops the job."""
        return self.code, str(self)


class _Unset:
    """The default of a node without default."""


UNSET: Final = _Unset()


class Node(Protocol):
    """One place in the tree."""

    @property
    def default(self) -> Any:
        """The value where the key is absent; UNSET leaves it absent."""
        ...

    @property
    def required(self) -> bool:
        """Whether the key must be there."""
        ...

    def normalize(self, value: Any, path: str) -> Any:
        """Return the value in its own form, or raise NodeError."""
        ...

    def finalize(self, value: Any, path: str) -> Any:
        """Return a normalized value completed and checked, or raise NodeError."""
        ...


def _type_error(path: str, expected: str, value: Any) -> NodeError:
    # the library ends the sentence for scalars and forgets to for arrays
    end = "" if expected == "array" else "."
    return NodeError("mapping.node.type", path=path, expected=expected, type=type_name(value), end=end)


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """Text, number, boolean or null; `filled` forbids null and the empty text."""

    default: Any = UNSET
    required: bool = False
    filled: bool = False
    before: Callable[[Any], Any] | None = None
    choices: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()

    def normalize(self, value: Any, path: str) -> Any:
        """Return the value, changed by `before`."""
        changed = value if self.before is None else self.before(value)
        if is_array(changed):
            raise _type_error(path, "scalar", changed)
        return changed

    def finalize(self, value: Any, path: str) -> Any:
        """Return the value when it is filled, one of the choices, and passes the checks."""
        if self.filled and value in (None, ""):
            raise NodeError("mapping.node.empty", path=path, value=json_text(value))
        if self.choices and value not in self.choices:
            choices = ", ".join(map(json_text, self.choices))
            raise NodeError("mapping.node.choice", path=path, value=json_text(value), choices=choices)
        return checked(value, path, self.checks)


@dataclass(frozen=True, slots=True)
class BooleanNode:
    """A strict boolean; null is true (reference keboola 4.1, executed)."""

    default: Any = UNSET
    required: bool = False

    def normalize(self, value: Any, path: str) -> Any:
        """Return the boolean."""
        if value is None:
            return True
        if not isinstance(value, bool):
            raise _type_error(path, "bool", value)
        return value

    def finalize(self, value: Any, path: str) -> Any:  # noqa: ARG002 # the protocol's signature
        """Return the boolean."""
        return value


@dataclass(frozen=True, slots=True)
class AnythingNode:
    """Any value, unchecked."""

    default: Any = UNSET
    required: bool = False

    def normalize(self, value: Any, path: str) -> Any:  # noqa: ARG002 # the protocol's signature
        """Return the value."""
        return value

    def finalize(self, value: Any, path: str) -> Any:  # noqa: ARG002 # the protocol's signature
        """Return the value."""
        return value


@dataclass(frozen=True, slots=True)
class RecordNode:
    """A map with known options: a dict once it is normalized, and `[]` when it is finalized and still empty."""

    children: Mapping[str, Node]
    default: Any = UNSET
    required: bool = False
    keep_unknown: bool = False
    checks: tuple[Check, ...] = ()

    def normalize(self, value: Any, path: str) -> dict[str, Any]:
        """Return the known options normalized; unknown ones are an error unless they are kept."""
        normalized: dict[str, Any] = {}
        unknown: list[str] = []
        for key, item in _array_entries(value, path):
            child = self.children.get(key)
            if child is not None:
                normalized[key] = child.normalize(item, f"{path}.{key}")
            else:
                normalized[key] = item
                unknown.append(key)
        if unknown and not self.keep_unknown:
            raise _unknown_options(unknown, sorted(self.children), path)
        return normalized

    def finalize(self, value: Any, path: str) -> Any:
        """Return the options finalized, with defaults for those that are absent."""
        finalized = dict(value)
        for key, child in self.children.items():
            if key in finalized:
                finalized[key] = child.finalize(finalized[key], f"{path}.{key}")
            elif child.required:
                raise NodeError("mapping.node.required", name=key, path=path)
            elif child.default is not UNSET:
                finalized[key] = copy(child.default)
        return checked(finalized, path, self.checks) or []


@dataclass(frozen=True, slots=True)
class ListNode:
    """An array of equal items. With `key_attribute` the keys matter and a plain list of arrays is refused."""

    item: Node
    key_attribute: str | None = None
    keep_dashes: bool = False
    required: bool = False

    @property
    def default(self) -> Any:
        """The empty array."""
        return []

    def normalize(self, value: Any, path: str) -> Any:
        """Return the items normalized, under the keys they had."""
        if isinstance(value, list) and self.key_attribute is None:
            return [self.item.normalize(item, f"{path}.{index}") for index, item in enumerate(value)]
        pairs = _array_entries(value, path, keep_dashes=self.keep_dashes)
        if self.key_attribute is not None:
            pairs = self._keyed(pairs, self.key_attribute, path, plain=isinstance(value, list))
        return array([(key, self.item.normalize(item, f"{path}.{key}")) for key, item in pairs])

    def finalize(self, value: Any, path: str) -> Any:
        """Return the items finalized."""
        if isinstance(value, list):
            return [self.item.finalize(item, f"{path}.{index}") for index, item in enumerate(value)]
        return array([(key, self.item.finalize(item, f"{path}.{key}")) for key, item in entries(value)])

    def _keyed(self, pairs: list[tuple[str, Any]], attribute: str, path: str, *, plain: bool) -> list[tuple[str, Any]]:
        keyed: dict[str, Any] = {}
        for position, item in pairs:
            key, kept = position, item
            if isinstance(item, dict) and item.get(attribute) is not None:
                key, kept = _named(item, attribute)
            elif is_array(item) and plain:
                raise NodeError("mapping.node.attribute", name=attribute, path=path)
            if is_array(item) and key in keyed:
                raise NodeError("mapping.node.duplicate", name=key, path=path)
            keyed[key] = kept
        return list(keyed.items())


def _named(item: dict[str, Any], attribute: str) -> tuple[str, Any]:
    if is_array(item[attribute]):
        raise NodeError("mapping.node.offset")
    rest = [(key, value) for key, value in item.items() if key != attribute]
    return text_of(item[attribute]), rest[0][1] if [key for key, _ in rest] == ["value"] else array(rest)


def checked(value: Any, path: str, checks: tuple[Check, ...]) -> Any:
    """Return the value after all checks, each on what the one before returned."""
    for check in checks:
        value = check(value, path)
    return value


def _array_entries(value: Any, path: str, *, keep_dashes: bool = False) -> list[tuple[str, Any]]:
    if value is None or value is True:
        return []
    if not is_array(value):
        raise _type_error(path, "array", value)
    if isinstance(value, list) or keep_dashes or "-" not in "".join(value):
        return entries(value)
    # the library takes primary-key for primary_key, unless both are there
    pairs: dict[str, Any] = {}
    for key, item in value.items():
        underscored = key.replace("-", "_")
        pairs[underscored if "_" not in key and underscored not in value else key] = item
    return list(pairs.items())


def _unknown_options(unknown: list[str], known: list[str], path: str) -> NodeError:
    guesses: dict[str, int] = {}
    for name in unknown:
        nearest: float = float("inf")
        for proposal in known:
            distance = _edit_distance(name.encode(errors="replace"), proposal.encode())
            if distance <= nearest and distance < 3:
                guesses[proposal] = distance
                nearest = distance
    near = '", "'.join(sorted(guesses, key=guesses.__getitem__))
    every = '", "'.join(known)
    hint = f'. Did you mean "{near}"?' if guesses else f'. Available options are "{every}".'
    plural = "" if len(unknown) == 1 else "s"
    return NodeError("mapping.node.unknown", plural=plural, names=", ".join(unknown), path=path, hint=hint)


def _edit_distance(one: bytes, other: bytes) -> int:
    if abs(len(one) - len(other)) > 2:
        return 3  # further than any hint reaches; long keys must not cost quadratic time
    row = list(range(len(other) + 1))
    for number, byte in enumerate(one, start=1):
        previous, row = row, [number]
        for column, against in enumerate(other, start=1):
            row.append(min(previous[column] + 1, row[-1] + 1, previous[column - 1] + (byte != against)))
    return row[-1]
