"""Datasets as a data source of Spark: `spark.read.format("kartothek")`, `df.write.format("kartothek")`, SQL.

Spark's Python API has no column pruning: a read loads all columns, or those of the option `columns`. What it has of
filters is not safe for a DataFrame that is used twice (`datasource.options.SHARED_FILTERS`), so they are taken on
demand; the option `predicates` prunes always.
"""

from __future__ import annotations

import os
import sys

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter
from pyspark.sql.types import StructType

from component.spark.datasource.options import parse_options
from component.spark.datasource.reader import FilteringReader, KartothekReader, read_schema
from component.spark.datasource.writer import KartothekWriter

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
"""Spark's switch for filters to Python data sources; it refuses those that take filters while it is off."""


class KartothekSource(DataSource):
    """The data source `kartothek`; options are those of `SourceOptions`."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "kartothek"

    def schema(self) -> StructType:
        """Return the columns of a read, as the dataset is now; errors as `read_schema`."""
        return read_schema(parse_options(self.options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of the dataset as it is now; errors as `KartothekReader`."""
        options = parse_options(self.options)
        return FilteringReader(options, schema) if options.pushdown else KartothekReader(options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Return a writer onto the dataset as it is now; errors as `KartothekWriter`."""
        return KartothekWriter(parse_options(self.options), schema, overwrite=overwrite)


def register(spark: SparkSession) -> None:
    """Make the format `kartothek` known to a session, classic or Connect, and let readers take filters at all.

    Tablemill must be installed where the workers run: in the Python that `PYSPARK_PYTHON` or `spark.pyspark.python`
    names. Where neither does and all runs on this machine, that is the Python that calls this.
    """
    if isinstance(spark, SparkSession):  # a session of Connect is another class, and its workers are the server's
        _choose_python(spark.sparkContext)
    spark.conf.set(PUSHDOWN, "true")
    spark.dataSource.register(KartothekSource)


def _choose_python(context: SparkContext) -> None:
    """Let local workers run this Python: Spark takes the `python3` of the path, which may lack Tablemill."""
    is_said = os.environ.get("PYSPARK_PYTHON") or context.getConf().contains("spark.pyspark.python")
    if not is_said and str(context.master).startswith("local"):
        context.pythonExec = sys.executable
