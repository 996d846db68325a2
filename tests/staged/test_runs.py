"""Whole runs on data folders that hold only manifests: rows come from a bucket, and credentials go nowhere."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import random
from itertools import chain

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.plan import sources
from component.staging import client
from tests.staged.faulty import Fault

COLUMNS = ["id", "text", "amount"]
ID = "in.c-main.orders"


def rows_of(count: int, first: int = 0) -> list[tuple[str, str, str]]:
    chance = random.Random(first)
    words = ["plain", 'a "quoted" one', "two\nlines", "comma, here", "é"]
    return [(str(number), chance.choice(words), str(number * 3)) for number in range(first, first + count)]


def text_of(rows, header: bool) -> bytes:
    lines = [COLUMNS, *rows] if header else rows
    return "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in line) + "\n" for line in lines).encode()


@pytest.fixture(params=["s3", "azure"])
def server(request, monkeypatch):
    found = request.getfixturevalue(request.param)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", found.endpoint)
    return found


@pytest.fixture
def stage(folder, request):
    """Put a table into a bucket, in parts when there are several, and its manifest into the folder."""

    def put(server, name, *parts: bytes, entries=(), **section):
        key = f"{request.node.name.encode('ascii', 'replace').decode()}/{name}"
        if len(parts) == 1:
            server.put(key, parts[0])
        else:
            urls = [server.put(f"{key}_part{number}", part) for number, part in enumerate(parts)]
            listed = [*({"url": url, "mandatory": True} for url in urls), *entries]
            key += "manifest"
            server.put(key, json.dumps({"entries": listed}).encode())
            section["sliced"] = True
        manifest = {"id": ID, "name": "orders", "columns": COLUMNS, **server.section(key, **section)}
        (folder.root / "in" / "tables" / f"{name}.manifest").write_text(json.dumps(manifest))
        return key

    return put


def assert_nothing_told(server, folder, outcome) -> None:
    """Neither what a run says nor what it leaves holds any of the credentials."""
    secrets = list(getattr(server, "credentials", {}).values())
    for path in (folder.root / "in" / "tables").glob("*.manifest"):
        document = json.loads(path.read_text())
        for section in (document.get("s3"), document.get("abs")):
            secrets += [text for key, text in (section or {}).get("credentials", {}).items() if key != "expiration"]
    written = [path for path in (folder.root / "out").rglob("*") if path.is_file()]
    texts = [outcome.out.encode(), outcome.err.encode(), *(path.read_bytes() for path in written)]
    assert secrets
    assert not [secret for secret in secrets for text in texts if secret.encode() in text]


@pytest.mark.parametrize("packed", [True, False], ids=["gzip", "plain"])
def test_a_table_in_one_piece(run, folder, stage, server, packed):
    rows = rows_of(3000)
    text = text_of(rows, header=True)
    stage(server, "orders", gzip.compress(text, mtime=0) if packed else text)
    outcome = run()
    assert outcome.done, outcome
    assert sorted(folder.rows("orders.csv" if "orders.csv" in folder.out_tables else "orders")) == sorted(rows)
    assert_nothing_told(server, folder, outcome)


def test_a_sliced_table_has_no_header_and_mixed_parts(run, folder, stage, server):
    rows = [rows_of(500, first) for first in (0, 500, 1000)]
    texts = [text_of(part, header=False) for part in rows]
    stage(server, "orders", gzip.compress(texts[0], mtime=0), texts[1], gzip.compress(texts[2], mtime=0), b"")
    outcome = run()
    assert outcome.done, outcome
    assert sorted(folder.rows(folder.out_tables[0])) == sorted(chain(*rows))
    assert_nothing_told(server, folder, outcome)


def parquet_of(rows, **options) -> bytes:
    sink = io.BytesIO()
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table({**columns, "amount": pa.array(map(int, columns["amount"]))}), sink, **options)
    return sink.getvalue()


def test_parquet_is_read_from_a_bucket_with_its_types(run, folder, stage, server):
    rows = [rows_of(40_000), rows_of(10, 40_000)]
    stage(server, "orders", parquet_of(rows[0], row_group_size=5000), parquet_of(rows[1]))
    outcome = run({"KBC_DATA_TYPE_SUPPORT": "authoritative"})
    assert outcome.done, outcome
    assert sorted(folder.rows(folder.out_tables[0])) == sorted(chain(*rows))
    schema = folder.manifest(folder.out_tables[0])["schema"]
    assert [column["data_type"]["base"]["type"] for column in schema] == ["STRING", "STRING", "INTEGER"]
    assert_nothing_told(server, folder, outcome)


def test_a_staged_file_of_parquet_is_read(run, folder, s3):
    s3.put("some/parquet", parquet_of(rows_of(5)))
    manifest = {"id": 18, "name": "orders.parquet", "tags": [], **s3.section("some/parquet")}
    (folder.root / "in" / "files" / "18_orders.parquet.manifest").write_text(json.dumps(manifest))
    folder.configure(datasets=[{"uuid": "o", "tables": [{"source": "orders.parquet"}]}], outputs=[{"dataset": "o"}])
    outcome = run()
    assert outcome.done, outcome
    assert sorted(folder.rows(folder.out_tables[0])) == rows_of(5)


def test_an_object_that_has_lost_its_header_loses_no_row(run, folder, stage, s3):
    stage(s3, "orders", text_of(rows_of(20), header=False))
    outcome = run()
    assert outcome.code == 0, outcome
    assert "holds none of the columns that its manifest names: it is read as a row" in outcome.out + outcome.err
    assert sorted(folder.rows(folder.out_tables[0])) == sorted(rows_of(20))


def test_parts_that_begin_with_the_names_are_told_of(run, folder, stage, s3):
    stage(s3, "orders", *(text_of(rows_of(2, first), header=True) for first in (0, 2)))
    outcome = run()
    assert outcome.code == 0, outcome
    assert "repeats the names of its columns and is read as a row" in outcome.out + outcome.err
    assert folder.rows(folder.out_tables[0]).count(tuple(COLUMNS)) == 2


def test_a_sliced_table_without_parts_is_an_empty_table(run, folder, stage, server):
    stage(server, "orders", sliced=True)
    outcome = run()
    assert outcome.done, outcome
    assert folder.rows(folder.out_tables[0]) == []


def test_a_plain_object_is_read_by_several_tasks(run, folder, stage, server):
    rows = rows_of(300_000)
    stage(server, "orders", text_of(rows, header=True))
    folder.file_store(datasets=[{"uuid": "orders", "tables": [{"source": "orders"}]}], outputs=[{"dataset": "orders"}])
    outcome = run()
    assert outcome.done, outcome
    assert len(list(folder.store.glob("orders/table/*.parquet"))) > 1
    assert sorted(folder.rows(folder.out_tables[0])) == sorted(rows)


def test_a_bad_cell_in_a_later_split_is_placed_in_the_object(refused, folder, stage, way, s3):
    rows = rows_of(300_000)
    rows[250_000] = ("not a number", "x", "1")
    text = text_of(rows, header=True)
    stage(s3, "orders", text)
    table = {"source": "orders", "columns": {"id": "integer"}}
    folder.configure(datasets=[{"uuid": "orders", "tables": [table]}], outputs=[{"dataset": "orders"}])
    refused("cell.type", "table 'orders', row 250001, column 'id', value 'not a number'")
    assert way.bytes_asked() < 1.5 * len(text)


def test_types_are_found_out_from_a_bucket(run, folder, stage, server):
    stage(server, "orders", text_of(rows_of(100), header=True))
    table = {"source": "orders", "infer_types": True}
    folder.configure(datasets=[{"uuid": "orders", "tables": [table]}], outputs=[{"dataset": "orders"}])
    outcome = run({"KBC_DATA_TYPE_SUPPORT": "authoritative"})
    assert outcome.done, outcome
    schema = folder.manifest(folder.out_tables[0])["schema"]
    assert [column["data_type"]["base"]["type"] for column in schema] == ["INTEGER", "STRING", "INTEGER"]


def test_a_stray_enclosure_makes_the_object_one_split(run, folder, stage, server):
    rows = [(str(number), 'a 5" pipe' if number == 70_000 else "x" * 60, "1") for number in range(140_000)]
    text = ",".join(COLUMNS) + "\n" + "".join(",".join(row) + "\n" for row in rows)
    stage(server, "orders", text.encode())
    table = {"source": "orders", "quotes": "lenient"}
    folder.configure(datasets=[{"uuid": "orders", "tables": [table]}], outputs=[{"dataset": "orders"}])
    outcome = run()
    assert outcome.done, outcome
    assert sorted(folder.rows(folder.out_tables[0])) == sorted(rows)


def test_what_lies_in_the_folder_too_is_read_from_there(run, folder, s3):
    manifest = {"id": ID, "columns": COLUMNS, **s3.section("not/there", credentials={"session_token": "old"})}
    folder.table("orders", text_of(rows_of(3), header=True), manifest)
    outcome = run()
    assert outcome.code == 0, outcome
    assert "is read from the folder; its manifest also names s3://staging/not/there" in outcome.out + outcome.err
    assert sorted(folder.rows("orders")) == rows_of(3)


def test_a_staged_file_of_text_is_read(run, folder, s3):
    s3.put("some/file", gzip.compress(text_of(rows_of(5), header=True), mtime=0))
    manifest = {"id": 17, "name": "orders.csv.gz", "tags": [], **s3.section("some/file")}
    (folder.root / "in" / "files" / "17_orders.csv.gz.manifest").write_text(json.dumps(manifest))
    folder.configure(datasets=[{"uuid": "o", "tables": [{"source": "orders.csv.gz"}]}], outputs=[{"dataset": "o"}])
    outcome = run()
    assert outcome.done, outcome
    assert sorted(folder.rows(folder.out_tables[0])) == rows_of(5)


# --- what goes wrong ---


def test_a_part_that_is_not_there_is_named(refused, stage, s3):
    entries = [{"url": "s3://staging/gone/part7", "mandatory": True}]
    stage(s3, "orders", b"1,a,1\n", b"2,b,2\n", entries=entries)
    refused("staged.missing", "s3://staging/gone/part7 is not there (table 'orders', slice 'part7')")


def test_a_part_that_is_not_mandatory_is_left_out_with_a_warning(run, folder, stage, s3):
    entries = [{"url": "s3://staging/gone/part7", "mandatory": False}]
    stage(s3, "orders", b"1,a,1\n", b"2,b,2\n", entries=entries)
    outcome = run()
    assert outcome.code == 0, outcome
    assert (
        "s3://staging/gone/part7, a part of 'orders' that is not mandatory, is not there" in outcome.out + outcome.err
    )
    assert sorted(folder.rows(folder.out_tables[0])) == [("1", "a", "1"), ("2", "b", "2")]


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_part_of_another_size_than_announced_is_refused(refused, stage, s3, wrapped):
    url = s3.put("sized/part", b"3,c,3\n")
    size = {"content_length": 60}
    stage(s3, "orders", b"1,a,1\n", b"2,b,2\n", entries=[{"url": url, **({"meta": size} if wrapped else size)}])
    refused("staged.changed", "s3://staging/sized/part has 6 bytes, and should have 60")


@pytest.mark.parametrize(
    ("credentials", "answer"),
    [
        ({"session_token": "bad-token"}, "400 InvalidToken"),
        ({"session_token": None}, "403"),
        ({"secret_access_key": "bad-secret"}, "403 SignatureDoesNotMatch"),
        ({"access_key_id": "AKIABADBADBADBADBAD0", "session_token": ""}, "403 InvalidAccessKeyId"),
    ],
)
def test_wrong_credentials_are_refused_and_not_told(refused, folder, stage, s3, credentials, answer):
    stage(s3, "orders", b"id\n1\n", credentials=credentials)
    said = refused("staged.credentials", "The credentials for s3://staging/", answer, "Run the job again")
    told = [value for value in {**s3.credentials, **credentials}.values() if value and value in said]
    assert told == []


def test_expired_credentials_of_s3_are_told(refused, stage, way, s3):
    way.faults.append(Fault("/orders", times=9, status=400, code="ExpiredToken"))
    stage(s3, "orders", b"id\n1\n")
    refused("staged.credentials", "have expired", "every job gets new credentials")


def test_expired_credentials_of_azure_are_told_before_anything_is_asked(refused, stage, azure):
    stage(azure, "orders", b"id\n1\n", valid_for=-dt.timedelta(minutes=1))
    refused("staged.credentials", "have expired")


def test_wrong_credentials_of_azure_are_refused(refused, stage, azure):
    stage(azure, "orders", b"id\n1\n", key="d3Jvbmc=")
    refused("staged.credentials", "are refused: the store answers 403 AuthorizationFailure")


def test_a_bucket_that_is_not_there_is_named(refused, folder, s3, azure):
    manifest = folder.root / "in" / "tables" / "orders.manifest"
    manifest.write_text(json.dumps({"id": ID, "columns": COLUMNS, **s3.section("key", bucket="nowhere")}))
    refused("staged.missing", "The bucket of s3://nowhere/key does not exist")
    manifest.write_text(json.dumps({"id": ID, "columns": COLUMNS, **azure.section("key", container="nowhere")}))
    refused("staged.missing", f"The bucket of {azure.endpoint}/nowhere/key does not exist")


def test_a_list_of_parts_that_is_none_is_refused(refused, folder, s3):
    s3.put("no/list", b"1,2,3\n")
    manifest = folder.root / "in" / "tables" / "orders.manifest"
    manifest.write_text(json.dumps({"id": ID, "columns": COLUMNS, **s3.section("no/list", sliced=True)}))
    refused("source.manifest", "s3://staging/no/list, which should list the parts of the table, is not JSON")


def test_a_sliced_table_without_columns_is_refused(refused, folder, s3):
    s3.put("empty/list", b'{"entries": []}')
    manifest = folder.root / "in" / "tables" / "orders.manifest"
    manifest.write_text(json.dumps({"id": ID, **s3.section("empty/list", sliced=True)}))
    refused("source.manifest", 'Add "columns" to orders.manifest')


def test_an_object_that_changes_during_the_run_is_refused(refused, monkeypatch, stage, s3):
    key = stage(s3, "orders", text_of(rows_of(10), header=True))
    size_of_parts = sources.find_parts

    def changing(*arguments):
        found = size_of_parts(*arguments)
        s3.put(key, text_of(rows_of(10, 5), header=True))
        return found

    monkeypatch.setattr(sources, "find_parts", changing)
    refused("staged.changed", "has changed since the run was planned", "Run the job again.")


def test_a_store_that_does_not_answer_is_told(refused, monkeypatch, stage, s3):
    monkeypatch.setattr(client, "RETRIES", 1)
    stage(s3, "orders", b"id\n1\n")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    refused("staged.failed", "the store does not answer", "Run the job again")


def test_a_damaged_parquet_object_is_refused(refused, stage, s3):
    stage(s3, "orders", b"PAR1" + b"." * 100)
    refused("source.format", "The Parquet file is truncated", "table 'orders'")


def test_a_parquet_object_that_changes_during_the_run_is_refused(refused, monkeypatch, stage, s3):
    key = stage(s3, "orders", parquet_of(rows_of(10)))
    find_parts = sources.find_parts

    def changing(*arguments):
        found = find_parts(*arguments)
        s3.put(key, parquet_of(rows_of(10, 5)))
        return found

    monkeypatch.setattr(sources, "find_parts", changing)
    refused("staged.changed", "has changed since the run was planned")


def test_a_list_of_parts_that_is_taken_for_the_table_is_refused(refused, stage, s3):
    listed = {"entries": [{"url": "s3://staging/a", "mandatory": True}, {"url": "s3://staging/b", "mandatory": True}]}
    stage(s3, "ordersmanifest", json.dumps(listed).encode())
    refused("source.manifest", "The first row has 4 cells", "table 'ordersmanifest'")


def test_a_truncated_gzip_object_is_refused(refused, stage, s3):
    stage(s3, "orders", gzip.compress(text_of(rows_of(1000), header=True), mtime=0)[:-100])
    refused("gzip.truncated", "table 'orders'")
