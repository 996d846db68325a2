from __future__ import annotations

import datetime as dt
import json
import os

import pytest

from component.replay.gaps import document_gaps, staging_gaps

NOW = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


def gaps(value, name="config.json"):
    return {gap.place: gap.text for gap in document_gaps(name, b"", value)}


def test_what_the_platform_took_out_is_found_with_its_path():
    value = {
        "parameters": {
            "#password": "[hidden]",
            "url": "https://[hidden]@host",
            "rows": [{"two words": "KBC::ProjectSecure::abc"}, "KBC::Encrypted==abc=="],
            "long": "abc [trimmed]",
            "fine": ["KBC", "hidden", 1, None],
        },
        "authorization": {"oauth_api": {"credentials": {"#data": "KBC::ComponentSecureKV::abc"}}},
        "x[hidden]y": 1,
    }
    assert gaps(value) == {
        "parameters.#password": "it was replaced by [hidden]",
        "parameters.url": "it was replaced by [hidden]",
        'parameters.rows[0]["two words"]': "it is still encrypted",
        "parameters.rows[1]": "it is still encrypted",
        "parameters.long": "its text was cut off",
        "authorization.oauth_api.credentials.#data": "it is still encrypted",
        '["x[hidden]y"]': "its key holds [hidden]",
    }
    assert gaps({"token": "[hidden]"}, "in/state.json") == {"in/state.json: token": "it was replaced by [hidden]"}


def test_a_text_that_was_cut_is_one_gap():
    (gap,) = document_gaps("config.json", b'{"a": "b [trimmed]', None)
    assert (gap.place, gap.text) == ("config.json", "its text was cut off, so it cannot be read")
    assert document_gaps("config.json", b'{"a": ', None) == []


@pytest.fixture
def staged(tmp_path):
    """Return a function that writes a manifest and gives the gaps at a time."""

    def find(section, age=dt.timedelta(0), now=NOW):
        path = tmp_path / "t.csv.manifest"
        path.write_text(json.dumps(section) if not isinstance(section, str) else section)
        written = (NOW - age).timestamp()
        os.utime(path, (written, written))
        return [gap.text for gap in staging_gaps(tmp_path, now)]

    return find


def s3(**credentials):
    return {"id": "in.c-a.t", "s3": {"bucket": "b", "credentials": credentials}}


def test_session_credentials_expire_with_the_age_of_the_manifest(staged, tmp_path):
    session = s3(access_key_id="a", secret_access_key="b", session_token="c")
    assert staged(session, dt.timedelta(hours=35)) == []
    (text,) = staged(session, dt.timedelta(hours=37))
    assert text.startswith("they are of a session, and the manifest is from 2026-11-19T23:00+00:00; ")
    assert text.endswith("put the file in/tables/t.csv there instead")
    (tmp_path / "t.csv").touch()
    assert staged(session, dt.timedelta(hours=37)) == []


def test_credentials_that_last_do_not_expire(staged):
    assert staged(s3(access_key_id="a", secret_access_key="b"), dt.timedelta(days=400)) == []


def test_hidden_credentials_are_a_gap(staged):
    assert staged(s3(secret_access_key="[hidden]"))[0].startswith("it was replaced by [hidden]")


@pytest.mark.parametrize(
    ("credentials", "expired"),
    [
        ({"expiration": "2026-11-21T11:59:00Z"}, True),
        ({"expiration": "2026-11-21T12:01:00+0000"}, False),
        ({"expiration": "2026-11-21 11:00:00"}, True),
        ({"expiration": "soon"}, False),
        (
            {
                "sas_connection_string": "BlobEndpoint=https://x;SharedAccessSignature=sv=1&se=2026-11-21T11%3A00%3A00Z&sig=a"
            },
            True,
        ),
        ({"sas_connection_string": "SharedAccessSignature=sv=1&se=2026-11-22T11%3A00%3A00Z"}, False),
        ({"sas_connection_string": 7}, False),
    ],
)
def test_signatures_say_when_they_expire(staged, credentials, expired):
    assert bool(staged({"abs": {"container": "c", "credentials": credentials}})) is expired


@pytest.mark.parametrize("text", ["", "[]", "{", '{"s3": 1}', '{"s3": {"credentials": []}}'])
def test_a_manifest_that_says_nothing_of_a_bucket_has_no_gap(staged, text):
    assert staged(text) == []
