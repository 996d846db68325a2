"""What a user's own program does with the data source, run as one: `source_job.py MASTER ADDRESS`."""

from __future__ import annotations

import json
import os
import signal
import sys

from pyspark import TaskContext
from pyspark.sql import SparkSession

from component.dataset.format.address import open_address
from component.dataset.format.header import read_header
from component.spark.datasource.options import parse_options
from component.spark.datasource.writer import KartothekWriter
from component.spark.source import KartothekSource, register


class StumblingWriter(KartothekWriter):
    """The first attempts of two tasks fail when their files are written: one is killed, one raises."""

    def write(self, iterator):
        done = super().write(iterator)
        context = TaskContext.get()
        if context.attemptNumber() == 0 and context.partitionId() == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if context.attemptNumber() == 0 and context.partitionId() == 1:
            raise RuntimeError("stumbled")
        return done


class StumblingSource(KartothekSource):
    @classmethod
    def name(cls):
        return "stumbling"

    def writer(self, schema, overwrite):
        return StumblingWriter(parse_options(self.options), schema, overwrite=overwrite)


def main(master: str, address: str) -> None:
    spark = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .config("spark.executor.memory", "512m")
        .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    register(spark)
    spark.dataSource.register(StumblingSource)
    frame = spark.range(0, 1000, 1, 4).selectExpr("id", "concat('p', id % 3) as p", "id / 2 as x")
    given = {"partition_on": "p", "secondary_indices": "id"}
    frame.write.format("kartothek").mode("append").options(**given).save(address)
    frame.write.format("stumbling").mode("append").save(address)
    source = spark.read.format("kartothek")
    read = source.load(address)
    found = source.option("pushdown", "true").load(address).where("id = 7 and p = 'p1'")
    said = {
        "by partition": read.groupBy("p").count().orderBy("p").collect(),
        "sum": read.selectExpr("sum(id)").first()[0],
        "found": found.collect(),
        "files": data_files(address),
        "pandas": "pandas" in sys.modules,
    }
    spark.stop()
    sys.stdout.write(json.dumps(said))


def data_files(address: str) -> list[int]:
    """How many data files the dataset names, and how many there are."""
    at = open_address(address)
    named = {key for files in read_header(at.store, at.uuid).header.partitions.values() for key in files.values()}
    there = {stat.key for stat in at.store.list(f"{at.uuid}/table/") if stat.key.endswith(".parquet")}
    return [len(named), len(there)]


if __name__ == "__main__":
    main(*sys.argv[1:])
