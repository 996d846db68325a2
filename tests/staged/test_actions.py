"""Actions on a data folder whose inputs lie in a bucket."""

from __future__ import annotations

import gzip
import json

import pytest

from component.actions import sampling
from component.actions.dispatch import answer, quiet_log
from component.actions.request import Request
from component.config.environment import Environment

TEXT = b"".join(b"%d,%d\n" % (number, number % 3) for number in range(30_000))


@pytest.fixture
def ask(folder):
    def asked(action):
        document = {"action": action, "parameters": {"action": {"table": "orders"}}}
        text = answer(Request(action, document, Environment.from_variables({}, folder.root)), quiet_log())
        return json.loads(text), text

    return asked


@pytest.fixture
def staged(folder, s3):
    """A table in two gzip parts, beside one that nobody may read."""
    entries = [{"url": s3.put(f"asked/{part}", gzip.compress(TEXT, mtime=0))} for part in "ab"]
    s3.put("asked/list", json.dumps({"entries": entries}).encode())
    for name, section in (
        ("orders", s3.section("asked/list", sliced=True)),
        ("other", s3.section("asked/nowhere", credentials={"session_token": "old"})),
    ):
        manifest = {"id": f"in.c-main.{name}", "columns": ["id", "shop"], **section}
        (folder.root / "in" / "tables" / f"{name}.manifest").write_text(json.dumps(manifest))


def test_a_staged_table_is_previewed_and_its_credentials_are_not_told(staged, ask, s3):
    shown, text = ask("previewTable")
    assert shown["rows"][:2] == [["0", "0"], ["1", "1"]]
    assert [secret for secret in s3.credentials.values() if secret in text] == []


def test_the_columns_of_a_staged_table_are_listed(staged, ask):
    assert [one["value"] for one in ask("listColumns")[0]] == ["id", "shop"]


def test_a_staged_table_in_gzip_parts_is_sampled(staged, ask, monkeypatch):
    monkeypatch.setattr(sampling, "BLOCK_BYTES", 10_000)
    monkeypatch.setattr(sampling.sample_source, "__kwdefaults__", {"most_bytes": 100_000, "places": 2})
    found, _ = ask("suggestPartitioning")
    assert not found["exact"]
    assert 30_000 < found["rows"] < 120_000, "there are 60,000"
