"""Issue 6: any file, Arrow files of Workbench and tables in the configuration, as inputs and outputs of whole runs."""

import io
import json

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.check.folder import check_folder
from component.workbench.files.http_file import HttpFile, write_http_file


def dataset(uuid, **table):
    return {"uuid": uuid, "tables": [{"source": uuid, **table}]}


def arrow(table):
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def book(rows):
    workbook = openpyxl.Workbook()
    for row in rows:
        workbook.active.append(row)
    sink = io.BytesIO()
    workbook.save(sink)
    return sink.getvalue()


def test_files_of_every_kind_become_tables_when_they_are_named(folder, run):
    files = {
        "records.json": b'{"data": [{"n": 1}, {"n": 2}]}',
        "lines.jsonl": b'{"n": 1}\n{"n": 2}\n',
        "book.xlsx": book([["n"], [1], [2]]),
        "fetched.httpfile": write_http_file(HttpFile({"url": "http://x/a.csv"}, "200 OK", (), b"n\n1\n2\n")),
    }
    for name, data in files.items():
        folder.file(name, data)
    names = [name.rpartition(".")[0] for name in files]
    folder.configure(datasets=[dataset(name) for name in names], outputs=[{"dataset": name} for name in names])
    outcome = run()
    assert outcome.done, outcome.err
    assert [[float(row[0] or "nan") for row in folder.rows(name)] for name in names] == [[1, 2]] * len(names)


def test_a_file_that_nobody_names_is_left_alone(folder, run):
    folder.file("notes.json", b"{broken")
    folder.table("t.csv", "a\n1\n")
    outcome = run()
    assert outcome.done, outcome.err
    assert folder.out_tables == ["t"]


def test_lenient_reading_mends_and_says_so_and_strict_reading_refuses(folder, run, refused):
    folder.file("people.txt", b"name;age\nAnn;1\nBob;\n")
    outputs = [{"dataset": "people"}]
    folder.configure(datasets=[dataset("people", file={"reading": "strict"}, format="file")], outputs=outputs)
    refused("source.format", "delimited")
    stated = dataset("people", file={"reading": "strict", "numbers": "exact"}, delimiter=";")
    folder.configure(datasets=[stated], outputs=outputs)
    assert run().done
    assert folder.records("people") == [{"name": "Ann", "age": "1"}, {"name": "Bob", "age": None}]
    folder.configure(datasets=[dataset("people", file={"reading": "lenient", "numbers": "exact"})], outputs=outputs)
    outcome = run()
    assert outcome.done, outcome.err
    assert folder.records("people") == [{"name": "Ann", "age": "1"}, {"name": "Bob", "age": None}]


def test_a_table_in_the_configuration_is_an_input(folder, run):
    table = {"name": "cities", "csv": "city,pop\nPraha,1300000\nBrno,", "numbers": "exact"}
    folder.configure(tables=[table], datasets=[dataset("cities")], outputs=[{"dataset": "cities"}])
    outcome = run()
    assert outcome.done, outcome.err
    assert folder.records("cities") == [{"city": "Praha", "pop": "1300000"}, {"city": "Brno", "pop": None}]


def test_the_shape_of_before_is_read_and_told(folder, run):
    folder.configure(table={"csv": "a\n1", "has_header": True})
    outcome = run()
    assert outcome.done, outcome.err
    assert '"table" is "tables" by now' in outcome.out
    assert folder.records("table") == [{"a": "1"}]


def test_an_arrow_file_of_workbench_keeps_formats_and_units(folder, run):
    fields = [
        pa.field("n", pa.int8(), metadata={"format": "${:,.2f}"}),
        pa.field("d", pa.date32(), metadata={"unit": "month"}),
    ]
    table = pa.table([pa.array([1, None], pa.int8()), pa.array([0, 31], pa.date32())], schema=pa.schema(fields))
    folder.file("prices.arrow", arrow(table))
    output = {"dataset": "prices", "as": "file", "format": "workbench"}
    folder.configure(datasets=[dataset("prices")], outputs=[output])
    outcome = run()
    assert outcome.done, outcome.err
    assert folder.out_files == ["prices.arrow", "prices.arrow.json", "prices.dataset.zip"]
    with pa.ipc.open_file(folder.root / "out/files/prices.arrow") as reader:
        back = reader.read_all()
    assert back.equals(table)
    assert [field.metadata for field in back.schema] == [field.metadata for field in table.schema]
    sidecar = json.loads((folder.root / "out/files/prices.arrow.json").read_text())
    assert sidecar["columns"][0] == {"name": "n", "type": "number", "format": "${:,.2f}"}


