"""The two forms: of a configuration (the store) and of its rows (one dataset each)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scripts.registration import words
from scripts.registration.model_form import Models, Schema, Shown, left_blank, list_form, object_form

SHOWN: Final[Mapping[str, Shown]] = {
    "Parameters": {**words.ROOT, **words.ROWS},
    "StoreConfig": words.STORE,
    "DatasetConfig": words.DATASET,
    "TableConfig": words.TABLE,
    "ColumnConfig": words.COLUMN,
    "OutputConfig": words.OUTPUT,
}
"""What is shown of each model, in one form or the other."""


def config_form() -> Schema:
    """Return configSchema.json: what all rows share. Without a store it is complete as it stands."""
    models = Models()
    url = {"url": {**models.properties("StoreConfig")["url"], "default": ""}}
    url["url"].pop("minLength", None)
    secrets: dict[str, Schema] = {key: {} for key in words.CREDENTIALS}
    store = object_form(models, "StoreConfig", words.STORE, {**url, **secrets})
    root = object_form(models, "Parameters", words.ROOT, {"store": store})
    return {**root, "title": "Tablemill"}


def row_form() -> Schema:
    """Return configRowSchema.json: one dataset and its outputs."""
    models = Models()
    column = object_form(models, "ColumnConfig", words.COLUMN)
    columns = list_form({**column, "format": "grid"}, title="Column")
    table = object_form(models, "TableConfig", words.TABLE, {"columns": columns})
    tables = list_form(table, title="Source", default=[left_blank(table)], minItems=1, maxItems=1)
    dataset = object_form(models, "DatasetConfig", words.DATASET, {"tables": tables})
    datasets = list_form(dataset, title="Settings", minItems=1, maxItems=1)
    del datasets["default"]  # one without a name is none; the form opens with the one that must be there
    outputs = list_form(object_form(models, "OutputConfig", words.OUTPUT), title="Output")
    nested = {"datasets": datasets, "outputs": outputs}
    return {**object_form(models, "Parameters", words.ROWS, nested), "title": "Dataset"}
