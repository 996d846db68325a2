"""DuckDB over the Parquet files that Tablemill wrote; the partition key comes from the path."""

import duckdb
from step import run


def _ask(folder, what, where):
    files = folder / "mill" / "shape" / "table" / "**" / "*.parquet"
    sql = f"SELECT {what} FROM read_parquet('{files}', hive_partitioning = true) {where}"
    return lambda: duckdb.sql(sql).fetch_arrow_table()


def read(folder):
    ask = _ask(folder, "*", "")
    return lambda: ask().num_rows


def lookup(folder):
    ask = _ask(folder, "*", "WHERE id = 777")

    def act():
        return ask()["id"].to_pylist()

    return act


def range_lookup(folder):
    ask = _ask(folder, "*", "WHERE cust = 777 AND day > DATE '2021-01-01'")
    return lambda: ask().num_rows


run({step.__name__: step for step in (read, lookup, range_lookup)})
