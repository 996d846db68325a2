"""Records directories in a bucket, in whole runs: read from it, written to it, and nothing half-written left there."""

from __future__ import annotations

import contextlib
import json
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from component import clock
from component.convert.configuration import Options
from component.convert.convert import convert
from component.convert.places import source_of, target_of
from component.report.messages.lines import KeepingHandler
from component.report.messages.log import Log
from component.report.messages.progress import SilentProgress

CASES = Path(__file__).parents[1] / "data/records/cases"
DATA_KEYS = {"_format_delimited", "_schema", "_schema.json", "_manifest", "data001.csv.gz", "data002.csv.gz"}


@pytest.fixture
def bucket(s3, monkeypatch, request):
    """A folder of a bucket that the environment has the keys to."""
    owner = s3.owner._request_signer._credentials
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", owner.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", owner.secret_key)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    return Bucket(s3, request.node.name.replace("[", "-").replace("]", ""))


class Bucket:
    def __init__(self, server, prefix: str) -> None:
        self.server, self.prefix = server, prefix

    def url(self, name: str) -> str:
        return f"s3://staging/{self.prefix}/{name}/"

    def put(self, name: str, case: str, *, but: tuple[str, ...] = ()) -> None:
        for path in sorted((CASES / case).iterdir()):
            if path.name not in but:
                data = path.read_bytes()
                if path.name == "_manifest":
                    data = self._moved(name, json.loads(data))
                self.server.put(f"{self.prefix}/{name}/{path.name}", data)

    def _moved(self, name: str, manifest: dict) -> bytes:
        for entry in manifest["entries"]:
            entry["url"] = self.url(name) + entry["url"].rpartition("/")[2]
        return json.dumps(manifest).encode()

    def files(self, name: str) -> dict[str, bytes]:
        prefix = f"{self.prefix}/{name}/"
        found = self.server.owner.list_objects_v2(Bucket="staging", Prefix=prefix).get("Contents", [])
        read = self.server.owner.get_object
        return {one["Key"].removeprefix(prefix): read(Bucket="staging", Key=one["Key"])["Body"].read() for one in found}


def dataset(uuid: str, source: str, **reading) -> dict:
    return {"uuid": uuid, "tables": [{"source": source, **({"records": reading} if reading else {})}]}


def test_a_directory_in_a_bucket_is_read_and_written_again(run, folder, bucket):
    bucket.put("in", "csv-two-files")
    writing = {"url": bucket.url("out"), "variant": "bluelabs", "files": 2}
    outputs = [{"dataset": "t"}, {"dataset": "t", "as": "file", "format": "records", "records": writing}]
    folder.configure(datasets=[dataset("t", bucket.url("in"))], outputs=outputs)
    outcome = run()
    assert outcome.done, outcome.err
    assert "moved" not in outcome.out
    first = folder.rows("t")
    assert len(first) == 35
    files = bucket.files("out")
    assert set(files) == DATA_KEYS
    entries = json.loads(files["_manifest"])["entries"]
    assert [entry["url"] for entry in entries] == [bucket.url("out") + f"data00{number}.csv.gz" for number in (1, 2)]
    assert [entry["meta"]["content_length"] for entry in entries] == [
        len(files[f"data00{number}.csv.gz"]) for number in (1, 2)
    ]
    folder.configure(datasets=[dataset("u", bucket.url("out"))], outputs=[{"dataset": "u"}])
    assert run().done
    assert folder.rows("u") == first


def test_several_directories_and_names_of_hadoop(run, folder, bucket):
    bucket.put("one", "bluelabs-plain")
    bucket.put("two", "vertica-header-on")
    second = bucket.url("two").replace("s3://", "s3a://")
    folder.configure(
        datasets=[dataset("one", bucket.url("one")), dataset("two", second)],
        outputs=[{"dataset": "one"}, {"dataset": "two"}],
    )
    outcome = run()
    assert outcome.done, outcome.err
    assert len(folder.rows("one")) == len(folder.rows("two")) == 35


def test_a_manifest_that_comes_late_is_waited_for(run, folder, bucket):
    bucket.put("in", "bluelabs-plain", but=("_manifest",))
    folder.configure(datasets=[dataset("t", bucket.url("in"), wait_seconds=30)], outputs=[{"dataset": "t"}])
    late = threading.Timer(0.5, bucket.put, ("in", "bluelabs-plain"))
    late.start()
    outcome = run()
    late.join()
    assert outcome.done, outcome.err
    assert len(folder.rows("t")) == 35


def test_a_manifest_that_does_not_come_is_an_error_that_says_how_long_it_was_waited_for(folder, refused, bucket):
    bucket.put("in", "bluelabs-plain", but=("_manifest",))
    folder.configure(datasets=[dataset("t", bucket.url("in"), wait_seconds=1)], outputs=[{"dataset": "t"}])
    refused("records.incomplete", f"no _manifest in {bucket.url('in')} after 1 seconds")


def test_a_file_that_is_missing_or_has_another_length(folder, refused, bucket):
    bucket.put("in", "bluelabs-plain", but=("data001.csv",))
    folder.configure(datasets=[dataset("t", bucket.url("in"), wait_seconds=0)], outputs=[{"dataset": "t"}])
    refused("records.file", "data001.csv of the manifest is missing")
    bucket.server.put(f"{bucket.prefix}/in/data001.csv", b"cut")
    refused("records.file", "has 3 bytes")


def test_a_target_that_is_not_empty_is_refused_before_anything(folder, refused, bucket):
    bucket.put("in", "bluelabs-plain")
    bucket.server.put(f"{bucket.prefix}/out/.hidden", b"")
    output = {"dataset": "t", "as": "file", "format": "records", "records": {"url": bucket.url("out")}}
    folder.configure(datasets=[dataset("t", bucket.url("in"))], outputs=[output])
    refused("records.target", "it has .hidden")
    assert set(bucket.files("out")) == {".hidden"}


def test_a_run_that_fails_leaves_nothing_in_the_bucket(folder, refused, bucket):
    bucket.put("in", "bluelabs-plain")
    outputs = [
        {"dataset": "t", "as": "file", "format": "records", "records": {"url": bucket.url("out")}},
        {"dataset": "t", "as": "file", "format": "records", "name": "x.zip", "records": {"variant": "dumb"}},
    ]
    folder.configure(datasets=[dataset("t", bucket.url("in"))], outputs=outputs)
    refused("cell.unwritable", "column")
    assert bucket.files("out") == {}


def test_without_credentials_the_error_says_which_variables(folder, refused, bucket, monkeypatch):
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    folder.configure(datasets=[dataset("t", bucket.url("in"))], outputs=[{"dataset": "t"}])
    refused("staged.credentials", "AWS_ACCESS_KEY_ID")


def test_a_url_is_converted_from_and_to(engine, bucket, tmp_path):
    def carry_out(source, target):
        log, progress = Log(KeepingHandler()), SilentProgress(clock.monotonic)
        start = lambda *_: contextlib.nullcontext(engine)  # noqa: E731
        convert(source_of(source), target_of(target), Options(), log, progress, overwrite=False, start=start)

    bucket.put("in", "bluelabs-plain")
    carry_out(bucket.url("in"), str(tmp_path / "one.parquet"))
    carry_out(str(tmp_path / "one.parquet"), bucket.url("out"))
    carry_out(bucket.url("out"), str(tmp_path / "two.parquet"))
    first, second = (pq.read_table(tmp_path / name) for name in ("one.parquet", "two.parquet"))
    assert first.num_rows == 35
    assert second.equals(first)
