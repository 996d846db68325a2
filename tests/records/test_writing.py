from __future__ import annotations

import json

import pyarrow as pa
import pytest

from component.errors import RetryError, UserError
from component.records.directory import read_directory
from component.records.format_file import FormatType, RecordsFormat
from component.records.hint_values import VARIANTS
from component.records.hints import resolve_hints
from component.records.places import LocalListing
from component.records.statistics import statistics_of
from component.records.writing import WrittenDataFile, check_target, data_file_name, finish_directory
from component.tables.logical import RECORDS_FIELD, Logical, logical_column
from component.tables.types import Column, TableSchema, TypeName
from tests.records.listings import bucket_listing
from tests.records.published import published

COLUMNS = TableSchema(
    (
        Column("id", TypeName.INTEGER, nullable=False),
        Column("price", TypeName.NUMERIC, "12,2"),
        Column("weight", TypeName.FLOAT),
        Column("name", TypeName.STRING, "20"),
        Column("day", TypeName.DATE),
        Column("sold", TypeName.BOOLEAN),
        Column("at", TypeName.TIMESTAMP),
        logical_column("time", Logical.TIME),
        logical_column("instant", Logical.TIMESTAMPTZ),
    )
)
ROWS = pa.table(
    {"id": pa.array([1, 2])}
    | {name: pa.nulls(2, kind.arrow) for name, kind in zip(COLUMNS.names[1:], COLUMNS.columns[1:], strict=True)}
)


class Recording(LocalListing):
    """A folder that remembers what was put, and may fail."""

    __slots__ = ("order", "trouble")

    def put(self, name, data):
        self.order.append(name)
        if name == self.trouble:
            raise RetryError("store.failed", "The disk is gone")
        super().put(name, data)


def recording(root, trouble=None):
    listing = Recording(root)
    object.__setattr__(listing, "order", [])
    object.__setattr__(listing, "trouble", trouble)
    return listing


def delimited(variant="bluelabs", **hints):
    return RecordsFormat(FormatType.DELIMITED, resolve_hints(variant, hints)[0])


def written(target, chosen, rows=(2, 3), **options):
    files = []
    for number, count in enumerate(rows, 1):
        name = data_file_name(number, chosen)
        target.put(name, b"x" * count)
        table = pa.table({**dict(zip(ROWS.column_names, ROWS.columns, strict=True)), "id": [number, number + 5]})
        files.append(WrittenDataFile(name, count, statistics_of(table)))
    finish_directory(target, chosen, COLUMNS, files, **options)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_written_reads_back(tmp_path, variant):
    target = LocalListing(tmp_path / "r")
    written(target, delimited(variant, **{"header-row": False}))
    directory = read_directory(target)
    assert directory.findings == ()
    assert [file.size for file in directory.files] == [2, 3]
    plain = [column.with_attribute(RECORDS_FIELD, None) for column in directory.schema.columns]
    assert plain == list(COLUMNS.columns)


@pytest.mark.parametrize("kind", [FormatType.PARQUET, FormatType.AVRO])
def test_other_formats_too(tmp_path, kind):
    target = LocalListing(tmp_path / "r")
    written(target, RecordsFormat(kind))
    directory = read_directory(target)
    assert (directory.format, directory.findings) == (kind, ())


def test_the_manifest_is_the_last_file_and_the_schema_comes_before_the_format(tmp_path):
    target = recording(tmp_path / "r")
    written(target, delimited())
    assert target.order == [
        *("data001.csv.gz", "data002.csv.gz", "_schema.json", "_schema", "_format_delimited", "_manifest")
    ]


@pytest.mark.parametrize("trouble", ["_schema.json", "_schema", "_format_delimited", "_manifest"])
def test_after_a_failure_nothing_looks_complete(tmp_path, trouble):
    target = recording(tmp_path / "r", trouble)
    with pytest.raises(RetryError):
        written(target, delimited())
    assert target.names() == ("data001.csv.gz", "data002.csv.gz")


def test_a_directory_without_data_files_is_one(tmp_path):
    target = LocalListing(tmp_path / "r")
    written(target, delimited(), rows=())
    assert read_directory(target).files == ()


