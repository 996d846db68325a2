"""The options of one uploaded file, as manifests and mapping entries share them (reference keboola 5)."""

from __future__ import annotations

from typing import Any, Final

from component.mapping.options.nodes import BooleanNode, ListNode, Node, RecordNode, ScalarNode

_TAGS: Final = ListNode(ScalarNode())
_OPTIONS: Final[dict[str, Node]] = {
    "tags": _TAGS,
    "is_public": BooleanNode(default=False),
    "is_permanent": BooleanNode(default=False),
    "is_encrypted": BooleanNode(default=True),
    "notify": BooleanNode(default=False),
}
_FILE: Final = RecordNode(_OPTIONS)
_ENTRY: Final = RecordNode(_OPTIONS | {"source": ScalarNode(required=True)})
_TABLE_FILE: Final = RecordNode({"tags": _TAGS, "is_permanent": BooleanNode(default=True)})


def parse_file(value: Any) -> dict[str, Any]:
    """Return the options of a file with all defaults filled in, or raise NodeError."""
    return _parse(_FILE, value, "file")


def parse_file_entry(value: Any) -> dict[str, Any]:
    """Return a mapping entry as a real job passes it on, with all defaults filled in, or raise NodeError."""
    return _parse(_ENTRY, value, "file")


def parse_table_file(value: Any) -> dict[str, Any]:
    """Return the options of tables that are uploaded as files, defaults filled in, or raise NodeError."""
    return _parse(_TABLE_FILE, value, "tableFile")


def _parse(node: RecordNode, value: Any, path: str) -> dict[str, Any]:
    parsed: dict[str, Any] = node.finalize(node.normalize(value, path), path)
    return parsed


FILE_DEFAULTS: Final[dict[str, Any]] = parse_file([])
"""The options of a file that says nothing."""
