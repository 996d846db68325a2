"""plateau's own shape of data: 2 million rows in 50 groups, an id that is unique, and columns of the usual types."""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

GROUPS = 50
CUSTOMERS = 10_000
APPENDED = 1_000


def make_rows(count: int, *, first: int = 0, seed: int = 1) -> pa.Table:
    """Return rows with ids from `first` on, in no order; the same for the same arguments."""
    random = np.random.default_rng(seed)
    ids = random.permutation(np.arange(first, first + count))
    days = pa.array(random.integers(18_000, 19_000, count), pa.int32()).cast(pa.date32())
    names = pc.binary_join_element_wise("name ", pc.cast(pa.array(random.integers(0, 500_000, count)), pa.string()), "")
    return pa.table(
        {
            "grp": pa.array(random.integers(0, GROUPS, count)),
            "id": pa.array(ids),
            "cust": pa.array(random.integers(0, CUSTOMERS, count)),
            "name": names,
            "amount": pa.array(np.round(random.random(count) * 1000, 2)),
            "day": days,
            "cat": pc.take(pa.array(["red", "green", "blue", "black"]), pa.array(random.integers(0, 4, count))),
        }
    )


def write_inputs(folder: Path, count: int) -> None:
    """Write what every contender starts from: all rows, those to append, and those to upsert (half of them there)."""
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(make_rows(count), folder / "rows.parquet")
    pq.write_table(make_rows(APPENDED, first=count, seed=2), folder / "appended.parquet")
    half = APPENDED // 2
    changed = make_rows(APPENDED, first=count + APPENDED - half, seed=3)
    changed = changed.set_column(
        1, "id", pc.if_else(pc.less(changed["id"], count + APPENDED), pc.subtract(changed["id"], count), changed["id"])
    )
    pq.write_table(changed, folder / "changed.parquet")


if __name__ == "__main__":
    write_inputs(Path(sys.argv[1]), int(sys.argv[2]))
