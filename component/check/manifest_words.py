"""Words of manifests that are unknown here: keys that nobody reads, types that have no meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from component.check.finding import note, warning
from component.findings import Finding
from component.folder.datatypes import KEY_BASE_TYPE, KEY_TYPE, type_of_backend
from component.tables.types import BASE_TYPES, TypeName

_TABLE_KEYS: Final = (
    "id uri name primary_key distribution_key columns created last_change_date last_import_date description metadata "
    "column_metadata schema s3 abs rows_count data_size_bytes is_alias indexed_columns attributes "
    "destination incremental delimiter enclosure escaped_by has_header delete_where_column delete_where_values "
    "delete_where_operator delete_where write_always tags unload_strategy deduplication_strategy manifest_type "
    "table_metadata source"
)
"""Keys of table manifests, in in/ and out/, of both eras (reference keboola 2.2, 4.1)."""
_FILE_KEYS: Final = (
    "id name created is_public is_encrypted is_sliced tags max_age_days size_bytes is_permanent notify s3 abs"
)
"""Keys of file manifests (reference keboola 3, 5)."""
_TEXT_WORDS: Final = (
    "string varchar char character nvarchar nchar text tinytext mediumtext longtext varchar2 nvarchar2 bpchar "
    "time timetz variant object array json jsonb binary varbinary bytes geography super enum set uuid"
)
"""Types of backends that are strings to us, as they should be."""
TABLE_KEYS: Final = frozenset(_TABLE_KEYS.split())
FILE_KEYS: Final = frozenset(_FILE_KEYS.split())
TEXT_WORDS: Final = frozenset(_TEXT_WORDS.split())


def unknown_keys(raw: Mapping[str, Any], known: frozenset[str], place: str) -> Iterator[Finding]:
    """Yield a note for keys that are not `known`."""
    names = [name for name in raw if name not in known]
    if names:
        listed = ", ".join(map(repr, names))
        yield note("manifest.unknown_key", place, f"Nothing here reads {listed}: what it says has no effect")


def unknown_types(raw: Mapping[str, Any], place: str) -> Iterator[Finding]:
    """Yield a warning for each column whose type is read as a string because nobody knows it."""
    for column, word in _type_words(raw):
        yield warning(
            "manifest.unknown_type",
            place,
            f"The column {column!r} has the type {word!r}, which is not known; it is read as a string",
            "Give the column a type in the configuration, if it should have another one.",
        )


def _type_words(raw: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield columns with a type that has no meaning here, by the base type or, without one, by the backend's."""
    schema, metadata = raw.get("schema"), raw.get("column_metadata")
    for entry in schema if isinstance(schema, list) else ():
        types = entry.get("data_type") if isinstance(entry, dict) else None
        if isinstance(types, dict):
            words = {key: part.get("type") for key, part in types.items() if isinstance(part, dict)}
            base = words.pop("base", None)
            yield from _unknown(str(entry.get("name")), base, next(iter(words.values()), None))
    for column, pairs in metadata.items() if isinstance(metadata, dict) else ():
        listed = [pair for pair in pairs if isinstance(pair, dict)] if isinstance(pairs, list) else []
        values = {str(pair.get("key")): pair.get("value") for pair in listed}
        yield from _unknown(column, values.get(KEY_BASE_TYPE), values.get(KEY_TYPE))


def _unknown(column: str, base: Any, backend: Any) -> Iterator[tuple[str, str]]:
    if isinstance(base, str) and base.strip():
        if base.strip().lower() not in BASE_TYPES:
            yield column, base
    elif isinstance(backend, str) and backend.strip():
        first = backend.replace("(", " ").split()[0].lower()
        if type_of_backend(backend)[0] is TypeName.STRING and first not in TEXT_WORDS:
            yield column, backend
