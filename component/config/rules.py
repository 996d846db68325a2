"""What configuration values must hold beyond their type, as pure functions over plain values.

Functions that yield faults give each with its place inside the model; the others take and return one value, or raise.
"""

from __future__ import annotations

import codecs
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue
from pydantic_core import PydanticCustomError

from component import naming
from component.config.fields import SECRET_MARK, Fault, fault
from component.config.json_text import describe

NO_TEXT: Final = frozenset({"idna", "mbcs", "oem", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"})
"""Encodings that Python knows and no file has."""
LIST_OPERATORS: Final = ("in", "not in")
SCALAR_OPERATORS: Final = ("==", "!=", "<", "<=", ">", ">=", "like")
NULL_OPERATORS: Final = ("is null", "is not null")
_SCALAR: Final[dict[str, Any]] = {"type": ["string", "number", "boolean", "null"]}
_COLUMN: Final[dict[str, Any]] = {"type": "string", "minLength": 1}
CONDITION_SCHEMA: Final[dict[str, Any]] = {
    "type": "array",
    "minItems": 3,
    "maxItems": 3,
    "anyOf": [
        {"prefixItems": [_COLUMN, {"enum": list(SCALAR_OPERATORS)}, _SCALAR]},
        {"prefixItems": [_COLUMN, {"enum": list(LIST_OPERATORS)}, {"type": "array", "items": _SCALAR}]},
        {"prefixItems": [_COLUMN, {"enum": list(NULL_OPERATORS)}, {"type": "null"}]},
    ],
}
SCOPE_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"minLength": 1},
    "additionalProperties": {"type": ["string", "number", "boolean"]},
}
FILE_NAME_SCHEMA: Final[dict[str, Any]] = {
    "pattern": r"^[^./\\\x00-\x1f][^/\\\x00-\x1f]*$",
    "not": {"pattern": r"\.manifest$"},
}


def unknown_store_keys(data: Any, known: Container[str]) -> Iterator[Fault]:
    """Yield the plain keys of a store that are not known; those that start with `#` are secrets and free."""
    for key in data if isinstance(data, dict) else ():
        if key not in known and not key.startswith(SECRET_MARK):
            yield (key,), PydanticCustomError("extra_forbidden", "is not known")


def columns_as_list(value: Any) -> Any:
    """Return `{name: type or facts}` as the list of `{name, …}` that it abbreviates."""
    if not isinstance(value, list | dict):
        raise fault("config.type", f"must be a list of columns, or an object of them by name, but is {describe(value)}")
    if isinstance(value, list):
        return value
    return [_named_column(name, facts) for name, facts in value.items()]


def _named_column(name: str, facts: Any) -> Any:
    if isinstance(facts, str):
        return {"name": name, "type": facts}
    if isinstance(facts, list) and not facts:
        return {"name": name}
    if isinstance(facts, dict) and "name" in facts:
        raise fault("config.value", f"gives the column {name!r} a second name", 'Leave its key "name" out.')
    return {"name": name, **facts} if isinstance(facts, dict) else facts


def table_name(name: str) -> str:
    """Refuse the folder names that a dataset keeps for itself."""
    if name in naming.RESERVED_TABLES:
        raise fault("config.value", f"must not be {name!r}, a folder that every dataset keeps for itself")
    return name


def table_faults(columns: Sequence[str], delimiter: str | None, enclosure: str | None) -> Iterator[Fault]:
    """Yield columns that are configured twice, and a dialect whose enclosure ends cells."""
    for position, first in _repetitions(columns):
        text = f"configures the column {columns[first]!r} again"
        yield ("columns", position, "name"), fault("config.value", text)
    if (delimiter or naming.DELIMITER) == (enclosure or naming.ENCLOSURE):
        yield (
            ("delimiter" if delimiter else "enclosure",),
            fault("config.value", "makes delimiter and enclosure the same character"),
        )


def mark_faults(decimal: str | None, thousands: str | None) -> Iterator[Fault]:
    """Yield marks of numbers that cannot be told apart."""
    if thousands is not None and thousands == (decimal or "."):
        remedy = 'Say "decimal": "," as well.' if decimal is None else "Choose another one."
        yield ("thousands",), fault("config.value", "is what stands before the decimals too", remedy)


