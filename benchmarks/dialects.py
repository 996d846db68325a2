"""How many dialects are found: ours, DuckDB's sniff_csv and CleverCSV on the same files.

    .venv/bin/python benchmarks/dialects.py [--made 300]

The files are those of tests/formats/detect/corpus.py and those of packages that are installed here; `make bench` makes
an environment with both peers, and RESULTS.md names the packages whose files were looked up. A reading is right
when the cells of the table are those that were written; the header, lines before it and comments count for the column
`table`, not for `cells`. One that is not right is `refused` where the sniffer raises or the records that it gives have
different widths, which any strict reader refuses, `warned` where we name a doubt, else `silent`.
"""

from __future__ import annotations

import argparse
import collections
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from component.errors import Place, UserError
from component.formats.detect.cutting import Marks, cut
from component.formats.detect.dialect import TextDialect
from component.formats.detect.ranking import NOTHING, without_comments
from component.formats.detect.sample import sample_of
from component.formats.detect.verdict import after_lines, detect
from tests.formats.detect.corpus import by_hand, made, shipped

REAL = (
    ("astropy", "io/ascii/tests/data/*.tab", TextDialect("\t")),
    ("bokeh_sampledata", "_data/*.csv*", TextDialect()),
    ("country_converter", "*.tsv", TextDialect("\t")),
    ("lifelines", "datasets/*.csv", TextDialect()),
    ("matplotlib", "mpl-data/sample_data/Stocks.csv", TextDialect()),
    ("palmerpenguins", "data/*.csv", TextDialect()),
    ("plotly", "package_data/datasets/*.csv.gz", TextDialect()),
    ("sklearn", "datasets/data/linnerud_*.csv", TextDialect(" ")),
    ("sklearn", "datasets/data/iris.csv", TextDialect(skip_rows=1, header_rows=0)),
    ("sklearn", "datasets/data/breast_cancer.csv", TextDialect(skip_rows=1, header_rows=0)),
    ("statsmodels", "datasets/*/*.csv", TextDialect()),
    ("vega_datasets", "_data/*.csv", TextDialect()),
)
OTHERWISE = {
    "anes96.csv": TextDialect("\t", "'"),
    "spector.csv": TextDialect(" ", "'"),
    "modechoice.csv": TextDialect(";"),
    "anderson.csv": TextDialect(" "),
    "E6_jmulti.csv": TextDialect(" ", header_rows=0),
    "unemployment09.csv.gz": TextDialect(header_rows=0),
}


def real():
    """The files of packages whose dialects were looked up by eye."""
    for case in shipped(REAL):
        known = OTHERWISE.get(case.name.rpartition("/")[2])
        if known is None:
            yield case
        else:
            package, pattern, _ = next(one for one in REAL if case.name.startswith(one[0]) and ".csv" in one[1])
            yield from (one for one in shipped([(package, pattern, known)]) if one.name == case.name)


def rows_by(data, dialect, *, table):
    """The rows by a dialect; all records that have the table's width, or with `table` what follows the header."""
    text = data.decode(dialect.encoding, "replace").removeprefix("\ufeff")
    if table:
        text = after_lines(text, dialect.skip_rows)
        text = without_comments(text, dialect.comment) if dialect.comment else text
    records = cut(text, Marks(dialect.delimiter, dialect.enclosure, dialect.escape)).records
    return [tuple(cell.strip() for cell in row) for row in records[dialect.header_rows if table else 0 :]]


def same_cells(case, dialect):
    """Whether all rows of the table are among those that the marks of a dialect give."""
    rows = [tuple(cell.strip() for cell in row) for row in case.rows if row]
    found = collections.Counter(rows_by(case.data, dialect, table=False))
    return not collections.Counter(row for row in rows if any(row)) - found


def same_table(case, dialect):
    """Whether the rows after the header are exactly those that were written."""
    rows = [tuple(cell.strip() for cell in row) for row in case.rows]
    got = rows_by(case.data, dialect, table=True)
    return [row for row in rows if row != ("",)] == [row for row in got if row != ("",)]


def ours(path):
    """Our reading and its doubts."""
    found = detect(sample_of(path, Place()), NOTHING, Place())
    return found.dialect, bool(found.doubts)


def duck(path):
    """DuckDB's reading; it takes UTF-8 and UTF-16 with a mark."""
    import duckdb

    text = path.read_bytes()
    encoding = "utf-16" if text[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    asked = duckdb.execute("from sniff_csv(?, encoding=?)", [str(path), encoding])
    names = [one[0] for one in asked.description]
    of = dict(zip(names, asked.fetchall()[0], strict=True))
    mark = lambda word: "" if of[word] in (None, "(empty)", "\0") else of[word]  # noqa: E731
    ends = "utf-16" if encoding == "utf-16" else "utf-8"
    escape = "\\" if mark("Escape") == "\\" else None
    header = int(of["HasHeader"])
    delimiter, enclosure, comment = mark("Delimiter"), mark("Quote"), mark("Comment") or None
    return TextDialect(delimiter, enclosure, escape, ends, of["SkipRows"], comment, header), False


def clever(path):
    """CleverCSV's reading, of the text that chardet decodes; it knows no comments and no lines before the header."""
    import clevercsv

    encoding = sample_of(path, Place()).encoding
    text = path.read_bytes().decode(encoding, "replace").removeprefix("\ufeff")[:65_536]
    found = clevercsv.Detector().detect(text)
    if found is None:
        raise ValueError("no dialect")
    header = clevercsv.Detector().has_header(text) if text.count("\n") > 1 else True
    escape = found.escapechar or None
    return TextDialect(found.delimiter, found.quotechar, escape, encoding, header_rows=int(header)), False


def judged(case, path, sniff):
    """One word on a file for the cells and one for the table."""
    try:
        dialect, doubted = sniff(path)
    except UserError:
        return "refused", "refused"
    except Exception:  # noqa: BLE001 - whatever a sniffer raises, it refuses
        return "refused", "refused"
    try:
        cells, table = same_cells(case, dialect), same_table(case, dialect)
    except Exception:  # noqa: BLE001 - a dialect that nothing can be read by
        return "refused", "refused"
    widths = {len(row) for row in rows_by(case.data, dialect, table=True) if row != ("",)}
    wrong = "refused" if len(widths) > 1 else "warned" if doubted else "silent"
    return "right" if cells else wrong, "right" if table else wrong


def main():
    """Print a row for each sniffer and kind of file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--made", type=int, default=300)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    kinds = {"made": [made(seed) for seed in range(given.made)], "by hand": list(by_hand())}
    kinds["of packages"] = [*shipped(), *real()]
    print("| files | sniffer | cells right | table right | refused | warned | silent | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, cases in kinds.items():
        for name, sniff in (("tablemill", ours), ("duckdb", duck), ("clevercsv", clever)):
            began, cells, table = time.process_time(), collections.Counter(), collections.Counter()
            for case in cases:
                with tempfile.NamedTemporaryFile(suffix=".csv") as file:
                    Path(file.name).write_bytes(case.data)
                    one, other = judged(case, Path(file.name), sniff)
                    cells[one] += 1
                    table[other] += 1
            spent = time.process_time() - began
            rest = " | ".join(str(table[word]) for word in ("refused", "warned", "silent"))
            print(
                f"| {len(cases)} {kind} | {name} | {cells['right']} | {table['right']} | {rest} | {spent:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
