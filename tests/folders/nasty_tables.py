"""The tables of the nasty folder, each with the reason why it is nasty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from tests.folders.nasty_layout import INPUT_BUCKET, Cell, Layout, NastyTable, SliceFile
from tests.folders.nasty_typed import typed_tables

HUGE_CELL_BYTES: Final = 20 * 1000 * 1000
WIDE_COLUMNS: Final = 500

SAMPLE: Final = (("1", "plain", None), ("2", 'say "hi", twice', ""), ("3", "two\nlines", "end"))
SAMPLE_COLUMNS: Final = ("id", "text", "rest")


def nasty_tables() -> Iterator[NastyTable]:
    """Yield every table of the nasty folder."""
    return chain(_enclosure(), _dialects(), _line_ends(), _shapes(), _names(), _manifests(), _sliced(), typed_tables())


def text_table(name: str, why: str, columns: Sequence[str], cells: Sequence[Sequence[Cell]], **more: Any) -> NastyTable:
    """Return a table whose columns are all strings: its values are its cells."""
    rows = tuple(tuple(row) for row in cells)
    return NastyTable(name, why, tuple(columns), rows, rows, ("string",) * len(columns), **more)


def sample(name: str, why: str, **more: Any) -> NastyTable:
    """Return a small table, for what is nasty in something else than its cells."""
    return text_table(name, why, SAMPLE_COLUMNS, SAMPLE, **more)


def _enclosure() -> Iterator[NastyTable]:
    hostile = ["a\nb", "a\r\nb", "a\rb", "\n", "\r\n\r\n", '"', '""', 'a"b', '"a"', '","', '\n"', '"\n"', ",", ",,"]
    hostile += ["\\", 'a\\"', "back\\slash", " lead", "trail ", "\t", " ", "'", "#comment", "=1+1", '"\r\n,"\r\n"']
    rows = [(str(number), cell, cell * 3) for number, cell in enumerate(hostile)]
    yield text_table("enclosed.csv", "line ends, enclosures and delimiters in cells", ("id", "cell", "thrice"), rows)
    repeated = [(f'{number}\n"id","cell"\n', f"x{number}", None) for number in range(200)]
    yield text_table("looks-like-records.csv", "cells whose lines look like records", SAMPLE_COLUMNS, repeated)


def _dialects() -> Iterator[NastyTable]:
    for name, delimiter in (("semicolon", ";"), ("tab", "\t"), ("pipe", "|")):
        rows = [*SAMPLE, ("4", f"with {delimiter} in it", "a,b"), ("5", delimiter, "a, b")]
        manifest = {"delimiter": delimiter}
        layout = Layout(delimiter=delimiter)
        why = "the delimiter is in the manifest"
        yield text_table(f"{name}.csv", why, SAMPLE_COLUMNS, rows, manifest=manifest, layout=layout)
    rows = [*SAMPLE, ("4", "it's", "''"), ("5", "'\n'", '"'), ("6", "a;b", None), ("7", '"open', "")]
    yield text_table(
        "apostrophe.csv",
        "enclosure and delimiter are in the manifest",
        SAMPLE_COLUMNS,
        rows,
        manifest={"delimiter": ";", "enclosure": "'"},
        layout=Layout(delimiter=";", enclosure="'"),
    )


def _line_ends() -> Iterator[NastyTable]:
    yield sample("bom.csv", "a byte order mark before the header", layout=Layout(bom=True))
    layout = Layout(bom=True, enclose_all=True)
    yield sample("bom-enclosed.csv", "a byte order mark before an enclosed header", layout=layout)
    yield sample("crlf.csv", "lines end with CR LF", layout=Layout(line_ends=("\r\n",)))
    yield sample("cr.csv", "lines end with CR", layout=Layout(line_ends=("\r",)))
    rows = [(str(number), "a\r\nb\rc\nd" if number % 3 else "e", None) for number in range(30)]
    yield text_table(
        "mixed-line-ends.csv",
        "lines end as they like",
        SAMPLE_COLUMNS,
        rows,
        layout=Layout(line_ends=("\n", "\r\n", "\r", "\r\n", "\n")),
    )
    layout = Layout(final_line_end=False)
    yield sample("no-final-line-end.csv", "the last line has no end", layout=layout)
    why = "the last cell is empty and its line has no end"
    yield text_table("ends-with-delimiter.csv", why, SAMPLE_COLUMNS, [*SAMPLE, ("4", "a", None)], layout=layout)


def _shapes() -> Iterator[NastyTable]:
    yield text_table("empty.csv", "a header and no rows", SAMPLE_COLUMNS, ())
    layout = Layout(final_line_end=False)
    yield text_table("header-only.csv", "a header without line end", SAMPLE_COLUMNS, (), layout=layout)
    one = [("a",), (None,), ("",), ("b",), (None,), (None,), ("",), ("c\n\nd",), (None,)]
    yield text_table("one-column.csv", "empty lines are rows with one empty cell", ("only",), one)
    yield text_table("all-null.csv", "only empty cells", SAMPLE_COLUMNS, [(None, None, None)] * 5)
    columns = [f"c{number:03d}" for number in range(WIDE_COLUMNS)]
    wide = [[_wide_cell(row, at) for at in range(WIDE_COLUMNS)] for row in range(40)]
    yield text_table("wide.csv", "500 columns", columns, wide)
    line = 'a line with ""doubled"", commas and ünïcode\n'.replace('""', '"')
    huge = (line * (HUGE_CELL_BYTES // len(line.encode()) + 1)).encode()[:HUGE_CELL_BYTES].decode(errors="ignore")
    rows = [("1", "before", None), ("2", huge, ""), ("3", "after", "end")]
    yield text_table("huge-cell.csv", "a cell of 20 MB", SAMPLE_COLUMNS, rows)


def _wide_cell(row: int, at: int) -> Cell:
    return (f"r{row}", None, "", f'"{at}"\n', str(row * at))[(row + at) % 5]


def _names() -> Iterator[NastyTable]:
    columns = ("naïve café", "🛩️ type", "e\u0301", "\u00e9 composed", "1 שם", "2 日本語", "ß", "Ǆ")
    cells = [
        "👩\u200d👩\u200d👧",
        "e\u0301",
        "\u00e9",
        "مرحبا",
        "\u202eabc\u202c",
        "\u2028",
        "\u2029",
        "\x85",
        "\ufeff",
    ]
    cells += ["a\ufeffb", "\U0010ffff", "\u00a0", "\u3000", "\x0b", "\x0c", "\x1c", "\x1a", "\x7f", "İi", "\ufffd"]
    rows = [[cell * (at + 1) for at in range(len(columns))] for cell in cells]
    yield text_table("žluťoučký kůň 🐎.csv", "unicode in table name, columns and cells", columns, rows)
    reserved = ("partition", "table", "indices", "row_group", "null", "True")
    rows = [[f"{name}{number}" for name in reserved] for number in range(3)]
    yield text_table("partition.csv", "columns named like things of the format and its clients", reserved, rows)
    hostile = ["two words", " padded ", 'with "quotes"', "comma, name", "new\nline", "a=b", "c/d", "..e", "100%", "%2F"]
    hostile += ["name", "NAMES", "f.g", "'h", "`i", "\\j", "$x", "*k"]  # Storage tells them apart, as it must
    rows = [[f"{number}/{at}" for at in range(len(hostile))] for number in range(3)]
    yield text_table("column-names.csv", "column names that need enclosure or escaping", hostile, rows)


def _manifests() -> Iterator[NastyTable]:
    yield sample("no-manifest.csv", "there is no manifest")
    yield sample("list-manifest.csv", "the manifest is [] where {} is meant", manifest=[])
    names = list(SAMPLE_COLUMNS)
    empty: dict[str, Any] = {"primary_key": [], "metadata": [], "column_metadata": [], "schema": []}
    as_input = {"id": f"{INPUT_BUCKET}.php", "name": "php", "columns": names, **empty}
    yield sample("php-arrays.csv", "[] for {} in an input manifest, whose table has a header", manifest=as_input)
    yield sample("headless.csv", "no header: columns are in the manifest", manifest={"columns": names}, header=False)
    manifest = {"columns": names, "has_header": True}
    yield sample("has-header.csv", "columns in the manifest and a header", manifest=manifest)
    yield sample(
        "unknown-keys.csv",
        "manifest keys of the past and of the future",
        manifest={**as_input, "rows_count": 3, "is_alias": False, "attributes": [], "from_2031": {"x": [None]}},
    )


def _sliced() -> Iterator[NastyTable]:
    rows = [(str(number), f'cell "{number}"\n', None if number % 4 else "") for number in range(60)]
    slices = (
        SliceFile("part_0", rows[:15], layout=Layout(line_ends=("\r\n",))),
        SliceFile("part_1.gz", rows[15:30], "gzip"),
        SliceFile("part_2", rows[30:40], "gzip", Layout(final_line_end=False)),
        SliceFile("part_3.csv", ()),
        SliceFile("part_4.csv.gz", rows[40:55], "gzip in two members"),
        SliceFile("part_5", rows[55:], layout=Layout(final_line_end=False)),
    )
    manifest = {"columns": list(SAMPLE_COLUMNS)}
    why = "plain and gzip slices, one of no bytes, one of two gzip members"
    yield text_table("mixed-slices.csv", why, SAMPLE_COLUMNS, rows, manifest=manifest, header=False, slices=slices)
    nothing = (SliceFile("part_0", ()), SliceFile("part_1.gz", (), "gzip"))
    why = "slices without a byte"
    yield text_table("empty-slices.csv", why, SAMPLE_COLUMNS, (), manifest=manifest, header=False, slices=nothing)
