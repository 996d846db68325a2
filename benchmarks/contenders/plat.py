"""plateau with pandas: CSV in chunks, one partition set per chunk, with the same secondary index.

Dates are dates. Decimals are floats, in its favour: plateau takes a decimal's precision from the data, which differs
between chunks, and then refuses the next one.
"""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pandas as pd
from minimalkv import get_store_from_url
from plateau.io.iter import store_dataframes_as_dataset__iter

DATES = ["l_shipdate", "l_commitdate", "l_receiptdate"]
source, target = sys.argv[1:3]
Path(target).mkdir(parents=True)


def chunks() -> Iterator[pd.DataFrame]:
    for chunk in pd.read_csv(source, chunksize=500_000, parse_dates=DATES):
        for name in DATES:
            chunk[name] = chunk[name].dt.date
        yield chunk


store_dataframes_as_dataset__iter(
    chunks(),
    store=partial(get_store_from_url, f"hfs://{target}"),
    dataset_uuid="lineitem",
    partition_on=["l_shipmode"],
    secondary_indices=["l_shipdate"],
)
