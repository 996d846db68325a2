"""Data folders, ZIPs of them, and replays by shell commands."""

from __future__ import annotations

import json
import os
import zipfile

import pytest

from component.replay.compare.options import CompareOptions
from component.replay.profile import Profile
from component.replay.request import Case, Component, Handling
from component.replay.run import replay_case

CONFIG = {"parameters": {"#password": "s3cret"}, "storage": {"output": {"default_bucket": "out.c-a"}}}
TABLE = "id,name\n1,one\n2,two\n"
COPY = 'cp "$KBC_DATADIR/in/tables/t.csv" "$KBC_DATADIR/out/tables/"; echo "{}" > "$KBC_DATADIR/out/state.json"'


@pytest.fixture
def write_folder(tmp_path):
    """Return a function that writes a folder of files below tmp_path; text, bytes or JSON values."""

    def write(name, files):
        top = tmp_path / name
        for path, content in files.items():
            target = top / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                target.write_bytes(content)
            else:
                target.write_text(content if isinstance(content, str) else json.dumps(content))
        return top

    return write


@pytest.fixture
def folder(write_folder):
    """A data folder with one table."""
    return write_folder("folder", {"config.json": CONFIG, "in/tables/t.csv": TABLE})


@pytest.fixture
def zipped(tmp_path):
    """Return a function that zips a folder as the platform does, with entries for folders."""

    def make(folder, name="stage_0.zip", prefix=""):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as made:
            for path in sorted(folder.rglob("*")):
                made.write(path, prefix + path.relative_to(folder).as_posix())
        return tmp_path / name

    return make


@pytest.fixture
def replayed(tmp_path):
    """Return a function that replays a source with a shell script."""

    def run(source, script=COPY, *, expected=None, exit_code=0, placeholders=False, compare=None, timeout=30.0, **more):
        component = more.pop("component", None) or Component(words=("sh", "-c", script), timeout=timeout)
        profile = more.pop("profile", None) or Profile()
        variables = {"PATH": os.environ["PATH"], **more.pop("variables", {})}
        handling = Handling(
            profile, component, CompareOptions(**compare or {}), variables, **{"work": tmp_path / "work", **more}
        )
        (tmp_path / "work").mkdir(exist_ok=True)
        result = replay_case(Case("case", source, expected, exit_code, placeholders), handling)
        assert more.get("keep_work") or list((tmp_path / "work").iterdir()) == []
        return result

    return run