def text_faults(
    encoding: str | None, delimiter: str, enclosure: str | None, escape: str | None, comment: str | None
) -> Iterator[Fault]:
    """Yield an encoding that nobody knows, and marks of a text that contradict each other."""
    if encoding is not None and not _is_encoding(encoding):
        remedy = "Use a name such as utf-8, utf-16, windows-1252 or shift_jis."
        yield ("encoding",), fault("config.value", f"is {encoding!r}, which is not the name of an encoding", remedy)
    marks = [mark for mark in (naming.ENCLOSURE if enclosure is None else enclosure, escape) if mark]
    for mark in marks:
        if len(delimiter) > 1 and mark in delimiter:
            yield ("delimiter",), fault("config.value", f"holds {mark!r}, which encloses or escapes cells")
    if escape is not None and escape in (enclosure, delimiter):
        yield ("escape",), fault("config.value", "is the delimiter or the enclosure too")
    if comment and (comment in (delimiter or naming.DELIMITER, *marks) or set(comment) & set("\r\n")):
        yield ("comment",), fault("config.value", f"is {comment!r}, with which a record can begin")


def _is_encoding(name: str) -> bool:
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return False
    return getattr(found, "_is_text_encoding", True) and found.name not in NO_TEXT


def tables_faults(names: Sequence[str], mode: str, compatibility: str) -> Iterator[Fault]:
    """Yield every table of a dataset whose name an earlier one has, and a mode that several tables cannot have.

    A partition of a dataset of several tables changes whole, since its tables belong together.
    """
    for position, first in _repetitions(names):
        text = f"is {names[first]!r}, as tables[{first}].name is"
        yield ("tables", position, "name"), fault("config.value", text, "Give each table its own name.")
    if len(names) > 1 and compatibility == "kartothek" and mode in {"upsert", "delete"}:
        text = f'is "{mode}", which changes rows of single tables of a dataset of several'
        remedy = 'Use overwrite, append or replace_partitions, or set compatibility to "plateau".'
        yield ("mode",), fault("config.value", text, remedy)


def dataset_faults(partition_on: Sequence[str], secondary_indices: Sequence[str]) -> Iterator[Fault]:
    """Yield indices on partition columns."""
    for position, name in enumerate(secondary_indices):
        if name in partition_on:
            text = f"names {name!r}, which partition_on names too"
            remedy = "Leave it out here: partition columns are found without an index."
            yield ("secondary_indices", position), fault("config.value", text, remedy)


def bucket_faults(bucket_by: Sequence[str], num_buckets: int | None) -> Iterator[Fault]:
    """Yield buckets without columns, columns without a number of buckets, and more buckets than anybody needs."""
    if num_buckets is not None and num_buckets > naming.MOST_BUCKETS:
        yield ("num_buckets",), fault("config.value", f"must be at most {naming.MOST_BUCKETS}, but is {num_buckets}")
    if bool(bucket_by) != (num_buckets is not None):
        given, other = ("bucket_by", "num_buckets") if bucket_by else ("num_buckets", "bucket_by")
        yield (given,), fault("config.value", f"is given without {other}", "Give both of them, or neither.")


def scope_condition(value: Any) -> Any:
    """Refuse a condition on partitions that names no key, which every partition would meet, or that has no value."""
    if not isinstance(value, dict) or not value:
        text = "must be an object of partition keys with their values, and not an empty one"
        raise fault("config.value", text, "An empty condition would match every partition.")
    for name, one in value.items():
        if not name or one is None or isinstance(one, dict | list):
            raise fault("config.value", f"must give {name!r} one plain value, but gives {describe(one)}")
    return value


