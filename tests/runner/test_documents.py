"""State, usage and result of a run: only what was asked for, valid, and nothing of it after a failure."""

import json

import pytest

from tests.schemas.documents import validator

ROWS = "id,n\n1,2\n2,x\n3,4\n"


@pytest.fixture
def configure(folder):
    def set_up(**more):
        folder.table("t.csv", ROWS)
        dataset = {"uuid": "t", "tables": [{"source": "t.csv", "columns": {"n": "integer"}}], "on_bad_row": "reject"}
        folder.configure(datasets=[dataset], outputs=[{"dataset": "t", "slices": False}], **more)

    return set_up


def document(folder, name):
    content = json.loads((folder.root / "out" / f"{name}.json").read_bytes())
    validator(name).validate(content)
    return content


def names(folder):
    return sorted(path.name for path in (folder.root / "out").glob("[!.]*") if path.is_file())


def test_the_result_says_what_the_run_did(folder, configure, run):
    configure()
    assert run().done
    assert names(folder) == ["result.json", "state.json"]
    variables = document(folder, "result")["variables"]
    size = (folder.root / "out" / "tables" / "t").stat().st_size
    assert variables == {
        "datasets": 1,
        "outputs": 2,
        "rows_read": 3,
        "bytes_read": len(ROWS),
        "rows_rejected": 1,
        "dataset_rows": 2,
        "dataset_bytes": variables["dataset_bytes"],
        "output_rows": 2,
        "output_bytes": size,
    }
    assert variables["dataset_bytes"] > 0


def test_usage_is_written_when_it_is_asked_for(folder, configure, run):
    configure(usage_metrics=True, result_variables=False)
    assert run().done
    assert names(folder) == ["state.json", "usage.json"]
    metrics = {one["metric"]: one["value"] for one in document(folder, "usage")}
    assert metrics["rows_read"] == 3
    assert metrics["output_rows"] == 2


def test_metrics_that_are_zero_are_left_out(folder, run):
    folder.table("t.csv", "id\n")
    folder.configure(usage_metrics=True, datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}])
    assert run().done
    assert [one["metric"] for one in document(folder, "usage")] == ["bytes_read"]


def test_a_run_that_fails_leaves_none_of_them(folder, refused):
    folder.table("t.csv", ROWS)
    dataset = {"uuid": "t", "tables": [{"source": "t.csv", "columns": {"n": "integer"}}]}
    folder.configure(datasets=[dataset], usage_metrics=True)
    refused("cell.type")
    assert names(folder) == []


def test_the_state_fits_its_schema_and_a_large_one_is_a_warning(folder, configure, run):
    configure()
    (folder.root / "in" / "state.json").write_text(json.dumps({"mine": "x" * 1_000_000}))
    outcome = run()
    assert outcome.done
    assert "most of them under 'mine'" in outcome.out
    assert document(folder, "state")["mine"] == "x" * 1_000_000
    assert document(folder, "state")["tablemill"]["datasets"]["t"]["rows"] == 3


def test_a_secret_of_the_state_is_hidden(folder, run):
    folder.table("t.csv", "id\nof-the-state-7\n")
    (folder.root / "in" / "state.json").write_text('{"mine": {"#token": "of-the-state-7"}}')
    folder.configure(datasets=[{"uuid": "t", "tables": [{"source": "t.csv", "columns": {"id": "integer"}}]}])
    outcome = run()
    assert outcome.code == 1
    assert "value '[hidden]'" in outcome.err
