"""Whatever lies in an out/ folder, comparing it ends with a list of differences."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from component.replay.compare.options import CompareOptions
from component.replay.compare.out_folder import OutComparison
from component.replay.landing import land
from component.replay.left_behind import document_remarks, restored_folders
from component.replay.profile import Profile
from tests.strategies.json_values import changed, values

MANIFEST = {
    "destination": "in.c-a.t",
    "columns": ["a", "b"],
    "primary_key": ["a"],
    "delimiter": ",",
    "has_header": True,
    "metadata": [{"key": "k", "value": "v"}],
    "column_metadata": {"a": [{"key": "KBC.datatype.basetype", "value": "NUMERIC"}]},
    "schema": [{"name": "a", "data_type": {"base": {"type": "INTEGER", "length": "12"}}}],
}
NAMES = st.sampled_from(
    [
        "tables/t",
        "tables/t.manifest",
        "tables/s/p1",
        "tables/s/p2",
        "tables/s.manifest",
        "tables/g.gz",
        "files/f",
        "files/f.manifest",
        "files/d/e",
        "state.json",
        "usage.json",
        "result.json",
        "junk",
    ]
)
CSV = st.lists(
    st.sampled_from([b"a,b\n", b"1,2\n", b'"x', b"\r", b"\n", b'""', b"\xff", b"\0", b"1,2,3\n", b"\xef\xbb\xbf"])
)
CONTENTS = st.one_of(
    CSV.map(b"".join),
    st.binary(max_size=20),
    changed(st.just(MANIFEST), tuple(MANIFEST)).map(lambda value: json.dumps(value).encode()),
    values.map(lambda value: json.dumps(value).encode()),
    st.sampled_from([b"\x1f\x8b", b"PAR1", b"PAR1xxxxPAR1", b"{", b"[]", b"null"]),
)
FOLDERS = st.dictionaries(NAMES, CONTENTS, max_size=6)
OPTIONS = st.builds(
    CompareOptions,
    tolerance=st.sampled_from([None, 0.0, 0.1]),
    ordered=st.booleans(),
    empty_is_null=st.booleans(),
    parquet_content=st.booleans(),
)


def write(folder, files):
    for name in ("tables", "files"):
        (folder / "out" / name).mkdir(parents=True)
    for name, data in files.items():
        path = folder / "out" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return folder / "out"


@settings(max_examples=150)
@given(left=FOLDERS, right=FOLDERS, options=OPTIONS)
def test_any_two_folders_can_be_compared(tmp_path_factory, left, right, options):
    top = tmp_path_factory.mktemp("any")
    sides = write(top / "left", left), write(top / "right", right)
    found = OutComparison(*sides, options).compare()
    assert all(one.place and one.text for one in found.differences)
    assert OutComparison(sides[0], sides[0], options).compare().differences == ()


@settings(max_examples=100)
@given(files=FOLDERS, config=values, failed=st.booleans(), rules=st.sampled_from(["seed", "2017", "2026"]))
def test_anything_that_is_left_behind_can_be_judged(tmp_path_factory, files, config, failed, rules):
    out = write(tmp_path_factory.mktemp("left"), files)
    remarks = [*restored_folders(out.parent), *document_remarks(out)]
    landed = land(out.parent, {"storage": {"output": config}}, Profile(), {}, rules, failed=failed)
    assert all(one.text for one in (*remarks, *landed.remarks))
