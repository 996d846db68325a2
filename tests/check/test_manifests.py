from __future__ import annotations

import datetime as dt
import os

import pytest

from component import clock
from tests.check.making import MANIFEST, TABLE, check, found, lay_out, only

S3 = {
    "isSliced": False,
    "region": "eu-central-1",
    "bucket": "b",
    "key": "k",
    "credentials": {"access_key_id": "AKIA0000", "secret_access_key": "verysecret", "session_token": "sessiontoken"},
}
NOW = dt.datetime(2026, 8, 1, tzinfo=dt.UTC)


def azure(expiration):
    connection = "BlobEndpoint=https://a.blob.core.windows.net;SharedAccessSignature=sv=1&sig=verysecret"
    credentials = {"sas_connection_string": connection, "expiration": expiration}
    return {"is_sliced": False, "region": "r", "container": "c", "name": "n", "credentials": credentials}


def test_inputs_without_manifest_are_told_once(tmp_path):
    files = {"in/tables/plain.csv": TABLE, "in/files/1_x.csv": TABLE}
    assert found(check(lay_out(tmp_path, files))) == [
        ("warning", "manifest.missing", "in/tables/plain.csv"),
        ("warning", "manifest.missing", "in/files/1_x.csv"),
    ]


def test_manifests_without_input_are_told(tmp_path):
    files = {"in/tables/gone.csv.manifest": MANIFEST, "in/files/2_y.manifest": {"id": 2}}
    assert found(check(lay_out(tmp_path, files))) == [
        ("warning", "manifest.orphan", "in/tables/gone.csv.manifest"),
        ("warning", "manifest.orphan", "in/files/2_y.manifest"),
    ]


@pytest.mark.parametrize("text", ["", "{", "5", '{"columns": 1}', '{"columns": ["a", "a"]}', '{"delimiter": "ab"}'])
def test_a_manifest_that_cannot_be_read_is_one_error(tmp_path, text):
    report = check(lay_out(tmp_path, {"in/tables/x.csv": TABLE, "in/tables/x.csv.manifest": text}))
    assert [(level, place) for level, _, place in found(report)] == [("error", "in/tables/x.csv.manifest")]
    assert [source.name for source in report.sources] == ["t.csv"]


def test_a_file_manifest_that_cannot_be_read_is_an_error(tmp_path):
    report = check(lay_out(tmp_path, {"in/files/1_x.csv": TABLE, "in/files/1_x.csv.manifest": '{"id": "x"}'}))
    assert found(report) == [("error", "source.manifest", "in/files/1_x.csv.manifest")]


def test_a_manifest_of_a_dataset_that_needs_it_is_told_once(tmp_path):
    files = {"in/tables/x.csv": TABLE, "in/tables/x.csv.manifest": "{"}
    config = {"parameters": {"datasets": [{"uuid": "x"}]}}
    assert found(check(lay_out(tmp_path, files, config=config))) == [
        ("error", "source.manifest", "in/tables/x.csv.manifest")
    ]


def test_keys_of_every_era_are_known(tmp_path):
    old = {"rows_count": 2, "data_size_bytes": 10, "is_alias": False, "indexed_columns": [], "attributes": []}
    output = {"incremental": True, "has_header": True, "write_always": False, "delete_where": [], "tags": []}
    new = {"uri": "x", "distribution_key": [], "description": "d", "metadata": [], "column_metadata": []}
    files = {"in/tables/t.csv.manifest": {**MANIFEST, **old, **output, **new}}
    assert found(check(lay_out(tmp_path, files))) == []


def test_other_keys_are_noted(tmp_path):
    finding = only(
        check(lay_out(tmp_path, {"in/tables/t.csv.manifest": {**MANIFEST, "colour": 1, "shape": 2}})),
        "manifest.unknown_key",
    )
    assert (finding.level.value, finding.place) == ("note", "in/tables/t.csv.manifest")
    assert "'colour', 'shape'" in finding.text


@pytest.mark.parametrize(
    ("facts", "unknown"),
    [
        ({"schema": [{"name": "id", "data_type": {"base": {"type": "INTEGER"}}}, {"name": "name"}]}, None),
        ({"schema": [{"name": "id", "data_type": {"base": {"type": "GEOMETRY"}}}, {"name": "name"}]}, "GEOMETRY"),
        ({"schema": [{"name": "id", "data_type": {"snowflake": {"type": "VARIANT"}}}, {"name": "name"}]}, None),
        ({"schema": [{"name": "id", "data_type": {"snowflake": {"type": "HYPER"}}}, {"name": "name"}]}, "HYPER"),
        ({"column_metadata": {"id": [{"key": "KBC.datatype.basetype", "value": "WHAT"}]}}, "WHAT"),
        ({"column_metadata": {"id": [{"key": "KBC.datatype.type", "value": "VARCHAR(10)"}]}}, None),
        ({"column_metadata": {"id": [{"key": "KBC.datatype.type", "value": "NUMBER(10,2)"}]}}, None),
        ({"column_metadata": {"id": [{"key": "KBC.datatype.type", "value": "ODD(1)"}]}}, "ODD(1)"),
    ],
)
def test_types_without_a_meaning_are_told(tmp_path, facts, unknown):
    columns = {} if "schema" in facts else {"columns": ["id", "name"]}
    report = check(lay_out(tmp_path, {"in/tables/t.csv.manifest": {"id": "in.c-main.t", **columns, **facts}}))
    assert [code for _, code, _ in found(report)] == (["manifest.unknown_type"] if unknown else [])
    if unknown:
        assert f"'id' has the type {unknown!r}" in only(report, "manifest.unknown_type").text


@pytest.mark.parametrize("expiration", ["2026-07-31T23:59:59Z", "2026-07-31T23:59:59", "2026-08-01T00:30:00+01:00"])
def test_expired_credentials_are_an_error_and_nobody_asks_the_bucket(tmp_path, monkeypatch, expiration):
    monkeypatch.setattr(clock, "utc_now", lambda: NOW)
    files = {"in/tables/s.csv.manifest": {"id": "in.c-a.s", "columns": ["a"], "abs": azure(expiration)}}
    report = check(lay_out(tmp_path, files))
    assert found(report) == [("error", "staging.expired", "in/tables/s.csv.manifest")]
    assert "verysecret" not in str(report)


def test_session_credentials_that_must_be_too_old_are_told(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")  # nobody answers there
    files = {"in/tables/s.csv.manifest": {"id": "in.c-a.s", "columns": ["a"], "s3": S3}}
    lay_out(tmp_path, files)
    old = (dt.datetime.now(dt.UTC) - dt.timedelta(hours=37)).timestamp()
    os.utime(tmp_path / "in/tables/s.csv.manifest", (old, old))
    report = check(tmp_path)
    assert ("warning", "staging.old", "in/tables/s.csv.manifest") in found(report)
    assert "verysecret" not in str(report)
