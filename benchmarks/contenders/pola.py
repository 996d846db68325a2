"""Polars: scan_csv to a partitioned sink_parquet, streaming."""

import sys

import polars as pl

source, target = sys.argv[1:3]
decimal = pl.Decimal(15, 2)
schema = {
    **dict.fromkeys(["l_orderkey", "l_partkey", "l_suppkey", "l_linenumber"], pl.Int64),
    **dict.fromkeys(["l_quantity", "l_extendedprice", "l_discount", "l_tax"], decimal),
    **dict.fromkeys(["l_returnflag", "l_linestatus"], pl.String),
    **dict.fromkeys(["l_shipdate", "l_commitdate", "l_receiptdate"], pl.Date),
    **dict.fromkeys(["l_shipinstruct", "l_shipmode", "l_comment"], pl.String),
}
partitioned = pl.PartitionBy(target, key=["l_shipmode"], include_key=False)
pl.scan_csv(source, schema=schema).sink_parquet(partitioned, compression="snappy", mkdir=True)
