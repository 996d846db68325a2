"""Options of a file that is parsed whole, in every combination: each counts, is said to be left aside, or refused."""

import io
import json

import openpyxl
import pyarrow as pa
import pytest

from component.config.reading import FileReading, TextOptions
from component.errors import Place, UserError
from component.plan.asked import Asked
from component.plan.parsed_sources import file_source
from component.plan.text_options import beside_types

TEXT = "jméno;n\nŽofie;1\nJan;2\n"
ROWS = [{"jméno": "Žofie", "n": "1"}, {"jméno": "Jan", "n": "2"}]
BARE = [{"Column 1": "jméno", "Column 2": "n"}, *({"Column 1": one["jméno"], "Column 2": one["n"]} for one in ROWS)]
NUMBERS = [{**one, "n": int(one["n"])} for one in ROWS]


def workbook():
    book = openpyxl.Workbook()
    for row in (["name", "n"], ["x", 1], ["y", 2.5]):
        book.active.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


FILES = {
    "t.txt": TEXT.encode(),
    "t.cp1250.txt": TEXT.encode("cp1250"),
    "t.json": json.dumps([{"a": 1, "b": "x"}]).encode(),
    "t.xlsx": workbook(),
}


def read(tmp_path, name, data, text, **file):
    path = tmp_path / name
    path.write_bytes(data)
    asked = Asked(options={"t": TextOptions(**text)}, files={"t": FileReading(**file)}, scratch=tmp_path)
    source, said = file_source(path, name, "t", ("t",), asked)
    rows = pa.ipc.open_file(source.slices[0].location).read_all().to_pylist()
    return rows, [line.partition(": ")[2] for line in said]


def aside(*options, kind):
    return [f"{one} was left aside: it says nothing of a file of kind {kind}" for one in options]


@pytest.mark.parametrize("way", ["strict", "lenient"])
@pytest.mark.parametrize("numbers", ["text", "exact", "workbench"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("encoding", [None, "in file", "in table"])
def test_options_of_text_count_in_every_combination(tmp_path, way, numbers, header, encoding):
    name = "t.txt" if encoding is None else "t.cp1250.txt"
    said = {"delimiter": ";", **({"encoding": "cp1250"} if encoding == "in table" else {})}
    inside = {"encoding": "cp1250"} if encoding == "in file" else {}
    file = {"reading": way, "numbers": numbers, **inside}
    rows, warnings = read(tmp_path, name, FILES[name], said | ({} if header else {"header_rows": 0}), **file)
    expected = BARE if not header else ROWS if numbers == "text" else NUMBERS
    assert rows == expected
    assert warnings == []
    if not header:
        assert read(tmp_path, name, FILES[name], said, **file, has_header=False) == (rows, warnings)


@pytest.mark.parametrize("way", ["strict", "lenient"])
@pytest.mark.parametrize("numbers", ["text", "exact", "workbench"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("encoding", [None, "utf-8"])
@pytest.mark.parametrize("delimiter", [None, ";"])
@pytest.mark.parametrize("kind", ["json", "xlsx"])
def test_options_that_say_nothing_of_a_file_are_named(tmp_path, kind, delimiter, encoding, header, numbers, way):
    given = {
        "delimiter": delimiter is not None,
        "encoding": encoding is not None and kind == "xlsx",
        "has_header": not header and kind == "json",
        "numbers": numbers != "text",
    }
    file = {"reading": way, "numbers": numbers, "encoding": encoding, "has_header": header}
    rows, warnings = read(tmp_path, f"t.{kind}", FILES[f"t.{kind}"], {"delimiter": delimiter}, **file)
    assert warnings == aside(*(name for name, there in given.items() if there), kind=kind)
    cells = [list(row.values()) for row in rows]
    if kind == "json":
        assert cells == [[1, "x"]]
    else:
        assert cells == ([["x", 1.0], ["y", 2.5]] if header else [["name", "n"], ["x", "1"], ["y", "2.5"]])


@pytest.mark.parametrize("name", ["t.txt", "t.json", "t.xlsx"])
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("delimiter", "||"),
        ("enclosure", "'"),
        ("enclosure", "none"),
        ("escape", "\\"),
        ("skip_rows", 1),
        ("comment", "#"),
        ("header_rows", 2),
        ("names", ("a", "b")),
        ("null_values", ("NA",)),
    ],
)
def test_options_that_no_parser_of_whole_files_has_are_refused(tmp_path, name, option, value):
    with pytest.raises(UserError, match=f'"{option}" cannot be used for a file that is parsed whole') as caught:
        read(tmp_path, name, FILES[name], {option: value}, reading="lenient")
    assert caught.value.code == "config.value"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("repaired", ["", '"6"7'])
def test_rows_that_are_filled_up_and_lines_that_are_left_out_are_counted(tmp_path, end, repaired):
    lines = ["", "a,b,c", "1,2,3", "", "", "4,5", repaired or "6,7", "8,9,0", ""]
    rows, said = read(tmp_path, "t.csv", end.join([*lines, ""]).encode(), {}, reading="lenient")
    assert len(rows) == 4
    assert said[-2:] == ["Filled up 2 rows with empty cells to 3 columns", "Left out 4 empty lines"]
    assert len(said) == (3 if repaired else 2)


CHANGING = [
    *({"skip_rows": 1}, {"comment": "#"}, {"header_rows": 0}, {"names": ("a",)}, {"null_values": ("NA",)}),
    *({"decimal": ","}, {"thousands": ","}),
]
HARMLESS = [{"delimiter": ";"}, {"enclosure": "none"}, {"escape": "\\"}, {"encoding": "utf-16"}, {"quotes": "lenient"}]


@pytest.mark.parametrize("said", CHANGING, ids=["".join(one) for one in CHANGING])
def test_options_that_would_change_rows_are_refused_for_a_source_that_says_its_types(said):
    with pytest.raises(UserError, match=f'"{next(iter(said))}" can be used for text only, and the source is parquet'):
        beside_types("parquet", TextOptions(**said), Place(table="t.parquet"))


@pytest.mark.parametrize("said", HARMLESS, ids=["".join(one) for one in HARMLESS])
def test_other_options_of_text_are_warned_of_for_a_source_that_says_its_types(said):
    warnings = beside_types("parquet", TextOptions(**said), Place(table="t.parquet"))
    assert warnings == (f't.parquet: "{next(iter(said))}" says nothing of a source that is parquet.',)


def test_every_option_of_text_is_refused_or_warned_of_for_a_source_that_says_its_types():
    assert {name for one in (*CHANGING, *HARMLESS) for name in one} == set(TextOptions.model_fields)
    assert beside_types("parquet", TextOptions(), Place(table="t.parquet")) == ()
