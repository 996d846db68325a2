from __future__ import annotations

import gzip
import shutil
from typing import NamedTuple

import pytest

from component.check import space
from tests.check.making import TABLE, check, found, lay_out, only


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def free(monkeypatch):
    """Say how many bytes are free everywhere."""

    def set_up(count):
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**12, 10**12 - count, count))

    return set_up


def big(tmp_path, **parameters):
    config = {"parameters": {"datasets": [{"uuid": "t"}], "outputs": [{"dataset": "t"}], **parameters}}
    return lay_out(tmp_path, {"in/tables/t.csv": "id,name\n" + "1,a\n" * 1000}, config=config)


@pytest.mark.parametrize(("count", "level"), [(10_000, None), (3_000, "warning"), (500, "error")])
def test_too_little_space_is_told(tmp_path, free, count, level):
    free(count)
    report = check(big(tmp_path))
    code = {"warning": "space.short", "error": "space.none"}
    assert [(one.level.value, one.code) for one in report.findings] == ([(level, code[level])] if level else [])


def test_places_on_one_disk_share_what_is_free(tmp_path, free):
    """Scratch and out/ need about 1.3 kB and 2.7 kB of 3 kB."""
    free(3_000)
    finding = only(check(big(tmp_path)), "space.short")
    assert "About 4.0 kB will be written to scratch, out, and 3.0 kB are free there" in finding.text


def test_a_store_on_disk_is_a_place_of_its_own(tmp_path):
    report = check(big(tmp_path / "data", store={"url": (tmp_path / "store" / "deep").as_uri()}))
    assert [(one.name, one.needed) for one in report.space] == [("store", 1336), ("out", 1336)]
    assert not (tmp_path / "store").exists()
    assert found(report) == []


def test_gzip_counts_for_what_is_in_it(tmp_path):
    data = gzip.compress(TABLE.encode(), mtime=0)
    report = check(lay_out(tmp_path, {"in/tables/t.csv": data}))
    scratch = next(one for one in report.space if one.name == "scratch")
    assert scratch.needed == round(len(data) * space.GZIP_FACTOR * space.PARQUET_FACTOR)
