from __future__ import annotations

from tests.check.making import check, found, lay_out, only


def planned(tmp_path, datasets, outputs=(), **parameters):
    return check(
        lay_out(tmp_path, config={"parameters": {"datasets": datasets, "outputs": list(outputs), **parameters}})
    )


def test_every_fault_of_a_dataset_is_told(tmp_path):
    dataset = {
        "uuid": "t",
        "partition_on": ["one"],
        "secondary_indices": ["two"],
        "sort_partitions_by": ["three"],
        "tables": [{"primary_key": ["four"], "columns": {"five": "integer"}}],
    }
    report = planned(tmp_path, [dataset])
    assert found(report) == [("error", "column.missing", "parameters.datasets[0]")] * 5
    assert all(
        any(f"'{name}'" in one.text for one in report.findings) for name in ("one", "two", "three", "four", "five")
    )


def test_every_dataset_and_output_is_looked_at(tmp_path):
    report = planned(
        tmp_path,
        [{"uuid": "nope"}, {"uuid": "t", "partition_on": ["x"]}, {"uuid": "u", "tables": [{"source": "t"}]}],
        [{"dataset": "u", "columns": ["y"]}, {"dataset": "u", "name": "z", "columns": ["id"]}],
    )
    assert found(report) == [
        ("error", "source.missing", "parameters.datasets[0]"),
        ("error", "column.missing", "parameters.datasets[1]"),
        ("error", "column.missing", "parameters.outputs[0]"),
    ]
    assert [dataset.uuid for dataset in report.datasets] == ["u"]


def test_a_near_miss_is_a_remedy(tmp_path):
    report = planned(tmp_path, [{"uuid": "t", "partition_on": ["nmae"]}])
    assert "Did you mean 'name'?" in only(report, "column.missing").remedy


def test_an_output_with_the_name_of_something_else_is_told(tmp_path):
    dataset = {"uuid": "t", "on_bad_row": "reject"}
    report = planned(tmp_path, [dataset], [{"dataset": "t", "name": "t.rejected"}])
    assert found(report) == [("error", "config.duplicate_output", "parameters")]


def test_a_dataset_shows_what_is_configured(tmp_path):
    report = planned(tmp_path, [{"uuid": "t", "partition_on": ["id"], "secondary_indices": ["name"], "mode": "append"}])
    (dataset,) = report.datasets
    assert (dataset.source, dataset.mode, dataset.partition_on) == ("t.csv", "append", ("id",))
    assert dataset.secondary_indices == ("name",)


def test_an_index_that_the_client_of_the_dataset_cannot_append_to_is_a_warning(tmp_path):
    columns = {"id": {"type": "numeric", "length": "12,2"}}
    report = planned(tmp_path, [{"uuid": "t", "secondary_indices": ["id"], "tables": [{"columns": columns}]}])
    assert "keeps plateau from appending" in only(report, "config.warning").text


def test_bytes_that_are_not_of_the_encoding_are_an_error_unless_their_rows_are_rejected(tmp_path):
    def told(name, on_bad_row):
        dataset = {"uuid": "t", "on_bad_row": on_bad_row, "tables": [{"source": "t.txt", "encoding": "cp1252"}]}
        files = {"in/files/t.txt": b"a;b\n1;x\n2;\x81\n", "in/files/t.txt.manifest": b"{}"}
        return check(lay_out(tmp_path / name, files=files, config={"parameters": {"datasets": [dataset]}}))

    report = told("fail", "fail")
    assert found(report) == [("error", "csv.encoding", "parameters.datasets[0]")]
    assert "byte 10" in report.findings[0].text
    assert found(told("reject", "reject")) == []


def test_a_text_that_is_written_again_is_shown_as_it_lies(tmp_path):
    files = {"in/files/t.txt": b"a||b\n1||'x'y\n2||'z'\n", "in/files/t.txt.manifest": b"{}"}
    options = {"source": "t.txt", "delimiter": "||", "enclosure": "'"}
    config = {"parameters": {"datasets": [{"uuid": "t", "on_bad_row": "reject", "tables": [options]}]}}
    report = check(lay_out(tmp_path, files=files, config=config))
    assert found(report) == []
    assert [(one.delimiter, one.enclosure) for one in report.sources][1:] == [("||", "'")]
