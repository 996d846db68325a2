"""Issue 2, point 12: places that cannot be written, and disks that are full. Real ones: no error is made up here."""

import contextlib
import random
import subprocess
import sys

import pytest

from tests.runner.conftest import assert_one_sentence
from tests.runner.data_folder import csv_text, snapshot

MIB = 1024 * 1024
PLAIN_USER = """
import ctypes, os, sys
for right in (1, 2):  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets root write and read everything
    ctypes.CDLL(None).prctl(24, right, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
SMALL_FILES = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1024 * 1024, 1024 * 1024))
os.execv(sys.argv[1], sys.argv[1:])
"""
AS_PLAIN_USER = (sys.executable, "-c", PLAIN_USER)
WITH_SMALL_FILES = (sys.executable, "-c", SMALL_FILES)


@pytest.fixture
def refused_by_system(folder, run_command):
    """Run the command; it must end with one sentence, and nothing may be changed."""

    def run_it(*fragments, wrapper=()):
        before = snapshot(folder.root, folder.store)
        outcome = run_command(wrapper=wrapper)
        assert outcome.code == 1, outcome
        assert_one_sentence(outcome)
        assert [part for part in fragments if part not in outcome.err] == [], outcome.err
        assert snapshot(folder.root, folder.store) == before

    return run_it


@pytest.fixture
def closed():
    """Take away the right to write in folders, and give it back after the test."""
    paths = []

    def close(path):
        path.chmod(0o555)
        paths.append(path)

    yield close
    for path in paths:
        path.chmod(0o755)


@pytest.fixture
def small_disk():
    """Make a place a disk of 1 MiB; where that is not allowed, return what runs a command with files of 1 MiB."""
    with contextlib.ExitStack() as mounted:

        def mount(path):
            path.mkdir(parents=True, exist_ok=True)
            made = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(path)], capture_output=True, check=False
            )
            if made.returncode:
                return WITH_SMALL_FILES
            mounted.callback(subprocess.run, ["umount", str(path)], check=True)
            return ()

        yield mount


def noise(rows, width=40):
    """Rows that no compression makes small."""
    source = random.Random(5)
    return csv_text(["id", "text"], [[row, source.randbytes(width // 2).hex()] for row in range(rows)])


# --- not writable ---


@pytest.mark.parametrize("part", ["out", "out/tables", "out/files"])
def test_a_folder_of_out_that_may_not_be_written(folder, refused_by_system, closed, part):
    folder.table("t.csv", "id\n1\n")
    closed(folder.root / part)
    refused_by_system(f"{part}' cannot be written: Permission denied", "right to write in out/", wrapper=AS_PLAIN_USER)


def test_a_store_that_may_not_be_written(folder, refused_by_system, closed):
    folder.table("t.csv", "id\n1\n")
    folder.file_store(datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}])
    folder.store.mkdir()
    closed(folder.store)
    refused_by_system("store", "Permission denied", "right to write there", wrapper=AS_PLAIN_USER)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.manifest", "."])
def test_a_source_that_may_not_be_read(folder, refused_by_system, name):
    folder.table("t.csv", "id\n1\n")
    path = folder.root / "in" / "tables" / name
    path.chmod(0)
    try:
        refused_by_system(path.name, "cannot be read: Permission denied", wrapper=AS_PLAIN_USER)
    finally:
        path.chmod(0o755)


@pytest.mark.parametrize("part", ["tables", "files"])
def test_a_file_in_the_place_of_a_folder(folder, refused, part):
    folder.table("t.csv", "id\n1\n")
    (folder.root / "out" / part).rmdir()
    (folder.root / "out" / part).write_text("not a folder")
    refused("output.unwritable", f"out/{part}", "right to write in out/")


# --- full ---


def test_a_full_disk_under_out_while_slices_are_written(folder, refused_by_system, small_disk):
    folder.table("t.csv", noise(60_000))
    folder.file_store(datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}], outputs=[{"dataset": "t"}])
    wrapper = small_disk(folder.root / "out" / "tables")
    refused_by_system("no space left to write", "out/", wrapper=wrapper)


def test_a_full_disk_under_out_while_an_archive_is_packed(folder, refused_by_system, small_disk):
    folder.table("t.csv", noise(60_000))
    folder.configure(datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}])
    wrapper = small_disk(folder.root / "out")
    for part in ("tables", "files"):
        (folder.root / "out" / part).mkdir(exist_ok=True)
    refused_by_system("t.dataset.zip", "Free space there", wrapper=wrapper)


def test_a_full_disk_under_the_store(folder, refused_by_system, small_disk):
    folder.table("t.csv", noise(60_000))
    datasets = [{"uuid": "t", "tables": [{"source": "t.csv"}], "secondary_indices": ["id"]}]
    folder.file_store(datasets=datasets, limits={"split_bytes": MIB})
    refused_by_system(str(folder.store), "Free space there", wrapper=small_disk(folder.store))


def test_a_file_larger_than_files_may_be(folder, refused_by_system):
    folder.table("t.csv", noise(60_000))
    folder.file_store(datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}])
    refused_by_system(str(folder.store), "Free space there", wrapper=WITH_SMALL_FILES)
