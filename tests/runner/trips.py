"""A data folder with the two tables of one dataset: flights, and the seats of flights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.runner.data_folder import DataFolder, csv_text

FLIGHTS = (["flight", "day", "origin"], [[1, "mon", "BRU"], [2, "mon", "LIS"], [3, "tue", "BRU"]])
SEATS = (["seat", "flight", "day"], [["1A", 1, "mon"], ["2B", 3, "tue"], ["3C", 4, "wed"]])
TYPES = {"flight": "integer"}


def tables() -> list[dict[str, Any]]:
    return [
        {"name": "flights", "source": "flights.csv", "columns": TYPES, "primary_key": ["flight"]},
        {"name": "seats", "source": "seats.csv", "columns": TYPES, "primary_key": ["seat"]},
    ]


def configure(folder: DataFolder, outputs: Sequence[Any] = (), *, store: bool = True, **facts: Any) -> None:
    dataset = {"uuid": "trips", "tables": tables(), "partition_on": ["day"], "secondary_indices": ["flight", "seat"]}
    configured = folder.file_store if store else folder.configure
    configured(datasets=[{**dataset, **facts}], outputs=list(outputs))


def with_trips(folder: DataFolder) -> DataFolder:
    folder.table("flights.csv", csv_text(*FLIGHTS))
    folder.table("seats.csv", csv_text(*SEATS))
    return folder