def test_an_arrow_file_that_breaks_a_rule_is_refused(folder, refused):
    wrong = pa.table(
        [pa.array([1], pa.date32())], schema=pa.schema([pa.field("d", pa.date32(), metadata={"unit": "month"})])
    )
    folder.file("prices.arrow", arrow(wrong))
    refused("workbench.invalid", "DateValueHasWrongUnit")


def test_other_arrow_files_and_avro_are_tables_as_they_are(folder, run):
    rows = pa.table({"a": [1, 2], "t": ["x", None]})
    folder.file("plain.arrow", arrow(rows))
    folder.configure(
        datasets=[dataset("plain")],
        outputs=[{"dataset": "plain", "as": "file", "format": "avro"}, {"dataset": "plain"}],
    )
    assert run().done
    written = (folder.root / "out/files/plain.avro").read_bytes()
    assert folder.records("plain") == [{"a": "1", "t": "x"}, {"a": "2", "t": None}]
    folder.file("again.avro", written)
    folder.configure(datasets=[dataset("again")], outputs=[{"dataset": "again"}])
    assert run().done
    assert folder.records("again") == [{"a": "1", "t": "x"}, {"a": "2", "t": None}]


@pytest.mark.parametrize("secret", ["s3cr3t-value-xyz"])
def test_a_secret_beside_a_text_table_reaches_nothing(folder, run, secret):
    folder.config(
        {
            "parameters": {"tables": [{"name": "t", "csv": f"a\n{secret[::-1]}"}]},
            "image_parameters": {"#token": secret},
        }
    )
    outcome = run()
    assert outcome.done, outcome.err
    written = b"".join(path.read_bytes() for path in (folder.root / "out").rglob("*") if path.is_file())
    assert secret.encode() not in written
    assert secret not in outcome.out + outcome.err


def test_a_second_run_on_the_same_file_skips_the_parsing_and_says_so(folder, run, tmp_path):
    cache = tmp_path / "cache"
    folder.file("rows.json", b'[{"n": 1, "n": 2}]')
    parameters = {"datasets": [dataset("rows", file={"reading": "lenient"})], "outputs": [{"dataset": "rows"}]}
    folder.configure(cache={"folder": str(cache)}, **parameters)
    first, second = run(), run()
    assert first.done, first.err
    assert second.done, second.err
    assert "the same inputs, configuration and code" not in first.out
    assert "the same inputs, configuration and code" in second.out
    warning = "ignored duplicate column n"
    assert warning in first.out
    assert warning in second.out
    for path in cache.iterdir():
        path.write_bytes(b"damaged")
    folder.file("rows.json", b'[{"n": 1, "n": 2}]')
    third = run()
    assert third.done, third.err
    assert folder.rows("rows") == [("1",)]


def test_secrets_of_the_configuration_are_in_no_cached_file(folder, run, tmp_path):
    folder.file("rows.json", b'[{"n": 1}]')
    cache = tmp_path / "cache"
    folder.config(
        {
            "parameters": {
                "cache": {"folder": str(cache)},
                "datasets": [dataset("rows")],
                "outputs": [{"dataset": "rows"}],
            },
            "image_parameters": {"#token": "s3cr3t-value-xyz"},
        }
    )
    assert run().done
    assert list(cache.iterdir())
    assert b"s3cr3t-value-xyz" not in b"".join(path.read_bytes() for path in cache.iterdir())


