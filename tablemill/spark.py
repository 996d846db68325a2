"""Tablemill and Spark: the data source `kartothek`, and a Spark of Tablemill's own (docs/spark.md).

    from tablemill.spark import register

    register(spark)
    spark.read.format("kartothek").load("file:///data/store/flights")

An `Engine` that runs can be handed to `tablemill.open` and `tablemill.create`. To import this loads pyspark.
"""

from component.spark.engine import Engine
from component.spark.java import find_java
from component.spark.source import register

__all__ = ["Engine", "find_java", "register"]
