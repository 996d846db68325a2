"""DuckDB: COPY … PARTITION_BY."""

import sys

import duckdb

TYPES = {
    **dict.fromkeys(["l_orderkey", "l_partkey", "l_suppkey", "l_linenumber"], "BIGINT"),
    **dict.fromkeys(["l_quantity", "l_extendedprice", "l_discount", "l_tax"], "DECIMAL(15,2)"),
    **dict.fromkeys(["l_returnflag", "l_linestatus"], "VARCHAR"),
    **dict.fromkeys(["l_shipdate", "l_commitdate", "l_receiptdate"], "DATE"),
    **dict.fromkeys(["l_shipinstruct", "l_shipmode", "l_comment"], "VARCHAR"),
}
source, target = sys.argv[1:3]
columns = ", ".join(f"'{name}': '{type_name}'" for name, type_name in TYPES.items())
duckdb.sql(
    f"COPY (SELECT * FROM read_csv('{source}', header=true, quote='\"', escape='\"', columns={{{columns}}})) "
    f"TO '{target}' (FORMAT parquet, PARTITION_BY (l_shipmode))"
)
