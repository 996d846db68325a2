"""The documents say what the code does: examples run, generated pages are current."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.write_error_page import PAGE, error_page

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_page_of_error_codes_is_current():
    assert PAGE.read_text(encoding="utf-8") == error_page()


@pytest.mark.spark
def test_the_configuration_of_the_readme_works_when_pasted(tmp_path):
    example = re.search(r"```json\n(.*?)```", README, re.DOTALL)
    assert example
    config = json.loads(example[1])
    store = tmp_path / "store"
    config["parameters"]["store"]["url"] = store.as_uri()
    folder = shutil.copytree(ROOT / "data-sample", tmp_path / "data")
    (folder / "config.json").write_text(json.dumps(config))
    command = [str(Path(sys.executable).with_name("tablemill")), "run", "--data", str(folder), "--format", "json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    assert ended.returncode == 0
    assert (store / "flights.by-dataset-metadata.json").exists()
    assert (folder / "out" / "tables" / "late_from_newark.manifest").exists()