def some_scope(scope: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """Refuse a scope without conditions: it could mean no partition or every one."""
    if scope is not None and not scope:
        remedy = "Leave it out to replace the partitions that the new rows are of."
        raise fault("config.value", "must not be empty", remedy)
    return scope


def mode_faults(
    mode: str, scope: Sequence[Mapping[str, Any]] | None, key: Sequence[str], partition_on: Sequence[str]
) -> Iterator[Fault]:
    """Yield options of another mode than the dataset's, and conditions on columns that are no partition keys."""
    if scope is not None and mode != "replace_partitions":
        remedy = 'Set mode to "replace_partitions", or leave it out.'
        yield ("delete_scope",), fault("config.value", f'is not used by mode "{mode}"', remedy)
    if key and mode not in {"upsert", "delete"}:
        remedy = 'Set mode to "upsert" or "delete", or leave it out.'
        yield ("key",), fault("config.value", f'is not used by mode "{mode}"', remedy)
    for position, condition in enumerate(scope or ()):
        for name in condition:
            if partition_on and name not in partition_on:
                text = f"names {name!r}, which partition_on does not name"
                yield ("delete_scope", position), fault("config.value", text, "Only whole partitions are replaced.")


def some(conditions: tuple[Any, ...]) -> tuple[Any, ...]:
    """Refuse no conditions at all: whether they would mean every row or none is a matter of taste."""
    if conditions:
        return conditions
    raise fault("config.value", "must not be empty", "Leave predicates out to take every row.")


def condition_shape(value: Any) -> Any:
    """Refuse what is not a list of three."""
    if isinstance(value, list | tuple) and len(value) == 3:
        return value
    raise fault("config.value", "must be a condition: a list of column, operator and value")


def condition_value(condition: tuple[str, str, JsonValue]) -> tuple[str, str, JsonValue]:
    """Refuse a list for an operator on one value, and one value for an operator on a list."""
    _, operator, value = condition
    if operator in NULL_OPERATORS and value is not None:
        raise fault("config.value", f"must have null as value, because its operator is {operator!r}")
    takes_list = operator in LIST_OPERATORS
    if takes_list and not isinstance(value, list):
        raise fault("config.value", f"must have a list as value, because its operator is {operator!r}")
    values = value if takes_list and isinstance(value, list) else [value]
    if any(isinstance(one, list | dict) for one in values):
        kind = "a list of plain values" if takes_list else "one plain value"
        raise fault("config.value", f"must have {kind}, because its operator is {operator!r}")
    return condition


def file_name(name: str) -> str:
    """Refuse names that are no file, or that the platform does not see as data (reference keboola 6.2)."""
    if not name or any(character in "/\\" or character < " " for character in name):
        raise fault("config.value", f"must be the name of a file without folders, but is {name!r}")
    if name.startswith("."):
        raise fault("config.value", f"must not start with a dot, because the platform ignores {name!r}")
    if name.endswith(naming.MANIFEST_SUFFIX):
        raise fault("config.value", f"must not end like a manifest, but is {name!r}")
    return name


def output_format_faults(written_as: str, file_format: str, described: Sequence[str]) -> Iterator[Fault]:
    """Yield a format that the output cannot have, and options of another; `described` are formats that have options."""
    for name in described:
        if name == file_format:
            continue
        yield (name,), fault("config.value", f"is there, and the format is {file_format!r}", "Leave one out.")
    if written_as == "table" and file_format != "csv":
        remedy = 'Add "as": "file" to write it to out/files.'
        yield ("format",), fault("config.value", f"is {file_format!r}, but tables are written as csv", remedy)


def repeated_uuids(uuids: Sequence[Sequence[str]]) -> Iterator[Fault]:
    """Yield every dataset that has a uuid in the store that an earlier one has."""
    stored = [(uuid, position) for position, of_one in enumerate(uuids) for uuid in of_one]
    for number, first in _repetitions([uuid for uuid, _ in stored]):
        (uuid, position), (_, before) = stored[number], stored[first]
        if position == before:
            continue  # two tables of the same name: said of them
        makes = "is" if len(uuids[position]) == 1 else "makes"
        other = "is" if len(uuids[before]) == 1 else "makes one"
        text = f"{makes} {uuid!r}, as parameters.datasets[{before}].uuid {other}"
        yield ("datasets", position, "uuid"), fault("config.value", text, "Give each dataset its own uuid.")


def repeated_outputs(names: Sequence[tuple[str, str]]) -> Iterator[Fault]:
    """Yield every output (kind, name) whose name an earlier one of its kind has.

    A final `.csv` of a table does not count: the platform takes it off (reference keboola 6.2).
    """
    plain = [(kind, name.removesuffix(naming.CSV_SUFFIX) if kind == "table" else name) for kind, name in names]
    for position, first in _repetitions(plain):
        kind, name = plain[first]
        text = f"is the {kind} {name!r}, as parameters.outputs[{first}] is"
        yield ("outputs", position), fault("config.duplicate_output", text, 'Give one of them another "name".')


def unknown_datasets(read: Sequence[str], uuids: Sequence[str]) -> Iterator[Fault]:
    """Yield outputs of datasets that are not configured, where some are and no store could hold others.

    With no dataset configured at all, every input becomes one, and only the folder can tell which there are.
    """
    for position, uuid in enumerate(read):
        if uuids and uuid not in uuids:
            text = f"is {uuid!r}, which is not one of the configured datasets"
            remedy = f"There are {', '.join(uuids)}; a dataset of an earlier run needs a store."
            yield ("outputs", position, "dataset"), fault("config.value", text, remedy)


def _repetitions(values: Iterable[Hashable]) -> Iterator[tuple[int, int]]:
    """Yield the position of every value that was there before, and the position of its first occurrence."""
    first: dict[Hashable, int] = {}
    for position, value in enumerate(values):
        if first.setdefault(value, position) != position:
            yield position, first[value]
