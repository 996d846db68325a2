"""Issue 5, point 10: what is wrong with a records directory is one clear sentence, and nothing of it is written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from component.errors import RetryError
from component.plan.model import OutputPlan, RecordsPlan
from component.records.places import LocalListing
from component.runner.records_outputs import RecordsOutput
from tests.records.making import entry_of, make_directory

TYPES = {"id": "integer", "s": "string", "d": "date"}
SCHEMA = {
    "schema": "bltypes/v1",
    "fields": {name: {"type": kind, "index": index} for index, (name, kind) in enumerate(TYPES.items(), 1)},
    "known_representations": {},
}
GOOD = b"1,a,2001-02-03\n2,b,\n"


def made(data: bytes = GOOD, *, variant="bluelabs", **hints):
    """A way to make a directory of one file that is wrong in one thing."""
    return lambda root: make_directory(root, {"data001.csv": data}, schema=SCHEMA, variant=variant, hints=hints)


def spoilt(break_it, **options):
    """A way to make a directory that is right, and then to break it."""

    def make(root):
        made(**options)(root)
        break_it(root)

    return make


def without_variant(root):
    path = root / "_format_delimited"
    document = json.loads(path.read_text())
    del document["variant"]
    path.write_text(json.dumps(document))


def manifest_of(root, **changes):
    (root / "_manifest").write_text(json.dumps({"entries": [entry_of(root / "data001.csv", **changes)]}))


CASES = {
    "no manifest": (spoilt(lambda root: (root / "_manifest").unlink()), "records.incomplete", "There is no _manifest"),
    "an unfinished manifest": (
        spoilt(lambda root: (root / "_manifest").rename(root / "manifest")),
        "records.incomplete",
        "There is a file manifest",
    ),
    "two formats": (
        spoilt(lambda root: (root / "_format_avro").touch()),
        "records.format",
        "_format_avro",
        "_format_delimited",
    ),
    "no format": (
        spoilt(lambda root: (root / "_format_delimited").rename(root / "_format_nothing")),
        "records.format",
        "_format_nothing",
    ),
    "a broken manifest": (
        spoilt(lambda root: (root / "_manifest").write_text("{")),
        "records.manifest",
        "_manifest",
    ),
    "a broken schema": (spoilt(lambda root: (root / "_schema.json").write_text("{")), "records.schema", "_schema.json"),
    "a broken format": (
        spoilt(lambda root: (root / "_format_delimited").write_text("[1")),
        "records.format",
        "_format_delimited",
    ),
    "a missing file": (
        spoilt(lambda root: (root / "data001.csv").unlink()),
        "records.file",
        "data001.csv of the manifest is missing",
    ),
    "a wrong length": (
        spoilt(lambda root: manifest_of(root, meta={"content_length": 7})),
        "records.file",
        "has 20 bytes, and its manifest says 7",
    ),
    "a relative URL": (spoilt(lambda root: manifest_of(root, url="data001.csv")), "records.manifest", "data001.csv"),
    "gzip under null": (made(gzip.compress(GOOD, mtime=0)), "source.format", "data001.csv", "compression"),
    "plain under GZIP": (made(compression="GZIP"), "source.format", "data001.csv", "compression"),
    "plain under BZIP": (made(compression="BZIP"), "source.format", "data001.csv", "compression"),
    "an unknown variant": (made(variant="excel"), "records.hint", '"excel"', "dumb, csv, bluelabs, vertica, bigquery"),
    "no variant": (spoilt(without_variant), "records.hint", "no variant"),
    "an unknown hint": (made(colour="red"), "records.hint", '"colour"', '"red"', "field-delimiter"),
    "a value that is not allowed": (made(compression="gzip"), "records.hint", '"gzip"', "GZIP"),
    "delimiter equal to quotechar": (made(quotechar=",", quoting="minimal"), "records.hint", "quotechar"),
    "a delimiter of two characters": (made(**{"field-delimiter": "||"}), "records.hint", '"||"', "one character"),
    "bytes that are no text": (made(b"1,a,\n2,\xff\xfe,\n"), "csv.encoding", "data001.csv", "row 2", "byte 7"),
    "UTF16 without a mark": (made("1,a,\n".encode("utf-16-le"), encoding="UTF16"), "csv.encoding", "data001.csv"),
    "a row that is short": (made(b"1,a,\n2,b\n"), "row.cells", "row 2", "has 2 cells where 3 are expected"),
    "a row that is long": (made(b"1,a,\n2,b,,\n"), "row.cells", "row 2", "has 4 cells where 3 are expected"),
    "a date of another format": (
        made(b"1,a,13/02/2001\n"),
        "cell.type",
        "no date of the format YYYY-MM-DD",
        "row 1",
        "column 'd'",
        "value '13/02/2001'",
    ),
    "a month that there is not": (
        made(b"1,a,13/02/01\n", dateformat="MM/DD/YY"),
        "cell.type",
        "MM/DD/YY",
        "value '13/02/01'",
    ),
    "an escape at the end": (made(b"1,a,\\"), "csv.escape", "data001.csv", "row 1", "ends after an escape"),
    "a quote that is not closed": (
        made(b'1,a,\n2,"b,\n', variant="csv", dateformat="YYYY-MM-DD"),
        "csv.unclosed_quote",
        "row 2",
    ),
    "text after a quote": (made(b'1,"a"x,\n', variant="csv", dateformat="YYYY-MM-DD"), "csv.after_quote", "row 1"),
    "gzip that was cut": (made(gzip.compress(GOOD, mtime=0)[:-6], compression="GZIP"), "gzip.truncated", "data001.csv"),
}


@pytest.mark.parametrize(("make", "code", "fragments"), [(c[0], c[1], c[2:]) for c in CASES.values()], ids=list(CASES))
def test_what_is_wrong_is_said_and_nothing_is_written(folder, refused, tmp_path, make, code, fragments):
    make(folder.root / "in/files/orders")
    target = tmp_path / "export"
    outputs = [
        {"dataset": "orders"},
        {"dataset": "orders", "as": "file", "format": "records", "records": {"url": target.as_uri()}},
    ]
    folder.file_store(datasets=[{"uuid": "orders", "tables": [{"source": "orders"}]}], outputs=outputs)
    refused(code, "orders", *fragments)
    assert not target.exists() or not list(target.iterdir())


def test_a_directory_that_cannot_be_begun_takes_those_begun_before_it_along(folder, refused, tmp_path, monkeypatch):
    folder.table("t.csv", "id\n1\n")
    first, second = tmp_path / "new" / "first", tmp_path / "second"
    outputs = [
        {"dataset": "t", "as": "file", "name": one.name, "format": "records", "records": {"url": one.as_uri()}}
        for one in (first, second)
    ]
    folder.file_store(datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}], outputs=outputs)
    mkdir = Path.mkdir

    def mkdir_or_not(self, *arguments, **more):
        if self == second:
            raise PermissionError(13, "Permission denied")
        mkdir(self, *arguments, **more)

    monkeypatch.setattr(Path, "mkdir", mkdir_or_not)
    refused("output.unwritable", "Permission denied", but="_common_metadata")
    assert not (tmp_path / "new").exists()


def test_a_target_that_cannot_be_listed_any_more_hides_no_error(tmp_path, monkeypatch):
    listing = LocalListing(tmp_path / "made")
    listing.root.mkdir()

    def fail(_):
        raise RetryError("store.unreadable", "The disk went away")

    monkeypatch.setattr(LocalListing, "names", fail)
    output = OutputPlan("x", "t")
    RecordsOutput(output, RecordsPlan(None), listing.root, listing, (listing.root,)).discard()
    assert not listing.root.exists()
