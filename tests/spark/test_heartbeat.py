"""What tasks say while they run: nothing before its time, nothing twice, nothing where nobody listens."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from component import clock, naming
from component.formats.csv.dialect import Dialect
from component.formats.csv.read import CsvReader
from component.formats.csv.source import ByteRange, CsvSplit
from component.spark.heartbeat import SECONDS, Heart, Heartbeats
from component.spark.jobs.job import mill
from tests.spark.inline_engine import InlineEngine
from tests.spark.jobs.test_job import make_job, text_schema


@pytest.fixture
def now(monkeypatch):
    moments = [100.0]
    monkeypatch.setattr(clock, "monotonic", lambda: moments[0])
    return moments


@pytest.fixture
def told() -> list[tuple[int, int]]:
    return []


@pytest.fixture
def beats(tmp_path, told):
    with Heartbeats(tmp_path, lambda rows, size: told.append((rows, size))) as beats:
        yield beats


def test_a_task_says_what_it_read_when_it_is_time(beats, told, now):
    heart = Heart(beats.path, 3)
    heart.add(10, 1000)
    beats.tell()
    assert told == []
    now[0] += SECONDS
    heart.add(5, 500)
    heart.add(1, 100)
    beats.tell()
    assert told == [(15, 1500)]
    now[0] += SECONDS
    heart.add(1, 100)
    beats.tell()
    assert told == [(15, 1500), (2, 200)]
    assert beats.end(3) == (17, 1700)


def test_a_task_that_has_ended_is_no_longer_listened_to(beats, told, now):
    heart = Heart(beats.path, 0)
    heart.add(1, 10)
    now[0] += SECONDS
    heart.add(1, 10)
    assert beats.end(0) == (0, 0)
    beats.tell()
    assert told == []


def test_without_a_file_nothing_is_said_and_none_is_made(tmp_path, now):
    heart = Heart(tmp_path / "of another machine", 0)
    for _ in range(3):
        heart.add(1, 10)
        now[0] += SECONDS
    assert heart.path is None
    assert list(tmp_path.iterdir()) == []


def test_a_beat_that_is_half_written_waits_for_its_rest(beats, told, now):
    heart = Heart(beats.path, 0)
    heart.add(1, 10)
    now[0] += SECONDS
    heart.add(1, 10)
    data = beats.path.read_bytes()
    beats.path.write_bytes(data[:5])
    beats.tell()
    assert told == []
    with beats.path.open("ab") as file:
        file.write(data[5:])
    beats.tell()
    assert told == [(2, 20)]


@pytest.mark.parametrize("packed", [False, True])
def test_batches_of_a_split_say_all_its_bytes(tmp_path, packed):
    text = b"".join(b"%d,%d\n" % (number, number * 7919 % 1009) for number in range(60_000))
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(text) if packed else text)
    size = path.stat().st_size
    split = CsvSplit("t", "t.csv", path, gzip=packed, range=ByteRange(0, size), block_bytes=64 * naming.KIB)
    read = [parsed.bytes for parsed in CsvReader(text_schema(2), Dialect()).read(split)]
    assert len(read) > 5
    assert sum(read) == size
    assert packed or all(read)  # what is packed is read ahead


@pytest.mark.parametrize("partition_on", [(), ("c0",)], ids=["direct", "shuffled"])
def test_a_split_is_counted_while_it_is_read_and_once_in_all(tmp_path, monkeypatch, partition_on):
    moments = iter(range(10**6))
    monkeypatch.setattr(clock, "monotonic", lambda: next(moments))
    text = b"".join(b"%d,x\n" % (number % 5) for number in range(20_000))
    job = make_job(tmp_path, text, text_schema(2), 10**6, partition_on=partition_on, direct_files=1)
    job = replace(job, splits=tuple(replace(one, block_bytes=8192) for one in job.splits), direct_partitions=1)
    calls: list[tuple[int, int, int]] = []
    (result,) = mill(InlineEngine(), [job], lambda *done: calls.append(done))
    assert calls[0][0] == 0
    assert calls[0][1] > 0
    assert [sum(column) for column in zip(*calls, strict=True)] == [
        len(job.splits),
        result.records,
        sum(split.size for split in job.splits),
    ]
    assert list(Path(tmp_path).glob("heartbeats-*")) == []
