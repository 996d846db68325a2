"""Older shapes of our own `parameters` brought up to date, before anything looks at them (reference workbench 6).

A chain of steps, each from one shape to the next, told apart by what is there: a document has no version. A step takes
any value, touches only what it knows, and leaves the rest to the model, whose errors say what is wrong. Steps are only
ever added, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Parameters = Mapping[str, Any]


def migrated(document: Any) -> tuple[Any, tuple[str, ...]]:
    """Return a configuration in today's shape, and a sentence for each thing that was in an older one."""
    if not isinstance(document, dict) or not isinstance(document.get("parameters"), dict):
        return document, ()
    parameters: Parameters = document["parameters"]
    said: list[str] = []
    for step in STEPS:
        parameters, more = step(parameters)
        said += more
    return ({**document, "parameters": dict(parameters)} if said else document), tuple(said)


Step = Callable[[Parameters], tuple[Parameters, list[str]]]


def _one_text_table(parameters: Parameters) -> tuple[Parameters, list[str]]:
    """Take `table`, the one text table of the first shape, for the only one of `tables`."""
    table = parameters.get("table")
    if not isinstance(table, dict) or "csv" not in table or "tables" in parameters:
        return parameters, []
    others = {key: value for key, value in parameters.items() if key != "table"}
    return {**others, "tables": [{"name": "table", **table}]}, ['"table" is "tables" by now, a list of tables.']


def _has_header_row(parameters: Parameters) -> tuple[Parameters, list[str]]:
    """Take `has_header` of a text table, Workbench's word of 2019, for `has_header_row`."""
    tables = parameters.get("tables")
    if not isinstance(tables, list) or not any(_says_has_header(table) for table in tables):
        return parameters, []
    renamed = [_renamed(table) if _says_has_header(table) else table for table in tables]
    return {**parameters, "tables": renamed}, ['"has_header" of a table in "tables" is "has_header_row" by now.']


def _says_has_header(table: Any) -> bool:
    return isinstance(table, dict) and "has_header" in table and "has_header_row" not in table


def _renamed(table: Mapping[str, Any]) -> dict[str, Any]:
    return {"has_header_row" if key == "has_header" else key: value for key, value in table.items()}


def _one_table_object(parameters: Parameters) -> tuple[Parameters, list[str]]:
    """Take one object as `tables` of a dataset for a list of it."""
    datasets = parameters.get("datasets")
    if not isinstance(datasets, list) or not any(_has_table_object(dataset) for dataset in datasets):
        return parameters, []
    listed = [{**one, "tables": [one["tables"]]} if _has_table_object(one) else one for one in datasets]
    return {**parameters, "datasets": listed}, ['"tables" of a dataset is a list by now.']


def _has_table_object(dataset: Any) -> bool:
    return isinstance(dataset, dict) and isinstance(dataset.get("tables"), dict) and bool(dataset["tables"])


STEPS: Final[tuple[Step, ...]] = (_one_text_table, _has_header_row, _one_table_object)
"""In the order in which the shapes came up."""
