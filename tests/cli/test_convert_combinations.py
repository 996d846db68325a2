"""Every combination of --reading, --numbers, --encoding and --no-header on the command line, up to what a run reads.

Only the plan is made, which reads files of these kinds whole; Spark would add nothing but time.
"""

import io
import itertools
import json

import click.testing
import openpyxl
import pytest
import typer.main

from component.cli.main import app
from component.config.parameters import LimitsConfig
from component.folder.layout import DataFolder
from component.plan.asked import asked_of
from component.plan.build import plan_limits
from component.plan.sources import find_sources
from component.plan.splits import reader_of, splits_of

WAYS = [None, "strict", "lenient"]
NUMBERS = [None, "text", "exact", "workbench"]
ENCODINGS = [None, "utf-8", "cp1250"]
HEADERS = [True, False]
NAMES = ["jméno", "n"]
CELLS = [["Žofie", "1"], ["Jan", "02"]]
TEXT = "".join(f"{';'.join(row)}\n" for row in [NAMES, *CELLS])
JSON = json.dumps([dict(zip(NAMES, row, strict=True)) for row in CELLS], ensure_ascii=False)
COMMAND = typer.main.get_command(app)


def workbook():
    book = openpyxl.Workbook()
    for row in [NAMES, ["Žofie", 1], ["Jan", 2.5]]:
        book.active.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


FILES = {"txt": TEXT.encode("cp1250"), "json": JSON.encode("cp1250"), "xlsx": workbook()}


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Give what a command line reads: names and rows and the warnings about them, or the code and text of an error."""
    seen = {}

    def plan_only(environment, config, log, _progress, **_start):
        asked = asked_of(config, tmp_path_factory.mktemp("scratch"), log.info)
        (source,), warnings = find_sources(DataFolder(environment.data_dir), asked)
        seen["found"] = rows_of(source), {text.partition(": ")[2] or text for text in warnings}
        raise KeyboardInterrupt  # there is no summary to print

    def carry_out(path, way, numbers, encoding, header):
        seen.clear()
        options = {"--reading": way, "--numbers": numbers, "--encoding": encoding}
        words = [word for name, value in options.items() if value for word in (name, value)]
        line = ["convert", str(path), str(path.with_name("out.csv")), *words, *([] if header else ["--no-header"])]
        result = click.testing.CliRunner().invoke(COMMAND, [*line, "--format", "json"])
        if "found" in seen:
            return seen["found"]
        assert result.exit_code == 1, result.output
        error = json.loads(result.stdout)["error"]
        return error["code"], error["text"]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("component.convert.convert.run", plan_only)
        yield carry_out


def rows_of(source):
    """Return names and rows as tasks read them."""
    reader = reader_of(source, source.schema, reject=False)
    splits = splits_of(source, plan_limits(LimitsConfig()), 2)
    tables = [parsed.rows for split in splits for parsed in reader.read(split)]
    return [list(source.schema.names), *(list(row.values()) for table in tables for row in table.to_pylist())]


NOTHING_SAYS = (
    "Nothing says how the text is delimited (table 't.txt')."
    ' Give "delimiter"; leave out reading and numbers, and it is found out; or set reading to lenient.'
)
NO_DELIMITER = ("source.format", NOTHING_SAYS)
DELIMITER = 'The delimiter “;” is what the text looks like, no more; say it with "delimiter" if columns are wrong'
ENCODING = 'The encoding cp1250 is what the bytes look like, no more; say it with "encoding" if letters are wrong'
KEPT = "Kept column “n” as text: as numbers some of its values would change"


IN_A_CELL = (
    "The cell is not valid UTF-8 (table 't.txt', row 1, column 'column_1', value 'jm�no', byte 2)."
    " Save the file as UTF-8, name its encoding, or set on_bad_row to reject."
)


def aside(kind, **options):
    return {
        f"{name} was left aside: it says nothing of a file of kind {kind}" for name, given in options.items() if given
    }


def not_utf8(kind, byte, *, remedy):
    return "csv.encoding", f"Byte 0xe9 is not valid utf-8 (table 't.{kind}', byte {byte}). {remedy}"


def replaced(byte):
    return f"Encoding error: byte 0xE9 is invalid utf-8 at position {byte}. We replaced invalid bytes with “�”."


def decoded(rows, encoding, way):
    """Return rows as an encoding makes them of the bytes; None where strict reading refuses them."""
    if encoding == "cp1250" or (encoding is None and way == "lenient"):
        return rows  # what the bytes look like is right here
    replaced_rows = [[cell.replace("Ž", "�").replace("é", "�") for cell in row] for row in rows]
    return replaced_rows if way == "lenient" else None


def expected_of_text(way, numbers, encoding, header):
    rows = decoded([NAMES, *CELLS], encoding, way)
    if way is None and numbers is None:  # found out, and read as CSV
        if encoding == "utf-8":
            in_names = not_utf8("txt", 2, remedy="Name the encoding of the file, or save it as UTF-8.")
            return in_names if header else ("csv.encoding", IN_A_CELL)
        guess = set() if encoding else {'The encoding cp1252 is a guess; say it with "encoding" if letters are wrong.'}
        return [*([] if header else [["column_1", "column_2"]]), NAMES, *CELLS], guess
    if way != "lenient":
        return NO_DELIMITER
    said = {DELIMITER, *({None: [ENCODING], "utf-8": [replaced(2)]}.get(encoding, ()))}
    if not header:
        return [["Column 1", "Column 2"], *rows], said
    as_number = int if numbers == "workbench" else str
    return [rows[0], *([name, as_number(cell)] for name, cell in rows[1:])], said | (
        {KEPT} if numbers == "exact" else set()
    )


def expected_of_json(way, numbers, encoding, header):
    rows = decoded([NAMES, *CELLS], encoding, way)
    if rows is None:
        remedy = "Say the encoding of the file, save it as UTF-8, or set reading to lenient."
        return not_utf8("json", 5, remedy=remedy)
    said = aside("json", has_header=not header, numbers=numbers not in {None, "text"})
    if way == "lenient":
        said |= {*({None: [ENCODING], "utf-8": [replaced(5)]}.get(encoding, ()))}
    return rows, said


def expected_of_workbook(_way, numbers, encoding, header):
    said = aside("xlsx", encoding=encoding is not None, numbers=numbers not in {None, "text"})
    if header:
        return [NAMES, ["Žofie", 1.0], ["Jan", 2.5]], said
    return [["A", "B"], NAMES, ["Žofie", "1"], ["Jan", "2.5"]], said


EXPECTED = {"txt": expected_of_text, "json": expected_of_json, "xlsx": expected_of_workbook}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", FILES)
def test_every_combination_counts_is_told_or_refused(read, tmp_path, kind, way):
    path = tmp_path / f"t.{kind}"
    path.write_bytes(FILES[kind])
    combinations = list(itertools.product(NUMBERS, ENCODINGS, HEADERS))
    found = {one: read(path, way, *one) for one in combinations}
    assert found == {one: EXPECTED[kind](way, *one) for one in combinations}
