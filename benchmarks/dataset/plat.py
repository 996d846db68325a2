"""plateau, in its own environment: the same rows as a frame of pandas."""

from functools import partial

import pandas as pd
from minimalkv import get_store_from_url
from plateau.io.eager import read_table, store_dataframes_as_dataset, update_dataset_from_dataframes
from step import run

UUID = "shape"


def _store(folder):
    (folder / "plateau").mkdir(exist_ok=True)
    return partial(get_store_from_url, f"hfs://{folder / 'plateau'}")


def _frame(path):
    frame = pd.read_parquet(path)
    frame["cat"] = frame["cat"].astype("category")
    return frame


def write(folder):
    frame, store = _frame(folder / "rows.parquet"), _store(folder)

    def act():
        store_dataframes_as_dataset(
            store=store, dataset_uuid=UUID, dfs=[frame], partition_on=["grp"], secondary_indices=["id"], overwrite=True
        )
        return len(frame)

    return act


def append(folder):
    frame, store = _frame(folder / "appended.parquet"), _store(folder)

    def act():
        update_dataset_from_dataframes(
            [frame], store=store, dataset_uuid=UUID, partition_on=["grp"], secondary_indices=["id"]
        )
        return len(frame)

    return act


def _ask(folder, predicates):
    store = _store(folder)
    return lambda: read_table(UUID, store=store, predicates=predicates)


def read(folder):
    ask = _ask(folder, None)
    return lambda: len(ask())


def lookup(folder):
    ask = _ask(folder, [[("id", "==", 777)]])

    def act():
        return ask()["id"].tolist()

    return act


def range_lookup(folder):
    from datetime import date

    ask = _ask(folder, [[("cust", "==", 777), ("day", ">", date(2021, 1, 1))]])
    return lambda: len(ask())


run({step.__name__: step for step in (write, append, read, lookup, range_lookup)} | {"read_pandas": read})
