"""What is not there is an error, and a relative path is one below the working directory."""

from __future__ import annotations

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import tablemill
from component.cli.main import app
from component.errors import UserError


def ask(*words):
    return CliRunner().invoke(app, ["dataset", *words])


@pytest.mark.parametrize("command", ["gc", "show", "history", "verify", "stats", "query", "rollback", "compact"])
def test_a_dataset_that_is_not_there(tmp_path, command):
    answer = ask(command, f"{tmp_path}/sales")
    assert answer.exit_code == 1
    assert answer.stderr.startswith("There is no dataset 'sales' in file://")


def test_a_store_that_is_not_there(tmp_path):
    answer = ask("ls", f"{tmp_path}/nowhere")
    assert answer.exit_code == 1
    assert answer.stderr.startswith(f"There is no store file://{tmp_path}/nowhere. Name the folder")
    with pytest.raises(UserError, match="There is no store"):
        tablemill.datasets(f"{tmp_path}/nowhere")


def test_a_store_without_datasets_is_none_of_an_error(tmp_path):
    assert ask("ls", str(tmp_path)).exit_code == 0


@pytest.mark.parametrize("store", ["store", "./store", "../here/store"])
def test_relative_paths(tmp_path, monkeypatch, store):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    tablemill.create(f"{store}/sales", pa.table({"n": [1]}))
    assert (tmp_path / "here/store/sales.by-dataset-metadata.json").exists()
    assert "sales" in ask("ls", store).stdout
    assert "1 row" in ask("query", f"{store}/sales").stdout
