"""The container as a platform runs it (reference keboola 1.5, 1.8, 10.2)."""

from __future__ import annotations

import json
import re

import pytest

pytestmark = [pytest.mark.engine, pytest.mark.timeout(1200)]

TABLES = {"delayed_flights", "weather", "airlines", "planes", "airports"}
DATASETS = {"flights", "weather", "airports", "planes", "airlines", "holidays"}


def assert_all_there(folder):
    tables = {path.name.removesuffix(".manifest") for path in (folder / "out/tables").glob("*.manifest")}
    assert {name.removesuffix(".csv") for name in tables} == TABLES
    assert all((folder / "out/tables" / name).exists() for name in tables)
    archives = {path.name.removesuffix(".dataset.zip") for path in (folder / "out/files").glob("*.dataset.zip")}
    assert archives == DATASETS
    assert (folder / "out/files/holidays.parquet").stat().st_size > 0
    assert isinstance(json.loads((folder / "out/state.json").read_text(encoding="utf-8")), dict)


def test_the_main_job_runs_as_an_unknown_user_read_only_without_home_and_network(locked_down, sample):
    ended = locked_down(sample, ["tablemill", "run"])
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert "336,776 rows" in ended.stdout
    assert_all_there(sample)
    assert ended.changed == []


def test_a_bad_configuration_ends_with_one_sentence_and_code_1(locked_down, bad_folder):
    ended = locked_down(bad_folder, ["tablemill", "run"])
    assert ended.exit_code == 1
    assert len(ended.stderr.strip().splitlines()) == 1
    assert "datasetz" in ended.stderr
    assert "datasets" in ended.stderr, "the nearest right key is named"
    assert not re.search(r"Traceback|Exception|\.py\b|\.java\b", ended.stderr)
    assert [path for path in (bad_folder / "out").rglob("*") if path.is_file()] == []


def test_the_image_has_the_archive_of_its_java_and_its_spark(locked_down, sample):
    program = """
from component.spark.java import find_java
from component.spark.jvm import class_archive_path
print(class_archive_path(find_java()).is_file())
"""
    ended = locked_down(sample, ["python", "-c", program])
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, "True\n", "")


def test_hadoop_knows_the_unknown_user_so_that_spark_may_use_its_file_systems(locked_down, sample):
    program = """
from component.spark.engine import Engine
with Engine("local[1]", {}) as engine:
    print(engine.context.textFile("file:///data/config.json").count() > 0)
"""
    ended = locked_down(sample, ["python", "-c", program])
    assert (ended.exit_code, ended.stdout) == (0, "True\n"), ended.stderr


def limited(end_of, sample, limit):
    return end_of(sample, [], mem_limit=limit, memswap_limit=limit, cpu_period=100_000, cpu_quota=200_000)


def test_plain_docker_run_is_the_same_main_job_and_ends_well_within_512_mb(end_of, sample):
    ended = limited(end_of, sample, "512m")
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert_all_there(sample)
    assert ended.changed == [], "the run left something in the container"


def test_with_the_platforms_default_of_256_mb_one_sentence_asks_for_more(end_of, sample):
    ended = limited(end_of, sample, "256m")
    assert ended.exit_code == 1
    assert len(ended.stderr.strip().splitlines()) == 1
    assert "want of memory. Give more memory" in ended.stderr
