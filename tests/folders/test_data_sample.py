import csv
import gzip
import io
import json
import re
from pathlib import Path

import pytest

from scripts.make_data_sample import make_data_sample
from tests.folders.plain_types import parse_plain

SAMPLE = Path(__file__).parents[2] / "data-sample"
TABLES = SAMPLE / "in" / "tables"
GZIP_START = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
"""Magic, deflate, no name, no time."""
ROWS = {"airlines.csv": 16, "airports.csv": 1_458, "flights.csv": 336_776, "planes.csv": 3_322, "weather.csv": 26_115}
HANDWRITTEN = {"config.json"}


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data-sample")
    make_data_sample(folder)
    return folder


@pytest.fixture(scope="module")
def tables() -> dict[str, list[list[str]]]:
    """Every table's rows as the csv module reads them."""
    return {name: read_rows(TABLES / name) for name in ROWS}


def read_rows(path: Path) -> list[list[str]]:
    if path.is_dir():
        return [row for part in sorted(path.iterdir()) for row in parse(gzip.decompress(part.read_bytes()))]
    return parse(path.read_bytes())[1:]


def parse(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def manifest_of(name: str) -> dict:
    return json.loads((TABLES / f"{name}.manifest").read_bytes())


def types_of(manifest: dict) -> dict[str, tuple[str, str | None, bool]]:
    """Type, length and nullable of every column whose type the manifest tells."""
    found = {}
    for entry in manifest.get("schema", []):
        backend = entry["data_type"]["snowflake"]
        found[entry["name"]] = (entry["data_type"]["base"]["type"].lower(), backend.get("length"), entry["nullable"])
    for name, metadata in dict(manifest["column_metadata"]).items():
        facts = {entry["key"].removeprefix("KBC.datatype."): entry["value"] for entry in metadata}
        found[name] = (facts["basetype"].lower(), facts.get("length"), facts["nullable"] == "1")
    return found


def test_the_sample_is_what_the_script_makes(rebuilt):
    assert files_below(SAMPLE) - HANDWRITTEN == files_below(rebuilt)
    for name in files_below(rebuilt):
        committed, made = (SAMPLE / name).read_bytes(), (rebuilt / name).read_bytes()
        if name.endswith(".gz"):  # another zlib may pack the same text into other bytes
            assert committed.startswith(GZIP_START)
            assert made.startswith(GZIP_START)
            committed, made = gzip.decompress(committed), gzip.decompress(made)
        assert committed == made, name


def test_the_sample_is_smaller_than_10_mb():
    assert sum((SAMPLE / name).stat().st_size for name in files_below(SAMPLE)) < 10_000_000


def test_nothing_lies_in_the_sample_that_a_data_folder_does_not_have():
    assert {path.name for path in SAMPLE.iterdir()} == {"config.json", "in", "out"}
    assert {path.name for path in (SAMPLE / "in").iterdir()} == {"files", "state.json", "tables"}
    assert json.loads((SAMPLE / "in" / "state.json").read_bytes()) == {}
    assert {path.name for path in (SAMPLE / "out").iterdir()} == {"files", "tables"}


def test_no_flight_is_lost(tables):
    assert {name: len(rows) for name, rows in tables.items()} == ROWS


@pytest.mark.parametrize("name", ROWS)
def test_a_manifest_names_the_columns_of_its_table(name, tables):
    manifest = manifest_of(name)
    columns = manifest["columns"]
    assert {len(row) for row in tables[name]} == {len(columns)}
    if (TABLES / name).is_file():
        assert parse((TABLES / name).read_bytes())[0] == columns
    assert list(types_of(manifest)) in ([], columns)


def test_manifests_of_all_families_are_there():
    families = {name: ("schema" in manifest_of(name), bool(manifest_of(name)["column_metadata"])) for name in ROWS}
    assert families == {
        "airlines.csv": (False, False),
        "airports.csv": (True, False),
        "flights.csv": (False, True),
        "planes.csv": (False, True),
        "weather.csv": (True, False),
    }


@pytest.mark.parametrize("name", ROWS)
def test_every_cell_fits_the_type_that_its_manifest_tells(name, tables):
    manifest = manifest_of(name)
    types = types_of(manifest)
    for column, cells in zip(manifest["columns"], zip(*tables[name], strict=True), strict=True):
        type_name, length, nullable = types.get(column, ("string", None, False))
        distinct = set(cells)
        assert ("" in distinct) == nullable, column
        for cell in distinct - {""}:
            parse_plain(cell, type_name, length)
            assert type_name != "string" or length is None or len(cell) <= int(length), cell


@pytest.mark.parametrize("name", ROWS)
def test_the_primary_key_is_one(name, tables):
    manifest = manifest_of(name)
    at = [manifest["columns"].index(column) for column in manifest["primary_key"]]
    assert at
    assert len({tuple(row[position] for position in at) for row in tables[name]}) == ROWS[name]


@pytest.mark.parametrize("name", sorted(set(ROWS) - {"flights.csv"}))
def test_plain_tables_enclose_every_cell_as_the_platform_does(name):
    lines = (TABLES / name).read_text().splitlines()
    assert all(re.fullmatch(r'"[^"]*"(,"[^"]*")*', line) for line in lines)


def test_flights_are_headless_gzip_slices_whose_nulls_are_bare():
    parts = sorted((TABLES / "flights.csv").iterdir())
    assert len(parts) == 4
    for part in parts:
        text = gzip.decompress(part.read_bytes())
        assert not text.startswith(b'"year"')
        assert b'""' not in text
        assert b",," in text


def test_the_input_file_has_a_manifest_that_describes_it():
    (path,) = (SAMPLE / "in" / "files").glob("*.csv")
    manifest = json.loads(path.with_name(f"{path.name}.manifest").read_bytes())
    assert path.name == f"{manifest['id']}_{manifest['name']}"
    assert manifest["size_bytes"] == path.stat().st_size
    rows = parse(path.read_bytes())
    assert rows[0] == ["date", "holiday"]
    assert all(parse_plain(day, "date").year == 2013 and holiday for day, holiday in rows[1:])


def test_the_configuration_names_what_is_in_the_folder(tables):
    config = json.loads((SAMPLE / "config.json").read_bytes())
    datasets = {dataset["uuid"]: dataset for dataset in config["parameters"]["datasets"]}
    sources = {dataset["tables"][0]["source"] for dataset in datasets.values()}
    files = {path.name for path in (SAMPLE / "in" / "files").glob("*.csv")}
    assert sources == set(tables) | files
    assert {mapping["destination"] for mapping in config["storage"]["input"]["tables"]} == set(tables)
    assert {output["dataset"] for output in config["parameters"]["outputs"]} == set(datasets)
    for dataset in datasets.values():
        used = {*dataset.get("partition_on", ()), *dataset.get("secondary_indices", ())}
        source = dataset["tables"][0]["source"]
        assert used <= set(manifest_of(source)["columns"] if source in tables else ["date", "holiday"])
