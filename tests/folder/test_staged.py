from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.folder.manifest import FileManifest, TableManifest
from component.folder.manifest_object import ManifestObject
from component.folder.staged import staged_section, without_credentials
from component.staging.buckets import AzureContainer, S3Bucket, Staged
from tests.strategies.json_values import values as json_values

S3 = {
    "isSliced": False,
    "region": "eu-central-1",
    "bucket": "b",
    "key": "k",
    "credentials": {"access_key_id": "ID", "secret_access_key": "SECRET", "session_token": "TOKEN"},
}
SIGNED = "sv=2022-11-02&sp=r&sig=a%2Fb%3D"
AZURE = {
    "is_sliced": True,
    "region": "westeurope",
    "container": "c",
    "name": "nmanifest",
    "credentials": {
        "sas_connection_string": f"BlobEndpoint=https://acc.blob.core.windows.net;SharedAccessSignature={SIGNED}",
        "expiration": "2030-01-01T00:00:00+0100",
    },
}


def section(values, variables=None):
    return staged_section(ManifestObject(values, Path("in/tables/t.manifest"), Place(table="t")), variables or {})


def test_the_section_of_s3_is_read():
    bucket = S3Bucket("b", "eu-central-1", "https://s3.eu-central-1.amazonaws.com", "ID", "SECRET", "TOKEN")
    assert section({"s3": S3}) == Staged(bucket, "k", sliced=False)
    assert section({"s3": {**S3, "isSliced": True}, "abs": []}) == Staged(bucket, "k", sliced=True)


def test_the_section_of_azure_is_read():
    found = section({"abs": AZURE, "s3": []})
    expires = dt.datetime(2029, 12, 31, 23, tzinfo=dt.UTC)
    container = AzureContainer("c", "https://acc.blob.core.windows.net", SIGNED, expires)
    assert found == Staged(container, "nmanifest", sliced=True)
    assert (container.account, container.expired()) == ("acc", False)


@pytest.mark.parametrize("nothing", [{}, {"region": None}, {"region": ""}])
def test_without_a_region_the_bucket_is_looked_for_where_s3_itself_does(nothing):
    bare = {key: S3[key] for key in S3 if key != "region"}
    assert section({"s3": {**bare, **nothing}}).bucket.endpoint == "https://s3.us-east-1.amazonaws.com"


def test_an_object_is_in_one_piece_unless_it_is_said_to_be_a_list():
    without = {key: S3[key] for key in S3 if key != "isSliced"}
    assert not section({"s3": without}).sliced
    assert not section({"s3": {**S3, "isSliced": None}}).sliced


@pytest.mark.parametrize("empty", [{}, {"s3": []}, {"s3": {}, "abs": None}, {"abs": []}])
def test_an_empty_section_is_none(empty):
    assert section(empty) is None


@pytest.mark.parametrize(
    ("variables", "endpoint"),
    [
        ({"AWS_ENDPOINT_URL": "http://all/"}, "http://all"),
        ({"AWS_ENDPOINT_URL": "http://all", "AWS_ENDPOINT_URL_S3": "http://s3"}, "http://s3"),
        ({"AWS_ENDPOINT_URL_S3": ""}, "https://s3.eu-central-1.amazonaws.com"),
    ],
)
def test_the_environment_names_another_s3(variables, endpoint):
    assert section({"s3": S3}, variables).bucket.endpoint == endpoint


@pytest.mark.parametrize(
    "address", ["http://", "http://[", "no url", "https://a b", "http://a:99999", "ftp://x", "http://a?b"]
)
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(UserError, match="AWS_ENDPOINT_URL_S3 is no address") as caught:
        section({"s3": S3}, {"AWS_ENDPOINT_URL_S3": address})
    assert caught.value.code == "config.value"


@pytest.mark.parametrize("address", ["http://localhost:9000", "https://[::1]:9000", "https://minio.example/s3"])
def test_addresses_come_in_several_forms(address):
    assert section({"s3": S3}, {"AWS_ENDPOINT_URL_S3": address}).bucket.endpoint == address


def kind_of_answer(values):
    """What reading a section comes to; anything else than an answer or a clear error fails the test."""
    try:
        return type(section(values))
    except UserError as error:
        return error.code


@given(json_values, st.sampled_from(["s3", "abs"]))
def test_any_section_is_read_or_refused(value, name):
    assert kind_of_answer({name: value}) in {type(None), Staged, "source.manifest"}


@given(st.data())
def test_any_mutation_of_a_section_is_read_or_refused(data):
    name, whole = data.draw(st.sampled_from([("s3", S3), ("abs", AZURE)]))
    mutated = {**whole, "credentials": dict(whole["credentials"])}
    target = data.draw(st.sampled_from([mutated, mutated["credentials"]]))
    target[data.draw(st.sampled_from(sorted(target)))] = data.draw(json_values)
    assert kind_of_answer({name: mutated}) in {Staged, "source.manifest"}


def test_china_has_a_domain_of_its_own():
    found = section({"s3": {**S3, "region": "cn-north-1"}})
    assert found.bucket.endpoint == "https://s3.cn-north-1.amazonaws.com.cn"


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        (f"SharedAccessSignature=?{SIGNED};BlobEndpoint=http://10.0.0.1:10000/acc/", "http://10.0.0.1:10000/acc"),
        (f"AccountName=acc;SharedAccessSignature={SIGNED}", "https://acc.blob.core.windows.net"),
        (
            f"AccountName=acc;EndpointSuffix=core.chinacloudapi.cn;SharedAccessSignature={SIGNED};",
            "https://acc.blob.core.chinacloudapi.cn",
        ),
    ],
)
def test_connection_strings_come_in_several_forms(text, endpoint):
    found = section({"abs": {**AZURE, "credentials": {"sas_connection_string": text}}}).bucket
    assert (found.endpoint, found.sas, found.account, found.expires) == (endpoint, SIGNED, "acc", None)


