"""Whole runs beside the real client: what it writes becomes our tables, what our runs write it reads."""

from __future__ import annotations

import datetime as dt
import itertools
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from component.records.hint_values import VARIANTS
from tests.records_client.test_reading import HINTS, TYPES, row, texts_of
from tests.runner.conftest import folder, refused, run, scratch

__all__ = ["folder", "refused", "run", "scratch"]
pytestmark = [pytest.mark.records, pytest.mark.spark]
ISO = {
    "dateformat": "YYYY-MM-DD",
    "datetimeformat": "YYYY-MM-DD HH24:MI:SS",
    "datetimeformattz": "YYYY-MM-DD HH24:MI:SSOF",
}
COMPRESSIONS = ["GZIP", "BZIP", None]
QUOTINGS = {
    "all-dq": {"quoting": "all"},
    "all-esc": {"quoting": "all", "doublequote": False, "escape": "\\"},
    "minimal-esc": {"doublequote": False, "escape": "\\"},
    "minimal-dq-esc": {"escape": "\\"},
    "nonnumeric": {"quoting": "nonnumeric"},
    "pipe-latin1": {"field-delimiter": "|", "encoding": "LATIN1"},
    "single": {"quotechar": "'"},
    "no-header": {"header-row": False},
}


def meant(rows, hints):
    """The rows as our table has them, in text; see `test_reading.meant`."""
    seconds = "SS" in hints["datetimeformat"]
    found = []
    for *before, day, time, at, instant, last in rows:
        hours = 0 if "OF" in hints["datetimeformattz"] else 4
        local = instant.replace(tzinfo=None) - dt.timedelta(hours=hours)
        moments = [one if seconds else one.replace(second=0, microsecond=0) for one in (at, local)]
        found.append((*before, day, time.isoformat(), *moments, last))
    return found


def test_directories_of_the_client_in_all_variants_become_tables(client, folder, run):
    written = {}
    for number, (variant, hints) in enumerate([*((variant, {}) for variant in VARIANTS), *HINTS]):
        dates = {"datetimeformattz": "YYYY-MM-DD HH:MI:SS"} if hints.get("quoting") == "all" else {}
        rows = [row(at, text) for at, text in enumerate(texts_of(variant))]
        name = f"t{number}"
        client.write(folder.root / "in/files" / name, variant, {**hints, **dates}, TYPES, rows)
        format_ = json.loads((folder.root / "in/files" / name / "_format_delimited").read_text())
        written[name] = meant(rows, format_["hints"])
    outputs = [{"dataset": name, "as": "file", "format": "parquet", "name": f"{name}.parquet"} for name in written]
    datasets = [{"uuid": name, "tables": [{"source": name}]} for name in written]
    folder.configure(datasets=datasets, outputs=outputs)
    outcome = run()
    assert outcome.done, outcome.err
    for name, rows in written.items():
        found = pq.read_table(folder.root / "out/files" / f"{name}.parquet")
        assert [plain(one) for one in found.to_pylist()] == rows, name


def plain(record):
    """A row of Parquet: times as text, instants without zone."""
    values = list(record.values())
    values[5] = values[5].isoformat()
    values[7] = values[7].replace(tzinfo=None)
    return tuple(values)


NASTY = ["plain", 'say "hi"', " pad ", "ä, é", "tab\t|;'", "a\\b", "\\N", "two\nlines", "cr\rlf\r\n", '"', None]
FEW = ["plain", 'say "hi"', " pad ", "ä é", "tab\t|;'", "a\\b", "\\N", '"', None]


def source_table(texts):
    """Rows whose loss by pandas is known: texts that are no word for null, floats of few digits, no null integers."""
    count = len(texts)
    moments = [dt.datetime(2001, 2, 3, 4, 5, number, 678900) for number in range(count)]  # noqa: DTZ001
    return pa.table(
        {
            "id": pa.array(range(1, count + 1), pa.int64()),
            "share": pa.array([number / 8 if number % 3 else None for number in range(count)]),
            "name": pa.array(texts),
            "sold": pa.array([number % 2 == 0 for number in range(count)]),
            "day": pa.array([dt.date(1969 + number * 9, 2, 3) for number in range(count)]),
            "time": pa.array([dt.time(4, 5, number) for number in range(count)], pa.time64("us")),
            "at": pa.array(moments, pa.timestamp("us")),
            "instant": pa.array(moments, pa.timestamp("us", "UTC")),
            "last": pa.array(["end"] * count),
        }
    )


def wanted():
    """Directories to be written: every variant in every compression, and every kind of quoting."""
    for variant, compression in itertools.product(VARIANTS, COMPRESSIONS):
        yield f"{variant}-{compression}", variant, {**ISO, "compression": compression}
    for name, hints in QUOTINGS.items():
        yield name, "bigquery", {**ISO, **hints}


def read_text(text, variant, compression):
    """What the client makes of a text: without compression it takes CR and CRLF for LF (reference records 2.4)."""
    if text is None or compression is not None:
        return text
    together = text if variant == "bluelabs" else text.replace("\r\n", "\n")  # there an escape stands between them
    return together.replace("\r", "\n")


def test_directories_of_our_runs_are_read_by_the_client(client, folder, run, tmp_path):
    for name, texts in {"all": NASTY, "few": FEW}.items():
        sink = pa.BufferOutputStream()
        pq.write_table(source_table(texts), sink)
        folder.file(f"{name}.parquet", sink.getvalue().to_pybytes())
    outputs = [
        {
            "dataset": "few" if variant == "dumb" else "all",
            "as": "file",
            "format": "records",
            "name": f"{name}.zip",
            "records": {"variant": variant, "hints": hints, "url": (tmp_path / name).as_uri(), "files": 1},
        }
        for name, variant, hints in wanted()
    ]
    datasets = [{"uuid": name, "tables": [{"source": f"{name}.parquet"}]} for name in ("all", "few")]
    folder.configure(datasets=datasets, outputs=outputs)
    outcome = run()
    assert outcome.done, outcome.err
    for name, variant, hints in wanted():
        names, rows = client.read(tmp_path / name)
        texts = FEW if variant == "dumb" else NASTY
        source = source_table(texts)
        # Without a header the client calls columns by number, though it has the schema (reference records 1.2).
        assert names in (source.column_names, [str(number) for number in range(9)])
        for found, one in zip(rows, source.to_pylist(), strict=True):
            expected = {**one, "name": read_text(one["name"], variant, hints.get("compression", "GZIP"))}
            assert seen(found) == [expected[column] for column in expected if column != "time"], (name, found)


def seen(found):
    """The client's row without the time, which it reads as a moment of today; days as dates."""
    values = list(found)
    day = values[4].date() if isinstance(values[4], dt.datetime) else values[4]
    return [*values[:4], day, *values[6:]]
