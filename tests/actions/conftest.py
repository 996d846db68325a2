from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from component.actions.dispatch import answer, quiet_log
from component.actions.request import read_request
from component.config.environment import Environment
from component.store.local import LocalStore
from tests.dataset.making import write_dataset
from tests.runner.data_folder import DataFolder

VARIABLES = {"KBC_COMPONENTID": "acme.tablemill", "KBC_CONFIGID": "123"}
SALES = pa.table(
    {
        "shop": ["north", "north", "south", "south"],
        "item": ["a|b", "c", None, "d"],
        "price": pa.array([1.5, 2.5, 3.5, 4.5]),
        "paid": [True, False, True, None],
    }
)


@pytest.fixture
def folder(tmp_path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def store(folder) -> LocalStore:
    """A store with one dataset, partitioned by shop, with an index of item."""
    made = LocalStore(folder.store)
    write_dataset(made, SALES, ["shop"], ["item"])
    return made


@pytest.fixture
def ask(folder) -> Callable[..., Any]:
    """Ask an action as the platform does, and return what is on stdout, decoded."""

    def asked(action: str, parameters: Any = None, **document: Any) -> Any:
        folder.config({"action": action, "parameters": parameters or {}, **document})
        request = read_request(Environment.from_variables({**VARIABLES, "KBC_DATADIR": str(folder.root)}))
        assert request is not None
        text = answer(request, quiet_log())
        assert "\n" not in text
        return json.loads(text)

    return asked


@pytest.fixture
def stored(folder, store) -> dict[str, Any]:
    """The part of a configuration that names the store."""
    return {"store": {"url": folder.store.as_uri()}}


def values(elements: Any) -> list[str]:
    return [element["value"] for element in elements]


def objects(root: Path) -> list[str]:
    """What a client of the store would see."""
    return [stat.key for stat in LocalStore(root).list("")]
