"""What an action reads of `parameters`: the store, the datasets as far as they are filled in, and its own settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from component.actions.request import Request, mapping_at, objects_at
from component.config.load import parse_config
from component.config.model import Config
from component.config.parameters import DatasetConfig, TableConfig
from component.errors import UserError
from component.store.base import Store
from component.store.open import open_store

KEY: Final = "action"
"""`parameters.action` holds what only an action needs; a run refuses it, as it refuses every key it does not know."""
ROWS: Final = 10
MOST_ROWS: Final = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """`parameters.action`: the dataset or input table that is meant (None: not said), and how many rows to show."""

    dataset: str | None = None
    table: str | None = None
    rows: int = ROWS


def asked(request: Request) -> Asked:
    """Return the action's own settings; UserError `config.value` or `config.unknown_key`."""
    given = mapping_at(request.parameters, KEY)
    for key in given:
        if key not in Asked.__dataclass_fields__:
            remedy = f"Allowed are {', '.join(Asked.__dataclass_fields__)}."
            raise UserError("config.unknown_key", f"parameters.{KEY}.{key} is not a known key", remedy=remedy)
    rows = given.get("rows", ROWS)
    if isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= MOST_ROWS:
        raise UserError("config.value", f"parameters.{KEY}.rows must be a whole number from 1 to {MOST_ROWS}")
    return Asked(_name(given, "dataset"), _name(given, "table"), rows)


def _name(given: Mapping[str, Any], key: str) -> str | None:
    found = given.get(key)
    if found is None or isinstance(found, str):
        return found or None
    raise UserError("config.value", f"parameters.{KEY}.{key} must be a text")


def open_configured_store(request: Request) -> Store | None:
    """Open the store of the configuration or of the image parameters, None where there is none; the errors of both."""
    store = request.parameters.get("store")
    parameters = {} if store in (None, [], {}) else {"store": store}
    image = mapping_at(request.document, "image_parameters")
    found = parse_config({"image_parameters": image, "parameters": parameters}).parameters.store
    return None if found is None else open_store(found.url)


def configured_datasets(request: Request) -> tuple[DatasetConfig, ...]:
    """Return the configured datasets; of one that is not filled in rightly yet, what its name and source are."""
    found = [_dataset(raw) for raw in objects_at(request.parameters, "datasets")]
    return tuple(dataset for dataset in found if dataset is not None)


def _dataset(raw: Mapping[str, Any]) -> DatasetConfig | None:
    for form in (raw, _bare(raw)):
        try:
            return parse_config({"parameters": {"datasets": [form]}}).parameters.datasets[0]
        except UserError:
            continue
    return None


def _bare(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the uuid and the source only: enough to know what a half-filled form is about."""
    sources = [table["source"] for table in objects_at(raw, "tables") if isinstance(table.get("source"), str)]
    return {"uuid": raw.get("uuid"), "tables": [{"source": source} for source in sources[:1]]}


def source_of(dataset: DatasetConfig | None, asked_for: Asked) -> TableConfig:
    """Return the input that an action is about: the one asked for, else the dataset's own."""
    if asked_for.table is not None:
        return TableConfig(source=asked_for.table)
    return TableConfig(source=asked_for.dataset or "") if dataset is None else dataset.table


def whole_config(request: Request) -> Config:
    """Return the whole configuration, checked as a run does; the action's own settings are not part of it."""
    parameters = {key: value for key, value in request.parameters.items() if key != KEY}
    return parse_config({**request.document, "parameters": parameters})
