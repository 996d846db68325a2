"""What Workbench's own parsers were seen to do, input by input."""

import base64
import json
from pathlib import Path

import pytest

from component.errors import Place, UserError
from component.workbench.files.http_file import read_http_file
from component.workbench.parse.delimited import parse_delimited
from component.workbench.parse.json_table import parse_json
from component.workbench.parse.options import FileLimits, Numbers, ParseOptions
from component.workbench.rules.limits import TableSizes
from component.workbench.rules.reading import ReadingMode

CASES = json.loads((Path(__file__).parents[2] / "data/workbench/cases.json").read_text(encoding="utf-8"))
PLACE = Place(table="case")


def of_kind(kind):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def shown(rows):
    return [{"name": f.name, "type": str(f.type), "values": rows[f.name].to_pylist()} for f in rows.schema]


@pytest.mark.parametrize("case", of_kind("csv"))
def test_delimited_text(case):
    said = case["options"]
    table = TableSizes(
        said.get("MAX_ROWS_PER_TABLE"),
        said.get("MAX_COLUMNS_PER_TABLE"),
        said.get("MAX_BYTES_PER_VALUE"),
        said.get("MAX_BYTES_PER_COLUMN_NAME", 120),
    )
    options = ParseOptions(
        ReadingMode.LENIENT,
        said["encoding"],
        said["delimiter"],
        said["has_header"],
        Numbers.WORKBENCH if said["numbers"] else Numbers.TEXT,
        limits=FileLimits(table, said.get("MAX_CSV_BYTES")),
    )
    parsed = parse_delimited(base64.b64decode(case["input_b64"]), options, PLACE)
    messages = [[message.id, dict(message.arguments)] for message in parsed.messages]
    assert {"columns": shown(parsed.table.rows), "warnings": messages} == case["expect"]


@pytest.mark.parametrize("case", of_kind("json"))
def test_json(case):
    said = case["options"]
    table = TableSizes(said.get("max_rows"), said.get("max_columns"), said.get("max_bytes_per_value"), 120)
    limits = FileLimits(table, text_bytes=said.get("max_bytes_total"))
    options = ParseOptions(ReadingMode.LENIENT, limits=limits)
    parsed = parse_json(base64.b64decode(case["input_b64"]), options, PLACE)
    texts = [message.arguments["text"] for message in parsed.messages]
    assert {"columns": shown(parsed.table.rows), "warnings": texts} == case["expect"]


@pytest.mark.parametrize("case", [param for param in of_kind("httpfile") if "error" not in param.values[0]["expect"]])
def test_an_httpfile(case):
    file = read_http_file(base64.b64decode(case["input_b64"]), PLACE)
    assert {
        "parameters": file.parameters,
        "status": file.status,
        "headers": [list(header) for header in file.headers],
        "body_b64": base64.b64encode(file.body).decode(),
    } == case["expect"]


@pytest.mark.parametrize("case", [param for param in of_kind("httpfile") if "error" in param.values[0]["expect"]])
def test_a_broken_httpfile(case):
    with pytest.raises(UserError) as caught:
        read_http_file(base64.b64decode(case["input_b64"]), PLACE)
    assert caught.value.code == "workbench.http_file"
