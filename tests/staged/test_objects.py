"""Objects of a bucket over a way that goes wrong: what is repeated, what is raised, and what is asked for at all."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from component.config.parameters import LimitsConfig
from component.errors import CODES, Place, RetryError, UserError
from component.folder.layout import DataFolder
from component.folder.manifest_object import ManifestObject
from component.folder.staged import staged_section
from component.formats.csv.dialect import Dialect
from component.formats.csv.source import CsvSplit, open_split
from component.formats.csv.split import ByteRange
from component.naming import KIB, MIB
from component.plan.build import plan_limits
from component.plan.sources import find_sources
from component.plan.splits import splits_of
from component.staging import client, objects
from component.staging.buckets import AzureContainer, S3Bucket
from component.staging.faults import ServerAnswer, fault_of
from component.staging.sliced import find_parts
from tests.staged.faulty import Fault

DATA = b"0123456789" * 100_000


@pytest.fixture
def found(way, s3):
    """An object as it was planned with, over the way."""
    s3.put("data", DATA)
    staged = staged_section(ManifestObject(s3.section("data"), Path("m"), Place()))
    parts, _ = find_parts(staged, "t")
    way.asked.clear()
    return parts[0].object


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(client, "RETRIES", 2)
    monkeypatch.setattr(objects, "BODY_PAUSE", 0.01)


@pytest.mark.parametrize(("status", "code"), [(503, "SlowDown"), (500, "InternalError"), (429, "TooManyRequests")])
def test_a_busy_store_is_asked_again(found, way, impatient, status, code):
    way.faults.append(Fault("/data", times=2, status=status, code=code))
    assert found.read_at(5, 20) == DATA[5:25]
    assert len(way.asked) == 3


def test_a_store_that_stays_busy_is_told(found, way, impatient):
    way.faults.append(Fault("/data", times=99, status=503, code="SlowDown"))
    with pytest.raises(RetryError, match="cannot be read: the store answers 503 SlowDown") as caught:
        found.read_at(0, 10)
    assert (caught.value.code, caught.value.place) == ("staged.failed", Place(table="t", slice=None))
    assert "secret words" not in str(caught.value)


def test_a_body_that_breaks_off_is_asked_for_again(found, way, impatient):
    way.faults.append(Fault("/data", times=2, cut_at=7))
    assert found.read_at(0, 500_000) == DATA[:500_000]


def test_a_body_that_always_breaks_off_is_told(found, way, impatient):
    way.faults.append(Fault("/data", times=99, cut_at=7))
    with pytest.raises(RetryError) as caught:
        found.read_at(0, 500_000)
    assert caught.value.code == "staged.failed"


def test_a_fault_while_reading_ahead_reaches_the_reader(found, way, impatient, monkeypatch):
    monkeypatch.setattr(objects, "FIRST_PIECE", 100_000)
    split = CsvSplit("t", "s", found, False, ByteRange(0, len(DATA)))
    with open_split(split, Dialect()) as stream:
        assert stream.read(100_000) == DATA[:100_000]
        way.faults.append(Fault("/data", times=99, status=400, code="ExpiredToken"))
        with pytest.raises(UserError, match="have expired"):
            stream.read(len(DATA))


def test_all_ranges_are_of_the_version_that_was_planned_with(found, s3):
    assert found.read_at(0, 3) == b"012"
    s3.put("data", DATA[::-1])
    with pytest.raises(RetryError, match="has changed since the run was planned"):
        found.read_at(3, 3)


def test_an_object_that_became_shorter_is_told_also_without_a_tag(found, s3):
    untagged = objects.BucketObject(found.bucket, found.key, found.size, None, found.head, found.place)
    s3.put("data", DATA[:10])
    with pytest.raises(RetryError, match="gave 5 bytes from byte 5 on, and should have given 15"):
        untagged.read_at(5, 15)
    with pytest.raises(RetryError, match="gave 0 bytes from byte 100 on, and should have given 5"):
        untagged.read_at(100, 5)


def test_planning_reads_hardly_anything(way, s3, tmp_path):
    row = b"%08d," + b"x" * 90 + b"\n"
    s3.put("large", b"id,text\n" + b"".join(row % number for number in range(400_000)))
    folder = DataFolder(tmp_path)
    folder.in_tables.mkdir(parents=True)
    (folder.in_tables / "large.manifest").write_text(json.dumps({"id": "in.c-a.b", **s3.section("large")}))
    sources, _ = find_sources(folder)
    splits = splits_of(sources[0], plan_limits(LimitsConfig()), 2)
    assert len(splits) == 8
    assert sum(split.range.size for split in splits) == sources[0].size - len(b"id,text\n")
    assert way.bytes_asked() <= objects.HEAD_BYTES + 2 * objects.FIRST_PIECE + 1 * MIB
    assert sources[0].size > 30 * MIB


def test_a_split_asks_for_its_own_range_only(found, way, monkeypatch):
    monkeypatch.setattr(objects, "FIRST_PIECE", 64 * KIB)
    with open_split(CsvSplit("t", "s", found, False, ByteRange(1000, 301_000)), Dialect()) as stream:
        assert stream.read(10**6) == DATA[1000:301_000]
    assert way.bytes_asked() == 300_000


def test_credentials_are_in_no_text_and_travel_with_the_object(found, s3):
    texts = [repr(found), str(found), f"{found.bucket}", repr(CsvSplit("t", "s", found, False, ByteRange(0, 1)))]
    assert not [secret for secret in s3.credentials.values() for text in texts if secret in text]
    assert set(found.bucket.secrets) == set(s3.credentials.values())
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_signature_is_in_no_text():
    container = AzureContainer("c", "https://a.blob.core.windows.net", "sp=r&sig=SECRET%3D")
    assert "SECRET" not in repr(container)
    assert container.secrets == ("sp=r&sig=SECRET%3D", "SECRET=")


BUCKET = S3Bucket("b", "eu-central-1", "https://s3", "key", "secret", None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("status code: 404 Not Found: <Error><Code>NoSuchKey</Code></Error>", "staged.missing"),
        ("status code: 404 Not Found: <Error><Code>NoSuchBucket</Code></Error>", "staged.missing"),
        ("status code: 412 Precondition Failed", "staged.changed"),
        ("status code: 403 Forbidden: <Error><Code>AccessDenied</Code></Error>", "staged.credentials"),
        ("status code: 403 Forbidden: <Error><Code>RequestTimeTooSkewed</Code></Error>", "staged.credentials"),
        ("status code: 400 Bad Request: <Error><Code>ExpiredToken</Code></Error>", "staged.credentials"),
        ("status code: 400 Bad Request: <Error><Code>AuthorizationHeaderMalformed</Code></Error>", "staged.failed"),
        ("status code: 301 Moved: <Error><Code>PermanentRedirect</Code></Error>", "staged.failed"),
        ("status code: 400 Bad Request: <Error><Code>KeyTooLongError</Code></Error>", "staged.failed"),
        ("error sending request to https://host/?sig=SECRET", "staged.failed"),
    ],
)
def test_every_answer_of_a_store_has_its_error_and_is_not_quoted(text, code):
    error = fault_of(OSError(f"{text} https://host/x?sig=SECRET <Message>SECRET</Message>"), BUCKET, "k", Place("t"))
    assert (error.code, error.place) == (code, Place("t"))
    assert error.code in CODES
    assert "SECRET" not in str(error)
    assert error.remedy
    assert "s3://b/k" in str(error)


@pytest.mark.parametrize("key", ["a//b", "..", "a/../b", "nul\0", "line\nend"])
def test_a_key_that_is_none_is_refused(s3, key):
    staged = staged_section(ManifestObject(s3.section(key), Path("m"), Place()), {"AWS_ENDPOINT_URL": s3.endpoint})
    with pytest.raises(UserError, match="is no name of an object") as caught:
        find_parts(staged, "t")
    assert caught.value.code == "source.manifest"


def test_a_code_that_is_no_word_is_not_taken():
    assert ServerAnswer.of(OSError("status code: 400 x <Code>no word, but a text</Code>")) == ServerAnswer(400, None)