def test_json_lines_are_read_line_by_line_and_a_wrong_one_is_named(folder, run, refused):
    folder.file("events.jsonl", b'{"n": 1, "t": "x"}\n{"n": 2}\n')
    folder.configure(datasets=[dataset("events")], outputs=[{"dataset": "events"}])
    assert run().done
    assert folder.records("events") == [{"n": "1", "t": "x"}, {"n": "2", "t": None}]
    folder.file("events.jsonl", b'{"n": 1}\n[2]\n')
    refused("source.format", "no JSON object", "row 2")


def test_what_was_mended_is_data_in_the_document_of_a_run(folder, run):
    folder.file("people.csv", b'name,name\nAnn,"x"y\n')
    file = {"reading": "lenient", "limits": "workbench"}
    folder.configure(datasets=[dataset("people", file=file)], outputs=[{"dataset": "people"}])
    outcome = run(as_json=True)
    assert outcome.done, outcome.err
    said = [entry for entry in json.loads(outcome.out)["log"] if "message" in entry]
    assert [(entry["level"], entry["input"], entry["message"]["id"]) for entry in said] == [
        ("warning", "people.csv", "csv.repaired_quotes"),
        ("warning", "people.csv", "util.colnames.warnings.numbered"),
    ]
    assert said[0]["message"] == {
        "id": "csv.repaired_quotes",
        "arguments": {"n_values": 1, "row_number": 2, "column_number": 2},
        "source": "cjwparse",
    }
    assert said[0]["text"].startswith("people.csv: ")


def test_limits_of_workbench_hold_for_what_is_read_and_written(folder, run, refused):
    long = "x" * 40_000
    folder.configure(
        tables=[{"name": "t", "csv": f"a\n{long}", "limits": "workbench", "reading": "lenient"}],
        datasets=[dataset("t")],
        outputs=[{"dataset": "t"}],
    )
    outcome = run()
    assert outcome.done, outcome.err
    assert [len(row["a"]) for row in folder.records("t")] == [32_768]
    output = {"dataset": "t", "as": "file", "format": "workbench"}
    folder.configure(tables=[{"name": "t", "csv": f"a\n{long}"}], datasets=[dataset("t")], outputs=[output])
    refused("workbench.limit", "32768")
    limits = {"workbench": {"limits": {"cell_bytes": 50_000}}}
    folder.configure(tables=[{"name": "t", "csv": f"a\n{long}"}], datasets=[dataset("t")], outputs=[output | limits])
    assert run().done


def test_an_httpfile_is_an_output_and_an_input_with_the_same_rows_and_bytes(folder, run):
    folder.table("t.csv", 'a,b\n1,"x,y"\n2,z\n')
    output = {"dataset": "t", "as": "file", "format": "httpfile", "httpfile": {"url": "http://x/t.csv"}}
    folder.configure(datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}]}], outputs=[output, {"dataset": "t"}])
    assert run().done
    first, rows = (folder.root / "out/files/t.httpfile").read_bytes(), folder.records("t")
    assert run().done
    assert (folder.root / "out/files/t.httpfile").read_bytes() == first
    folder.file("again.httpfile", first)
    folder.configure(datasets=[dataset("again")], outputs=[{"dataset": "again"}])
    assert run().done
    assert folder.records("again") == rows


def test_what_a_format_cannot_carry_is_said_once_per_column_and_by_check_where_types_decide_it(folder, run):
    moments = pa.array([0, None, 1], pa.timestamp("us", "UTC"))
    folder.file("a.arrow", arrow(pa.table({"at": moments, "x": [float("nan"), 1.0, None], "s": ["", None, "a"]})))
    folder.configure(
        datasets=[dataset("a")], outputs=[{"dataset": "a", "as": "file", "format": "csv", "name": "a.csv"}]
    )
    zone = "Output 'a.csv', column 'at': instants are written in UTC, without a zone"
    findings = [one for one in check_folder({}, folder.root).findings if one.code == "output.loss"]
    assert [(one.level.value, one.place, one.text) for one in findings] == [("warning", "out/files/a.csv", f"{zone}.")]
    outcome = run(as_json=True)
    assert outcome.code == 0, outcome.err
    said = json.loads(outcome.out)
    assert [(one["column"], one["kind"], one["cells"]) for one in said["outputs"][0]["losses"]] == [
        ("x", "not_finite", 1),
        ("at", "dropped_zone", 2),
    ]
    assert [one["text"] for one in said["log"] if one["level"] == "warning" and "column" in one["text"]] == [
        "Output 'a.csv', column 'x': NaN and infinities are written as text (1 cell).",
        f"{zone} (2 cells).",
    ]


