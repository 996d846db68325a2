"""The process that Spark forks Python workers from: what every worker imports is loaded once, before the fork."""

from __future__ import annotations

import pyspark.daemon

import component.spark.jobs.shuffle  # noqa: F401 - loaded for the workers

if __name__ == "__main__":
    pyspark.daemon.manager()