@pytest.mark.parametrize("expiration", ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00", "2030-01-01"])
def test_an_expiration_without_a_zone_is_in_utc(expiration):
    credentials = {**AZURE["credentials"], "expiration": expiration}
    assert section({"abs": {**AZURE, "credentials": credentials}}).bucket.expires == dt.datetime(
        2030, 1, 1, tzinfo=dt.UTC
    )


def test_an_expiration_that_is_no_time_says_nothing():
    found = section({"abs": {**AZURE, "credentials": {**AZURE["credentials"], "expiration": "soon"}}}).bucket
    assert (found.expires, found.expired()) == (None, False)


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"s3": {**S3, "bucket": ""}}, "s3.bucket"),
        ({"s3": {**S3, "key": None}}, "s3.key"),
        ({"s3": {**S3, "isSliced": "yes"}}, "s3.isSliced"),
        ({"s3": {**S3, "bucket": "a b"}}, "s3.bucket"),
        ({"s3": {**S3, "region": "é"}}, "s3.region"),
        ({"s3": {**S3, "credentials": {"access_key_id": "SECRET\n", "secret_access_key": "x"}}}, "access_key_id"),
        ({"abs": {**AZURE, "container": "a/b"}}, "abs.container"),
        ({"abs": {**AZURE, "credentials": {"sas_connection_string": "BlobEndpoint=http://[;Sha=x"}}}, "sas_conn"),
        ({"s3": {**S3, "credentials": []}}, "s3.credentials.access_key_id"),
        ({"s3": {**S3, "credentials": {"access_key_id": "ID", "secret_access_key": ["SECRET"]}}}, "secret_access_key"),
        ({"s3": ["x"]}, "s3.bucket"),
        ({"s3": {key: S3[key] for key in S3 if key != "credentials"}}, "s3.credentials.access_key_id"),
        ({"s3": {**S3, "credentials": None}}, "s3.credentials.access_key_id"),
        ({"s3": {**S3, "isSliced": "true"}}, "s3.isSliced"),
        ({"s3": "SECRET-like"}, "s3 must be an object"),
        ({"abs": {**AZURE, "name": {}}}, "abs.name"),
        ({"abs": {**AZURE, "credentials": {"sas_connection_string": "SECRET"}}}, "sas_connection_string"),
        ({"abs": {**AZURE, "credentials": {"sas_connection_string": "AccountKey=SECRET;AccountName=a"}}}, "Shared"),
    ],
)
def test_what_is_wrong_in_a_section_is_named_and_secrets_are_not(values, path):
    with pytest.raises(UserError) as caught:
        section(values)
    assert (caught.value.code, caught.value.place.table) == ("source.manifest", "t")
    assert path in str(caught.value)
    assert "SECRET;" not in str(caught.value)
    assert "'SECRET'" not in str(caught.value)


def test_credentials_are_left_out_of_what_is_kept():
    kept = without_credentials({"id": "x", "s3": S3, "abs": "no object"})
    assert kept == {"id": "x", "s3": {key: S3[key] for key in S3 if key != "credentials"}, "abs": None}


@pytest.mark.parametrize("kind", [TableManifest, FileManifest])
def test_a_manifest_knows_where_its_data_are_and_keeps_no_credentials(tmp_path, kind):
    path = tmp_path / "data" / "in" / "tables" / "t.manifest"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"id": 1, "s3": S3}))
    found = kind.read(path)
    assert found.staged.key == "k"
    assert not [secret for secret in ("SECRET", "TOKEN") if secret in f"{found} {found.raw}"]


@pytest.mark.parametrize(
    ("bucket", "url", "expected"),
    [
        ("s3", "s3://other/a/b%20c d", ("other", "a/b%20c d")),
        ("s3", "s3://other/", None),
        ("s3", "s3://an other/x", None),
        ("s3", "s3://other", None),
        ("s3", "azure://acc.blob.core.windows.net/c/x", None),
        ("azure", "azure://acc.blob.core.windows.net/other/x/y", ("other", "x/y")),
        ("azure", "azure://acc.blob.core.windows.net/other", None),
        ("azure", "azure://ACC.blob.core.windows.net/c/x", ("c", "x")),
        ("azure", "azure://other.blob.core.windows.net/c/x", None),
        ("azure", "s3://b/k", None),
        ("private", "azure://10.0.0.1:10000/acc/other/x", ("other", "x")),
        ("private", "azure://10.0.0.1:10000/other/x", ("other", "x")),
    ],
)
def test_urls_of_parts_name_bucket_and_key(bucket, url, expected):
    buckets = {
        "s3": S3Bucket("b", "r", "https://s3", "i", "s", None),
        "azure": AzureContainer("c", "https://acc.blob.core.windows.net", SIGNED),
        "private": AzureContainer("c", "http://10.0.0.1:10000/acc", SIGNED),
    }
    found = buckets[bucket].of_url(url)
    assert (found and (found[0].name, found[1])) == expected
    assert found is None or found[0].secrets == buckets[bucket].secrets


def test_a_manifest_of_a_folder_in_yaml_is_yaml(tmp_path):
    path = tmp_path / "in" / "tables" / "t.manifest"
    path.parent.mkdir(parents=True)
    (tmp_path / "config.yml").write_text("parameters: {  }\n")
    path.write_text("id: in.c-x.t\ncolumns:\n    - a\n    - b\nmetadata: {  }\n")
    assert TableManifest.read(path) == TableManifest(id="in.c-x.t", columns=("a", "b"))
    path.write_text('{"id": "in.c-x.u"}')
    assert TableManifest.read(path).id == "in.c-x.u"