def test_what_reading_changes_is_said_once_per_column_and_by_check(folder, run):
    moments = pa.array([0, None, 1000], pa.timestamp("us", "Europe/Berlin"))
    rows = pa.table({"at": moments, "ms": moments.cast(pa.timestamp("ms")), "i": pa.array([1, 2, None], pa.int32())})
    folder.file("a.arrow", arrow(rows))
    output = {"dataset": "a", "as": "file", "format": "parquet", "name": "a.parquet"}
    folder.configure(datasets=[dataset("a")], outputs=[output])
    text = "Input 'a.arrow', column 'ms': the type timestamp[ms] becomes timestamp[us]"
    findings = [one for one in check_folder({}, folder.root).findings if one.code.endswith(".loss")]
    assert [(one.level.value, one.place, one.text) for one in findings] == [("note", "in/files/a.arrow", f"{text}.")]
    outcome = run(as_json=True)
    assert outcome.code == 0, outcome.err
    said = json.loads(outcome.out)
    assert [(one["column"], one["kind"], one["cells"]) for one in said["datasets"][0]["losses"]] == [
        ("ms", "other_type", 2)
    ]
    back = pq.read_table(folder.root / "out/files/a.parquet")
    assert back.schema.remove_metadata().equals(rows.schema.set(1, pa.field("ms", pa.timestamp("us"))))
    assert back["at"].equals(rows["at"])


def test_rows_of_another_zone_that_join_a_dataset_are_counted_and_said_by_check(folder, run):
    moments = pa.array([0, None, 1000], pa.timestamp("us", "Europe/Berlin"))
    folder.file("a.arrow", arrow(pa.table({"at": moments})))
    output = {"dataset": "a", "as": "file", "format": "parquet", "name": "a.parquet"}
    folder.file_store(datasets=[dataset("a") | {"mode": "append"}], outputs=[output])
    assert run().code == 0
    folder.file("a.arrow", arrow(pa.table({"at": moments.cast(pa.timestamp("us", "Europe/Prague"))})))
    text = (
        "Input 'a.arrow', column 'at': instants of Europe/Prague join those of Europe/Berlin:"
        " all are kept in UTC, and neither zone is"
    )
    findings = [one for one in check_folder({}, folder.root).findings if one.code == "source.loss"]
    assert [(one.level.value, one.place, one.text) for one in findings] == [("warning", "in/files/a.arrow", f"{text}.")]
    outcome = run(as_json=True)
    assert outcome.code == 0, outcome.err
    said = json.loads(outcome.out)
    assert [one["text"] for one in said["log"] if "column" in one["text"]] == [f"{text} (2 cells)."]
    assert [(one["column"], one["kind"], one["cells"]) for one in said["datasets"][0]["losses"]] == [
        ("at", "dropped_zone", 2)
    ]
    assert pq.read_table(folder.root / "out/files/a.parquet")["at"].to_pylist() == [*moments.to_pylist()] * 2


def test_numbers_with_a_decimal_comma_are_found_and_the_dataset_remembers_how_they_are_written(folder, run):
    folder.file("a.csv", b"k;v\n1;1.234,56\n2;0,5\n")
    folder.file_store(
        datasets=[dataset("a", infer_types=True) | {"mode": "append"}], outputs=[{"dataset": "a", "slices": False}]
    )
    assert run().done
    folder.file("a.csv", b"k;v\n3;1,234\n")
    outcome = run()
    assert outcome.code == 1
    assert "1,234" in outcome.err  # two decimals are all that the column has
    folder.file("a.csv", b"k;v\n3;7,25\n4;1.000\n")
    assert run().done
    assert sorted(row["v"] for row in folder.records("a")) == ["0.5", "1000", "1234.56", "7.25"]
