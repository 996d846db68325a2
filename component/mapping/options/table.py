"""The options of one output table, as manifests and mapping entries share them (reference keboola 4.1, 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from component.mapping.options.nodes import (
    AnythingNode,
    BooleanNode,
    Check,
    ListNode,
    Node,
    NodeError,
    RecordNode,
    ScalarNode,
)
from component.mapping.platform.values import given, is_array, json_text, text_of, truthy
from component.naming import DELIMITER, ENCLOSURE

EQUALS: Final = "eq"
OPERATORS: Final = (EQUALS, "ne")
BACKENDS: Final = ("base", "snowflake", "bigquery")
DESCRIPTION: Final = "KBC.description"
ESCAPED_BY: Final = "escaped_by"
DIRECT_GRANT: Final = "direct-grant"
_VALUE_SOURCES: Final = ("values_from_set", "values_from_workspace", "values_from_storage")


def parse_manifest(value: Any) -> dict[str, Any]:
    """Return the options of a manifest with all defaults filled in, or raise NodeError; a scalar counts as a list."""
    return _parse(_MANIFEST, _as_array(value))


def parse_manifest_with_source(value: Any) -> dict[str, Any]:
    """Return the options of a manifest that may have `source`, as documented in 2017; else as `parse_manifest`."""
    return _parse(_MERGED, _as_array(value))


def _as_array(value: Any) -> Any:
    return [] if value is None else value if is_array(value) else [value]


def parse_merged(value: dict[str, Any]) -> dict[str, Any]:
    """Return merged options with all defaults filled in, or raise NodeError; `source` is known here."""
    return _parse(_MERGED, value)


def parse_entry(value: Any) -> dict[str, Any]:
    """Return a mapping entry as a real job passes it on, with all defaults filled in, or raise NodeError."""
    return _parse(_ENTRY, value)


def _parse(node: RecordNode, value: Any) -> dict[str, Any]:
    parsed: dict[str, Any] = node.finalize(node.normalize(value, "table"), "table")
    return parsed


def refuse_if(condition: Callable[[Any], bool], text: str) -> Check:
    """Return a check that refuses a value under the path it has; `{value}` in the text is the value as JSON."""

    def check(value: Any, path: str) -> Any:
        if condition(value):
            raise NodeError("mapping.node.invalid", path=path, text=text.replace("{value}", json_text(value)))
        return value

    return check


def _without_empty(key: str) -> Check:
    def check(value: dict[str, Any], path: str) -> dict[str, Any]:  # noqa: ARG001 # the signature of a check
        return value if truthy(value.get(key)) else {name: item for name, item in value.items() if name != key}

    return check


def _both(one: str, other: str) -> Check:
    return refuse_if(
        lambda config: truthy(config[one]) and truthy(config[other]),
        f'Only one of "{one}" or "{other}" can be defined.',
    )


def _no_key_beside_schema(config: dict[str, Any], path: str) -> dict[str, Any]:  # noqa: ARG001 # the signature of a check
    for key in ("primary_key", "distribution_key"):
        if truthy(config["schema"]) and truthy(config[key]):
            raise NodeError("mapping.node.key_and_schema", key=key)
    return config


def _described_twice(metadata_key: str) -> Check:
    def twice(config: dict[str, Any]) -> bool:
        metadata = config.get(metadata_key)
        return given(config, "description") and isinstance(metadata, dict) and given(metadata, DESCRIPTION)

    return refuse_if(twice, f'Only one of "description" or "{metadata_key}.{DESCRIPTION}" can be defined.')


def _length_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None or is_array(value) else text_of(value)


def _known_backends(types: dict[str, Any], path: str) -> dict[str, Any]:  # noqa: ARG001 # the signature of a check
    completed = {}
    for backend, declared in types.items():
        if backend not in BACKENDS:
            raise NodeError("mapping.node.backend", name=backend)
        if not isinstance(declared, dict) or not given(declared, "type"):
            raise NodeError("mapping.node.backend_type", name=backend)
        texts = {key: _length_text(declared[key]) for key in ("length", "default") if given(declared, key)}
        completed[backend] = declared | texts
    return completed


def _filter_sources(rule: dict[str, Any]) -> int:
    return sum(truthy(rule.get(source)) for source in _VALUE_SOURCES)


def _no_part(rule: dict[str, Any]) -> bool:
    return not any(truthy(rule.get(part)) for part in ("changed_since", "changed_until", "where_filters"))


def _column_without_values(config: dict[str, Any]) -> bool:
    return _deletes_by_column(config) and not config["delete_where_values"]


def _deletes_by_column(config: dict[str, Any]) -> bool:
    return given(config, "delete_where_column") and config["delete_where_column"] != ""


def _without_source(config: dict[str, Any]) -> bool:
    return not given(config, "source") and config.get("unload_strategy") != DIRECT_GRANT


_FILLED: Final = ScalarNode(required=True, filled=True)
_METADATA: Final = ListNode(RecordNode({"key": ScalarNode(), "value": ScalarNode()}))

_FILTER: Final = RecordNode(
    {
        "column": _FILLED,
        "operator": ScalarNode(
            default=EQUALS,
            checks=(
                refuse_if(
                    lambda operator: operator not in OPERATORS,
                    'Invalid operator {value}. Valid values are "eq" or "ne".',
                ),
            ),
        ),
        "values_from_set": ListNode(ScalarNode()),
        "values_from_workspace": RecordNode(
            {"workspace_id": ScalarNode(), "table": _FILLED, "column": ScalarNode()},
        ),
        "values_from_storage": RecordNode({"bucket_id": _FILLED, "table": _FILLED, "column": ScalarNode()}),
    },
    checks=(
        _without_empty("values_from_set"),
        refuse_if(
            lambda rule: _filter_sources(rule) > 1,
            'Only one of "values_from_set", "values_from_workspace", or "values_from_storage" can be defined.',
        ),
        refuse_if(
            lambda rule: _filter_sources(rule) == 0,
            'One of "values_from_set", "values_from_workspace", or "values_from_storage" must be defined.',
        ),
    ),
)

_DELETE_WHERE: Final = RecordNode(
    {"changed_since": ScalarNode(), "changed_until": ScalarNode(), "where_filters": ListNode(_FILTER)},
    checks=(
        _without_empty("where_filters"),
        refuse_if(_no_part, 'At least one of "changed_since", "changed_until", or "where_filters" must be defined.'),
    ),
)

_DATA_TYPE: Final = RecordNode(
    {
        "base": RecordNode(
            {
                "type": _FILLED,
                "length": ScalarNode(before=_length_text),
                "default": ScalarNode(before=_length_text),
            },
            required=True,
        )
    },
    keep_unknown=True,
    checks=(_known_backends,),
)

_SCHEMA_COLUMN: Final = RecordNode(
    {
        "name": _FILLED,
        "data_type": _DATA_TYPE,
        "nullable": BooleanNode(default=True),
        "primary_key": BooleanNode(default=False),
        "distribution_key": BooleanNode(default=False),
        "description": ScalarNode(),
        "metadata": AnythingNode(),
    },
    checks=(_described_twice("metadata"),),
)

_OPTIONS: Final[dict[str, Node]] = {
    "destination": ScalarNode(),
    "incremental": BooleanNode(default=False),
    "unload_strategy": ScalarNode(),
    "deduplication_strategy": ScalarNode(choices=("insert", "upsert")),
    "primary_key": ListNode(ScalarNode()),
    "columns": ListNode(ScalarNode()),
    "distribution_key": ListNode(ScalarNode(filled=True)),
    "delete_where_column": ScalarNode(),
    "delete_where_values": ListNode(ScalarNode()),
    "delete_where_operator": ScalarNode(
        default=EQUALS,
        before=lambda value: EQUALS if value in (None, "") else value,
        checks=(
            refuse_if(
                lambda operator: operator not in OPERATORS,
                "Invalid operator in delete_where_operator {value}.",
            ),
        ),
    ),
    "delete_where": ListNode(_DELETE_WHERE),
    "delimiter": ScalarNode(default=DELIMITER),
    "enclosure": ScalarNode(default=ENCLOSURE),
    "metadata": _METADATA,
    "column_metadata": ListNode(_METADATA, key_attribute="name", keep_dashes=True),
    "write_always": BooleanNode(default=False),
    "tags": ListNode(ScalarNode(filled=True)),
    "manifest_type": ScalarNode(),
    "has_header": BooleanNode(),
    "description": ScalarNode(),
    "table_metadata": AnythingNode(),
    "schema": ListNode(_SCHEMA_COLUMN),
}

_CHECKS: Final[tuple[Check, ...]] = (
    refuse_if(
        _column_without_values,
        'When "delete_where_column" option is set, then the "delete_where_values" is required.',
    ),
    _both("schema", "columns"),
    _both("schema", "metadata"),
    _both("schema", "column_metadata"),
    _described_twice("table_metadata"),
    _no_key_beside_schema,
    _without_empty("delete_where"),
    refuse_if(
        lambda config: _deletes_by_column(config) and given(config, "delete_where"),
        'Only one of "delete_where_column" or "delete_where" can be defined.',
    ),
)

_MANIFEST: Final = RecordNode(_OPTIONS, checks=_CHECKS)
_WITH_SOURCE: Final[dict[str, Node]] = _OPTIONS | {"source": ScalarNode()}
_MERGED: Final = RecordNode(_WITH_SOURCE, checks=_CHECKS)
_ENTRY: Final = RecordNode(
    _WITH_SOURCE,
    checks=(
        *_CHECKS,
        refuse_if(_without_source, 'The child config "source" under "table" must be configured.'),
    ),
)

DEFAULTS: Final[dict[str, Any]] = parse_manifest([])
"""The options of a table that says nothing."""
