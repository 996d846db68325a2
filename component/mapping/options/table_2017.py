"""The options of one output table in 2017: fewer than today, and read with fewer checks (reference keboola 6.5)."""

from __future__ import annotations

from typing import Any, Final

from component.mapping.options.nodes import BooleanNode, ListNode, Node, RecordNode, ScalarNode
from component.mapping.options.table import EQUALS, ESCAPED_BY, OPERATORS, refuse_if
from component.naming import DELIMITER, ENCLOSURE

"""Accepted, and dropped before the load: a backend of the time could not have it beside an enclosure."""
_METADATA: Final = ListNode(RecordNode({"key": ScalarNode(), "value": ScalarNode()}))

_OPTIONS: Final[dict[str, Node]] = {
    "destination": ScalarNode(),
    "incremental": BooleanNode(default=False),
    "primary_key": ListNode(ScalarNode()),
    "columns": ListNode(ScalarNode()),
    "delete_where_column": ScalarNode(),
    "delete_where_values": ListNode(ScalarNode()),
    "delete_where_operator": ScalarNode(
        default=EQUALS,
        checks=(
            refuse_if(
                lambda operator: operator not in OPERATORS,
                "Invalid operator in delete_where_operator {value}.",
            ),
        ),
    ),
    "delimiter": ScalarNode(default=DELIMITER),
    "enclosure": ScalarNode(default=ENCLOSURE),
    ESCAPED_BY: ScalarNode(default=""),
    "metadata": _METADATA,
    "column_metadata": ListNode(_METADATA, key_attribute="name"),
}
_TABLE: Final = RecordNode(_OPTIONS)
_ENTRY: Final = RecordNode(_OPTIONS | {"source": ScalarNode(required=True)})


def parse_table_2017(value: Any) -> dict[str, Any]:
    """Return the options of a table with all defaults filled in, or raise NodeError."""
    return _parse(_TABLE, value)


def parse_entry_2017(value: Any) -> dict[str, Any]:
    """Return a mapping entry as a job of 2017 passed it on, with all defaults filled in, or raise NodeError."""
    return _parse(_ENTRY, value)


def _parse(node: RecordNode, value: Any) -> dict[str, Any]:
    parsed: dict[str, Any] = node.finalize(node.normalize(value, "table"), "table")
    return parsed


DEFAULTS_2017: Final[dict[str, Any]] = parse_table_2017([])
"""The options of a table that says nothing."""
