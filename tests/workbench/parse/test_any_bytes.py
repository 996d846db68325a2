"""Whatever bytes there are: a table, or an error that says what is wrong; text is a table in any lenient reading."""

import bz2
import gzip
import io
import zipfile

import openpyxl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.workbench.conversion.to_tablemill import to_tablemill
from component.workbench.files.http_file import HttpFile, write_http_file
from component.workbench.parse import columns_of_text, content, text
from component.workbench.parse.any_file import TYPED, parse_recognised, recognise
from component.workbench.parse.options import NO_LIMITS, FileLimits, Numbers, ParseOptions
from component.workbench.rules.limits import TableSizes
from component.workbench.rules.reading import ReadingMode

PLACE = Place(table="t")
CSV = b'a,b\n"1",2\n"x""y",\xc5\xbe\n'
NAMES = ["x.csv", "x.tsv", "x.txt", "x.json", "x.jsonl", "x.xlsx", "x.xls", "x", "x.httpfile"]
TEXTS = NAMES[:3]
LIMITS = [NO_LIMITS, FileLimits(TableSizes(2, 2, 3, 12), csv_bytes=20, text_bytes=10)]
ENCODINGS = [None, None, "utf-8", "utf-16", "latin-1", "shift_jis", "utf-7", "iso2022_jp", "gb18030", "ascii"]


def zipped():
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("a.csv", CSV)
    return sink.getvalue()


def book():
    workbook, sink = openpyxl.Workbook(), io.BytesIO()
    workbook.active.append(["a", 1])
    workbook.save(sink)
    return sink.getvalue()


PLAIN = [
    CSV,
    b'[{"a":1,"b":"x"},{"a":2.5,"c":[{"d":null}]}]',
    b'{"a":1}\n{"a":"\\ud83d\\ude00"}',
    "ž;b".encode("cp1250"),
]
PACKED = [gzip.compress(CSV, mtime=0), bz2.compress(CSV), zstandard.compress(CSV), zipped(), book()]
FETCHED = write_http_file(HttpFile({"url": "http://x/a.csv"}, "200 OK", (("Content-Type", "text/csv"),), CSV))
CHANGES = st.lists(
    st.tuples(st.integers(0, 6000), st.sampled_from([b"", *map(bytes, zip(b'",;\n\r{}[]:\0\xff1e'))])), max_size=3
)


@st.composite
def files(draw):
    data = draw(st.sampled_from([*PLAIN, *PACKED, FETCHED]) | st.binary(max_size=40))
    for place, put in draw(CHANGES):
        at = place % (len(data) + 1)
        data = data[:at] + put + data[at + draw(st.integers(0, 1)) :]
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


@st.composite
def options(draw, reading):
    return ParseOptions(
        reading,
        draw(st.sampled_from(ENCODINGS)),
        draw(st.sampled_from([None, ",", ";"])),
        draw(st.booleans()),
        draw(st.sampled_from(Numbers)),
        limits=draw(st.sampled_from(LIMITS)),
    )


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(ReadingMode), files(), st.sampled_from(NAMES))
def test_bytes_are_a_table_or_an_error_of_the_user(data, reading, found, name):
    chosen = data.draw(options(reading))
    with pytest.MonkeyPatch.context() as patched:
        for room, limit in ((content, "IN_MEMORY"), (columns_of_text, "IN_MEMORY"), (text, "_SEEN")):
            patched.setattr(room, limit, 20)
        try:
            file = recognise(found, name, chosen, PLACE)
            if file.kind not in TYPED:
                table = parse_recognised(file, PLACE).table
                table.rows.validate(full=True)
                to_tablemill(table, reading)
        except UserError as error:
            assert error.code in {  # noqa: PT017 - there need not be one
                *("gzip.truncated", "workbench.http_file", "workbench.limit", "source.format"),
                *(
                    ()
                    if reading is ReadingMode.LENIENT
                    else (
                        "csv.encoding",
                        "csv.after_quote",
                        "csv.nul",
                        "csv.quote_in_cell",
                        "csv.unclosed_quote",
                        "row.cells",
                    )
                ),
                *(() if reading is ReadingMode.LENIENT else ("column.duplicate", "workbench.loss")),
            }


@settings(max_examples=150, deadline=None)
@given(st.data(), st.binary(max_size=60), st.sampled_from(TEXTS))
def test_a_lenient_reading_of_text_never_fails(data, found, name):
    chosen = data.draw(options(ReadingMode.LENIENT))
    file = recognise(b"a" + found, name, chosen, PLACE)
    assert parse_recognised(file, PLACE).table.columns
