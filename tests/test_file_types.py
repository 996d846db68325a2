"""Suffixes and first bytes tell types of files apart, and are written in one place."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from component import file_types
from component.convert import places
from component.errors import UserError
from component.file_types import FileType
from component.folder.files import is_text
from component.naming import CSV_SUFFIXES
from component.workbench.parse.kind import kind_by_name

ROOT = Path(__file__).parent.parent / "component"
TYPES = {name: value for name, value in vars(file_types).items() if isinstance(value, FileType)}
WRITTEN = {
    "CSV": "csv",
    "PARQUET": "parquet",
    "AVRO": "avro",
    "ARROW": "arrow",
    "JSON_LINES": "jsonl",
    "ZIP": "records",
    "HTTP_FILE": "httpfile",
}
"""What `convert` writes to a file of each type."""
SUFFIXES = sorted({suffix for one in TYPES.values() for suffix in one.suffixes})


@pytest.mark.parametrize("part", ["suffixes", "mime_types"])
def test_what_names_a_type_names_no_other(part):
    named = [text for one in TYPES.values() for text in getattr(one, part)]
    assert len(named) == len(set(named))


def test_no_magic_begins_another():
    magics = [one.magic for one in TYPES.values() if one.magic]
    assert not [pair for pair in permutations(magics, 2) if pair[0].startswith(pair[1])]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_whoever_knows_a_suffix_takes_it_for_the_same_type(suffix):
    name = next(name for name, one in TYPES.items() if suffix in one.suffixes)
    kind = kind_by_name(f"x{suffix}")
    assert kind is None or kind.name == name
    assert is_text(f"x{suffix}") == (name in {"CSV", "TSV", "PSV", "TEXT"})
    if name in WRITTEN:
        assert places.target_of(f"x{suffix}").kind == WRITTEN[name]
    else:
        with pytest.raises(UserError, match="does not say what to write"):
            places.target_of(f"x{suffix}")


def test_names_of_delimited_text_are_csv_and_tsv_plain_or_gzip():
    assert set(CSV_SUFFIXES) == {".csv", ".csv.gz", ".tsv", ".tsv.gz"}


@pytest.mark.parametrize("magic", [r"\x1f\x8b", r"PK\x03\x04", r"BZh[", r"Obj\x01", "ARROW1", r"\x28\xb5\x2f\xfd"])
def test_first_bytes_are_written_once(magic):
    assert [path.name for path in sorted(ROOT.rglob("*.py")) if f'b"{magic}' in path.read_text(encoding="utf-8")] == [
        "file_types.py"
    ]
