"""The schemas of input manifests take what the platform writes, of every era, and what they take is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from component.folder.manifest import FileManifest, TableManifest
from tests.schemas.documents import validator
from tests.strategies.manifests import manifests

TABLE = validator("input-table-manifest")
FILE = validator("input-file-manifest")
SAMPLE = Path(__file__).parents[2] / "data-sample" / "in"
METADATA = [
    {"id": "1", "key": "KBC.description", "value": "x", "provider": "user", "timestamp": "2024-01-01T00:00:00+0100"}
]
MODERN = {
    "id": "in.c-docker-demo.data",
    "uri": "https://connection.keboola.com/v2/storage/tables/in.c-docker-demo.data",
    "name": "data",
    "primary_key": ["id"],
    "distribution_key": [],
    "columns": ["id", "name"],
    "created": "2015-01-25T01:35:14+0100",
    "last_change_date": "2015-01-25T01:35:14+0100",
    "last_import_date": None,
    "metadata": METADATA,
    "column_metadata": {"id": METADATA},
    "schema": [
        {"name": "id", "data_type": {"base": {"type": "NUMERIC"}, "snowflake": {"type": "NUMBER", "length": "38,0"}}},
        {"name": "name", "nullable": True},
    ],
}
OLD = {
    "id": "in.c-docker-demo.data",
    "indexed_columns": ["id"],
    "columns": ["id"],
    "rows_count": 3,
    "data_size_bytes": 100,
    "is_alias": False,
    "attributes": [],
    "metadata": [],
    "column_metadata": [],
}
S3 = {
    "id": "in.c-x.t",
    "s3": {
        "isSliced": True,
        "region": "us-east-1",
        "bucket": "kbc",
        "key": "exp-2/t.csv.gzmanifest",
        "credentials": {"access_key_id": "A", "secret_access_key": "B", "session_token": "C"},
    },
}
ABS = {
    "id": "in.c-x.t",
    "abs": {
        "is_sliced": False,
        "region": "eu",
        "container": "c",
        "name": "t.csv.gz",
        "credentials": {"sas_connection_string": "BlobEndpoint=…", "expiration": "2024-01-01T00:00:00+0100"},
    },
}


@pytest.mark.parametrize("sample", [MODERN, OLD, S3, ABS], ids=["modern", "2017", "s3", "abs"])
def test_a_manifest_of_any_era_fits(sample):
    TABLE.validate(sample)


@pytest.mark.parametrize("path", sorted(SAMPLE.glob("tables/*.manifest")), ids=lambda path: path.name)
def test_the_manifests_of_the_sample_fit(path):
    TABLE.validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", sorted(SAMPLE.glob("files/*.manifest")), ids=lambda path: path.name)
def test_the_file_manifests_of_the_sample_fit(path):
    FILE.validate(json.loads(path.read_text(encoding="utf-8")))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(found=manifests())
def test_what_is_read_right_fits(tmp_path, found):
    manifest, columns = found
    TABLE.validate(manifest)
    path = tmp_path / "t.manifest"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    assert TableManifest.read(path).columns == tuple(column.name for column in columns)


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"id": None},
        {"id": "t", "columns": "a"},
        {"id": "t", "primary_key": {"a": "b"}},
        {"id": "t", "schema": [{"nullable": True}]},
        {"id": "t", "column_metadata": {"a": "x"}},
        {"id": "t", "s3": {"isSliced": True}},
        {"id": "t", "abs": {"container": "c", "name": "n"}},
    ],
)
def test_what_is_no_manifest_of_the_platform_does_not_fit(bad):
    assert not TABLE.is_valid(bad)


def test_a_file_manifest_fits_and_is_read(tmp_path):
    sample = {
        "id": 75807657,
        "name": "fooBar.jpg",
        "created": "2015-01-14T00:47:00+0100",
        "is_public": False,
        "is_sliced": False,
        "is_encrypted": True,
        "tags": ["a"],
        "max_age_days": None,
        "size_bytes": 563416,
    }
    FILE.validate(sample)
    (tmp_path / "f.manifest").write_text(json.dumps(sample))
    assert FileManifest.read(tmp_path / "f.manifest").id == sample["id"]


@pytest.mark.parametrize("bad", [{}, {"id": "a"}, {"id": 1, "tags": "a"}, {"id": 1, "size_bytes": "x"}])
def test_bad_file_manifests_do_not_fit(bad):
    assert not FILE.is_valid(bad)
