"""What a run leaves in out/ is right as the in/ of the next image: a processor, or Tablemill again.

Between two images the platform removes in/, renames out/ to in/, and makes new empty folders (reference keboola 1.1).
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component.folder.earlier import RECORD
from tests.fuzz import looking
from tests.runner.data_folder import DataFolder

NATIVE = {"KBC_DATA_TYPE_SUPPORT": "authoritative", "KBC_PROJECT_FEATURE_GATES": "new-native-types"}
cells = st.none() | st.sampled_from(("", "0", "a,b", 'say "x"', "two\nlines", "\r", "ě", "null", " ", "'"))
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), max_size=5).map(lambda rows: (width, rows))
)


def text_of(columns, rows):
    lines = [columns, *rows]
    return "".join(
        ",".join("" if one is None else '"' + one.replace('"', '""') + '"' for one in line) + "\n" for line in lines
    )


def next_image(root):
    (root / "out" / "state.json").unlink()
    shutil.rmtree(root / "in")
    (root / "out").rename(root / "in")
    for part in ("out/tables", "out/files"):
        (root / part).mkdir(parents=True)


def names_below(folder):
    return [path for path in folder.rglob("*") if path.name.startswith(".") and path.name != RECORD]


@settings(max_examples=40)
@given(
    table=tables,
    variables=st.sampled_from(({}, NATIVE)),
    sliced=st.booleans(),
    gzip=st.booleans(),
    has_header=st.sampled_from((None, True)),
)
def test_a_table_goes_through_two_images_unchanged(table, variables, sliced, gzip, has_header):
    width, rows = table
    columns = [f"c{number}" for number in range(width)]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        folder = DataFolder(Path(home, "data"))
        folder.table("t.csv", text_of(columns, rows), {"id": "in.c-main.t", "columns": columns})
        output = {"dataset": "t", "slices": sliced, "compression": "gzip" if sliced and gzip else "none"}
        output |= {"has_header": True} if has_header and not sliced else {}
        folder.configure(datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}], outputs=[output])
        assert looking.run(folder.root, variables).code == 0
        assert names_below(folder.root / "out") == []
        assert_headers_are_said(folder)
        next_image(folder.root)
        folder.config({})
        assert looking.run(folder.root, variables).code == 0
        found = folder.rows("t")
        assert folder.columns("t") == columns
        assert sorted(map(repr, found)) == sorted(repr(tuple(row)) for row in rows)


def assert_headers_are_said(folder):
    """A manifest with columns or schema and without has_header is that of files whose every line is a row."""
    manifest = folder.manifest("t")
    path = folder.root / "out" / "tables" / "t"
    headless = bool(manifest.get("columns") or manifest.get("schema")) and not manifest.get("has_header")
    assert headless or path.is_file()
    if path.is_dir():
        assert headless
        assert {"delimiter", "enclosure"}.isdisjoint(manifest), "processors fall back to the platform's own"


def test_files_keep_manifests_with_every_switch():
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        folder = DataFolder(Path(home, "data"))
        folder.table("t.csv", "id\n1\n")
        folder.configure(datasets=[{"uuid": "t"}], outputs=[{"dataset": "t", "as": "file", "tags": ["x"]}])
        assert looking.run(folder.root).code == 0
        assert folder.out_files == ["t.csv", "t.dataset.zip"]
        for name in folder.out_files:
            switches = {key: value for key, value in folder.manifest(name, "files").items() if key != "tags"}
            assert set(switches) == {"is_public", "is_permanent", "is_encrypted", "notify"}
            assert all(isinstance(value, bool) for value in switches.values())


@pytest.mark.parametrize("family", [{}, NATIVE])
def test_the_manifest_of_a_table_is_one_a_processor_can_read_as_it_is(family):
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        folder = DataFolder(Path(home, "data"))
        folder.table("t.csv", "id\n1\n")
        assert looking.run(folder.root, family).code == 0
        text = (folder.root / "out" / "tables" / "t.manifest").read_bytes()
        assert text.endswith(b"}\n")
        assert not text.startswith(b"\xef\xbb\xbf")
        assert "source" not in json.loads(text)
