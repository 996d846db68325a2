from __future__ import annotations

import pytest

from component.folder.files import FileKind, input_files, stored_name
from component.folder.layout import DataFolder
from component.folder.manifest import FileManifest


def test_a_file_has_the_name_and_tags_of_its_manifest(writer, folder):
    writer.file("12_flights.csv", b"a,b\n", {"id": 12, "name": "flights.csv", "tags": ["x"]})
    (found,) = input_files(folder)
    assert (found.file_name, found.name, found.id, found.tags) == ("12_flights.csv", "flights.csv", 12, ("x",))
    assert (found.kind, found.sliced, found.size, found.warnings) == (FileKind.CSV, False, 4, ())
    assert found.manifest == FileManifest(12, "flights.csv", ("x",))


def test_without_a_manifest_the_name_follows_the_number(writer, folder):
    writer.file("12_flights.csv")
    (found,) = input_files(folder)
    assert (found.name, found.id, found.tags) == ("flights.csv", None, ())
    assert found.warnings == ("The file '12_flights.csv' has no manifest: its tags are not known.",)


@pytest.mark.parametrize(
    ("file_name", "name"),
    [("1_a_b.csv", "a_b.csv"), ("a_1.csv", "a_1.csv"), ("1_", "1_"), ("12", "12"), ("²_a", "²_a")],
)
def test_only_a_number_in_front_is_taken_off(file_name, name):
    assert stored_name(file_name) == name


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.csv", b"", FileKind.CSV),
        ("a.CSV.gz", b"\x1f\x8b", FileKind.CSV),
        ("a.tsv", b"", FileKind.CSV),
        ("a.bin", b"PAR1....", FileKind.PARQUET),
        ("a.csv", b"PAR1....", FileKind.PARQUET),
        ("a.parquet", b"a,b\n", FileKind.OTHER),
        ("flights.dataset.zip", b"PK", FileKind.DATASET_ARCHIVE),
        ("a.zip", b"PK", FileKind.OTHER),
    ],
)
def test_what_a_file_looks_like(writer, folder, name, data, kind):
    writer.file(f"7_{name}", data, {"id": 7, "name": name})
    (found,) = input_files(folder)
    assert found.kind is kind


def test_a_directory_is_a_sliced_file(writer, folder):
    (folder.in_files / "5_big.csv").mkdir()
    writer.file("5_big.csv/part1", b"1\n")
    writer.file("5_big.csv", None, {"id": 5, "name": "big.csv", "is_sliced": True})
    (found,) = input_files(folder)
    assert (found.sliced, found.kind, [part.name for part in found.slices]) == (True, FileKind.CSV, ["part1"])


def test_an_empty_directory_is_a_file_without_slices(folder):
    (folder.in_files / "5_big").mkdir()
    (found,) = input_files(folder)
    assert (found.slices, found.size, found.kind) == ((), 0, FileKind.OTHER)


def test_files_are_sorted_and_manifests_and_dot_files_are_none(writer, folder):
    for name in ("2_b", "1_a", ".gone", "3_c.manifest"):
        writer.file(name)
    assert [found.file_name for found in input_files(folder)] == ["1_a", "2_b"]
    assert input_files(DataFolder(folder.root / "nowhere")) == ()
