"""Spark's own CSV reader and partitioned writer."""

import sys

from pyspark.sql import SparkSession

DDL = (
    "l_orderkey long, l_partkey long, l_suppkey long, l_linenumber long, l_quantity decimal(15,2), "
    "l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2), l_returnflag string, "
    "l_linestatus string, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct string, "
    "l_shipmode string, l_comment string"
)
source, target = sys.argv[1:3]
spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.read.csv(source, schema=DDL, header=True, multiLine=True, escape='"', mode="FAILFAST")
rows.write.partitionBy("l_shipmode").parquet(target)
spark.stop()