def test_urls_are_absolute_and_lengths_right(tmp_path):
    target = LocalListing(tmp_path / "a b")
    written(target, delimited())
    listed = json.loads((tmp_path / "a b" / "_manifest").read_bytes())["entries"]
    assert [entry["url"] for entry in listed] == [
        f"{tmp_path.as_uri()}/a%20b/data001.csv.gz",
        f"{tmp_path.as_uri()}/a%20b/data002.csv.gz",
    ]
    assert [entry["meta"]["content_length"] for entry in listed] == [2, 3]


def test_urls_can_be_those_of_another_place(tmp_path):
    target = LocalListing(tmp_path / "r")
    written(target, delimited(), base_url="file:///records/orders/")
    listed = json.loads((tmp_path / "r" / "_manifest").read_bytes())["entries"]
    assert listed[0]["url"] == "file:///records/orders/data001.csv.gz"


def test_the_schema_passes_and_has_the_statistics_of_all_files(tmp_path):
    target = LocalListing(tmp_path / "r")
    written(target, delimited())
    schema = json.loads((tmp_path / "r" / "_schema.json").read_bytes())
    published().validate(schema)
    assert (tmp_path / "r" / "_schema").read_bytes() == (tmp_path / "r" / "_schema.json").read_bytes()
    assert schema["fields"]["id"]["statistics"] == {"rows_sampled": 4, "total_rows": 4, "min": "1", "max": "7"}
    assert schema["fields"]["id"]["constraints"]["required"] is True
    assert "statistics" not in schema["fields"]["time"]


def test_a_directory_in_a_bucket_is_put_in_the_same_order(tmp_path, s3):
    target = bucket_listing(s3, tmp_path)
    check_target(target)
    written(target, delimited())
    directory = read_directory(target)
    assert directory.findings == ()
    assert directory.files[0].location.bucket.url(directory.files[0].location.key) == target.url_of("data001.csv.gz")
    with pytest.raises(UserError):
        check_target(target)


def test_a_target_must_be_empty(tmp_path):
    target = LocalListing(tmp_path)
    check_target(target)
    check_target(LocalListing(tmp_path / "new"))
    (tmp_path / ".crc").touch()
    with pytest.raises(UserError) as refused:
        check_target(target)
    assert refused.value.code == "records.target"
    assert ".crc" in str(refused.value)


@pytest.mark.parametrize(
    ("chosen", "name"),
    [
        (delimited(compression=None), "data001.csv"),
        (delimited(compression="GZIP"), "data001.csv.gz"),
        (delimited(compression="BZIP"), "data001.csv.bz2"),
        (RecordsFormat(FormatType.PARQUET), "data001.parquet"),
        (RecordsFormat(FormatType.AVRO), "data001.avro"),
    ],
)
def test_names_are_the_clients(chosen, name):
    assert data_file_name(1, chosen) == name
    assert data_file_name(1000, chosen).startswith("data1000.")


def test_nothing_of_a_foreign_schema_is_lost_on_a_rewrite(tmp_path):
    source = LocalListing(tmp_path / "r")
    source.put("_schema.json", json.dumps(THEIRS).encode())
    source.put("_format_parquet", b"")
    source.put("_manifest", b'{"entries": []}')
    schema = read_directory(source).schema
    target = LocalListing(tmp_path / "again")
    finish_directory(target, RecordsFormat(FormatType.PARQUET), schema, [])
    again = read_directory(target).schema
    assert again == schema


THEIRS = {
    "schema": "bltypes/v1",
    "fields": {
        "id": {
            "type": "integer",
            "index": 1,
            "constraints": {"required": True, "unique": True, "min": "0", "max": "255"},
            "representations": {"origin": {"rep_type": "sql/redshift", "col_ddl": "SMALLINT", "col_type": "SMALLINT"}},
        },
        "at": {"type": "timetz", "index": 2, "representations": {"spark": {"rep_type": "spark", "type": "string"}}},
    },
    "known_representations": {
        "origin": {"type": "sql/redshift", "table_ddl": "CREATE TABLE x (id SMALLINT)"},
        "spark": {"type": "spark"},
    },
}
