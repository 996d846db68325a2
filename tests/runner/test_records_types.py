"""Issue 5: types, lengths and constraints of records schemas on their way through whole runs, and back."""

from __future__ import annotations

import json
import zipfile

import pytest

from scripts.write_records_types import FORWARD
from tests.records.making import make_directory
from tests.records.published import published

NATIVE = {"KBC_DATA_TYPE_SUPPORT": "authoritative"}
CELLS = {
    "integer": "1",
    "decimal": "1.5",
    "string": "ab",
    "boolean": "True",
    "date": "2001-02-03",
    "time": "04:05:06",
    "timetz": "04:05:06+01:00",
    "datetime": "2001-02-03 04:05:06",
    "datetimetz": "2001-02-03 04:05:06+00:00",
}


def written(folder, name="t.zip"):
    with zipfile.ZipFile(folder.root / "out/files" / name) as archive:
        schema = json.loads(archive.read("_schema.json"))
    published().validate(schema)
    return schema["fields"]


def directory(folder, fields, rows):
    schema = {
        "schema": "bltypes/v1",
        "fields": {name: {**field, "index": number} for number, (name, field) in enumerate(fields.items(), 1)},
        "known_representations": {},
    }
    text = "".join(",".join(row) + "\n" for row in rows).encode()
    return make_directory(folder.root / "in/files/t", {"data001.csv": text}, schema=schema)


@pytest.fixture
def through(folder, run):
    """Run a source to a table and a records directory; return the manifest's types and the fields written."""

    def run_through(source="t", **dataset):
        made = {"uuid": "t", "tables": [{"source": source}], **dataset}
        outputs = [{"dataset": "t"}, {"dataset": "t", "as": "file", "format": "records"}]
        folder.configure(datasets=[made], outputs=outputs)
        outcome = run(NATIVE)
        assert outcome.done, outcome.err
        schema = folder.manifest("t")["schema"]
        return {column["name"]: column for column in schema}, written(folder)

    return run_through


def test_every_type_of_records_becomes_its_type_in_storage_and_comes_back(folder, through):
    fields = {line.name: line.field for line in FORWARD}
    directory(folder, fields, [[CELLS[line.field["type"]] for line in FORWARD]])
    columns, back = through()
    for line in FORWARD:
        base = columns[line.name]["data_type"]["base"]
        length = f"({base['length']})" if "length" in base else ""
        assert base["type"] + length == line.keboola, line.name
        assert back[line.name]["type"] == line.field["type"]
        assert back[line.name]["constraints"] == line.field["constraints"], line.name


def test_what_must_be_there_must_be_there_afterwards_too(folder, through):
    fields = {
        "id": {"type": "integer", "constraints": {"required": True, "unique": True}},
        "s": {"type": "string", "constraints": {"required": True, "max_length_chars": 5}},
        "n": {"type": "integer", "constraints": {"required": False}},
    }
    directory(folder, fields, [["1", "a", "1"], ["2", "b", ""]])
    columns, back = through()
    assert [columns[name]["nullable"] for name in fields] == [False, False, True]
    assert {name: field["constraints"] for name, field in back.items()} == {
        name: field["constraints"] for name, field in fields.items()
    }


def test_lengths_of_storage_reach_the_schema(folder, through):
    types = {
        "s": {"type": "STRING", "length": "20"},
        "n": {"type": "NUMERIC", "length": "10,2"},
        "i": {"type": "INTEGER"},
        "d": {"type": "DATE"},
    }
    schema = [{"name": name, "data_type": {"base": base}, "nullable": name != "s"} for name, base in types.items()]
    folder.table("t.csv", "s,n,i,d\nab,1.50,7,2001-02-03\n", {"schema": schema, "has_header": True})
    _, back = through("t.csv")
    assert back["s"]["constraints"] == {"required": True, "max_length_chars": 20}
    assert back["n"]["constraints"] == {"required": False, "fixed_precision": 10, "fixed_scale": 2}
    assert (back["i"]["type"], back["d"]["type"]) == ("integer", "date")


def test_statistics_are_those_of_the_rows_of_all_files(folder, run):
    fields = {line.name: line.field for line in FORWARD}
    first = [CELLS[line.field["type"]] for line in FORWARD]
    nulls = ["" for _ in FORWARD]
    more = {"integer": "-2", "decimal": "-0.25", "string": "žluť"}
    second = [more.get(line.field["type"], CELLS[line.field["type"]]) for line in FORWARD]
    second = [
        value if line.field["constraints"].get("min") != "0" else "3"
        for line, value in zip(FORWARD, second, strict=True)
    ]
    directory(folder, fields, [first, nulls, second])
    output = {"dataset": "t", "as": "file", "format": "records", "records": {"files": 3}}
    folder.configure(datasets=[{"uuid": "t", "tables": [{"source": "t"}]}], outputs=[output])
    outcome = run()
    assert outcome.done, outcome.err
    found = {name: field.get("statistics") for name, field in written(folder).items()}
    rows = {"rows_sampled": 3, "total_rows": 3}
    assert found == {
        "integer": {**rows, "min": "-2", "max": "1"},
        "integer within 64 bits": {**rows, "min": "-2", "max": "1"},
        "integer beyond 64 bits": {**rows, "min": "1", "max": "3"},
        "integer beyond 38 digits": rows,
        "decimal": {**rows, "min": "-0.25", "max": "1.5"},
        "decimal, floating": {**rows, "min": "-0.25", "max": "1.5"},
        "decimal, fixed": {**rows, "min": "-0.25", "max": "1.50"},
        "decimal, fixed, beyond 38 digits": rows,
        "string": {**rows, "max_length_bytes": 6, "max_length_chars": 4},
        "string of at most n characters": {**rows, "max_length_bytes": 6, "max_length_chars": 4},
        "string of at most n bytes": {**rows, "max_length_bytes": 6, "max_length_chars": 4},
        **dict.fromkeys(("boolean", "date", "time", "timetz", "datetime", "datetimetz")),
    }


def test_constraints_that_rows_from_elsewhere_break_are_left_out(folder, run):
    fields = {
        "id": {"type": "integer", "constraints": {"required": True, "min": "0", "max": "18446744073709551615"}},
        "small": {"type": "integer", "constraints": {"required": True, "min": "0", "max": "9"}},
        "s": {"type": "string", "constraints": {"required": True, "max_length_chars": 2}},
    }
    directory(folder, fields, [["1", "1", "a"]])
    folder.table("u.csv", "id,small,s\n-1,10,abc\n2,,\n", {})
    output = {"dataset": "t", "as": "file", "format": "records"}
    columns = [{"name": "id", "type": "numeric", "length": "20,0"}, {"name": "small", "type": "integer"}]
    first = {"uuid": "t", "tables": [{"source": "t"}]}
    folder.file_store(datasets=[first])
    assert run().done
    second = {"uuid": "t", "mode": "append", "tables": [{"source": "u.csv", "columns": columns}]}
    folder.file_store(datasets=[second], outputs=[output])
    outcome = run()
    assert outcome.done, outcome.err
    found = {name: field["constraints"] for name, field in written(folder).items()}
    assert found == {"id": {"required": True}, "small": {"required": False}, "s": {"required": False}}
