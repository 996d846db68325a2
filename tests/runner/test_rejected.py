"""Issue 2, point 12: with `on_bad_row: reject` bad rows go aside with number and reason, and the rest goes through."""

import gzip

import pytest

from component.formats.rows import REASONS
from tests.runner.data_folder import csv_text

COLUMNS = ["slice", "row", "column", "value", "reason", "record"]
MISFIT = "The cell does not fit the type integer"


def configure(folder, columns=None, *, limits=None, **facts):
    dataset = {"uuid": "t", "tables": [{"source": "t.csv", "columns": columns or {"n": "integer"}}], **facts}
    settings = {"datasets": [{**dataset, "on_bad_row": "reject"}], "outputs": [{"dataset": "t"}]}
    folder.configure(**settings, **({"limits": limits} if limits else {}))


def rejected(folder):
    return sorted((tuple(row.values()) for row in folder.records("t.rejected")), key=lambda row: (row[0], int(row[1])))


def test_bad_rows_go_aside_with_place_reason_and_text(folder, run):
    configure(folder)
    folder.table("t.csv", 'id,n\n1,1\n2,x\n3\n4,4,4\n5,"a ""b"", c"\n6,\n7,7\n')
    assert run().done
    assert folder.columns("t.rejected") == COLUMNS
    assert rejected(folder) == [
        ("t.csv", "2", "n", "x", MISFIT, "2,x"),
        ("t.csv", "3", None, None, "The row has 1 cells where 2 are expected", "3"),
        ("t.csv", "4", None, None, "The row has 3 cells where 2 are expected", "4,4,4"),
        ("t.csv", "5", "n", 'a "b", c', MISFIT, '5,"a ""b"", c"'),
    ]
    assert sorted(folder.rows("t")) == [("1", "1"), ("6", None), ("7", "7")]


def test_the_table_of_rejected_rows_has_a_destination_and_is_in_the_summary(folder, run):
    configure(folder)
    folder.table("t.csv", "id,n\n1,x\n2,2\n")
    outcome = run()
    assert folder.manifest("t.rejected")["destination"] == "out.c-tablemill.t_rejected"
    assert "2 rows in, 1 written, 1 rejected" in outcome.out
    (part,) = (folder.root / "out" / "tables" / "t.rejected").iterdir()
    assert f"output t.rejected: 1 row, 1 slice, {part.stat().st_size} B;" in outcome.out
    assert "to out.c-tablemill.t_rejected (manifest)" in outcome.out


def test_bad_rows_of_a_text_of_any_dialect_go_aside_as_they_stand_in_the_file(folder, run):
    options = {"delimiter": "||", "enclosure": '"', "escape": "\\", "encoding": "cp1252", "comment": "#"}
    options |= {"skip_rows": 1, "null_values": ["NA"], "columns": {"n": "integer"}}
    dataset = {"uuid": "t", "tables": [{"source": "t.txt", **options}], "on_bad_row": "reject"}
    folder.configure(datasets=[dataset], outputs=[{"dataset": "t"}], limits={"split_bytes": 20, "block_bytes": 10})
    lines = [
        "an export",
        "id||n",
        *['"a\\"||b"||1', r"5\" pipe||NA"],
        *['6" pipe||2', '# a comment with a "', '"x"y||3', "NA||many"],
        *['"two', '# lines, caf\xe9"||4', "d||5||6", "e\\|||\0"],
        *["f||7", '"\\"||8', "g||9"],
    ]
    folder.file("t.txt", "\n".join(lines).encode("cp1252") + b"\n\x81||1")
    assert run().done
    assert sorted(folder.rows("t"), key=str) == [
        ('5" pipe', None),
        ('a"||b', "1"),
        ("f", "7"),
        ("two\n# lines, café", "4"),
    ]
    assert [row[1:] for row in rejected(folder)] == [
        ("3", "id", '6" pipe', REASONS["csv.quote_in_cell"], lines[4]),
        ("4", "id", '"x"y', REASONS["csv.after_quote"], lines[6]),
        ("5", "n", "many", MISFIT, lines[7]),
        ("7", None, None, "The row has 3 cells where 2 are expected", lines[10]),
        ("8", "n", "\u2400", REASONS["csv.nul"], "e\\|||\u2400"),
        (
            "10",
            "id",
            '"\\"||8\ng||9\n\ufffd||1',
            f"{REASONS['csv.unclosed_quote']}, and takes in what follows, 2 lines",
            '"\\"||8\ng||9\n\ufffd||1',
        ),
    ]


def test_no_bad_rows_make_an_empty_table(folder, run):
    configure(folder)
    folder.table("t.csv", "id,n\n1,1\n")
    assert run().done
    assert folder.rows("t.rejected") == []


def test_rows_are_numbered_within_their_slice_across_splits(folder, run):
    configure(folder, limits={"split_bytes": 700, "block_bytes": 200})
    bad = {1, 2, 77, 200, 399, 400}
    rows = [[row, "x" if row in bad else row] for row in range(1, 401)]
    folder.table("t.csv", csv_text(["id", "n"], rows))
    assert run().done
    assert [row[1:4] for row in rejected(folder)] == [(str(row), "n", "x") for row in sorted(bad)]
    assert len(folder.rows("t")) == 400 - len(bad)


def test_rows_are_numbered_within_their_slice_when_they_are_shuffled(folder, run):
    limits = {"split_bytes": 8000, "block_bytes": 1000, "direct_files": 1}
    configure(folder, limits=limits, partition_on=["id"])
    bad = {5, 999, 1000, 2500}
    rows = [[row % 300, "x" if row in bad else row] for row in range(1, 3001)]
    folder.table("t.csv", csv_text(["id", "n"], rows))
    assert run().done
    assert [row[1:4] for row in rejected(folder)] == [(str(row), "n", "x") for row in sorted(bad)]
    expected = sorted((str(number), str(n)) for number, n in rows if n != "x")
    assert sorted(folder.rows("t")) == expected


@pytest.mark.parametrize("packed", [False, True])
def test_every_slice_counts_its_own_rows(folder, run, packed):
    configure(folder)
    parts = [("1,1\n2,x\n"), ("3,x\n4,4\n5,5,5\n"), ("6,6\n")]
    slices = {
        f"part_{number}": gzip.compress(part.encode(), mtime=0) if packed else part for number, part in enumerate(parts)
    }
    folder.sliced("t.csv", slices, {"columns": ["id", "n"]})
    assert run().done
    assert [row[:3] for row in rejected(folder)] == [("part_0", "2", "n"), ("part_1", "1", "n"), ("part_1", "3", None)]


def test_a_null_in_a_partition_column_is_rejected_too(folder, run):
    configure(folder, {"id": "integer"}, partition_on=["n"], limits={"split_bytes": 300})
    rows = [[row, "" if row == 60 else row % 2] for row in range(1, 101)]
    rows[69][0] = "x"
    folder.table("t.csv", csv_text(["id", "n"], rows))
    assert run().done
    reason = "The row has no value in a partition column"
    assert rejected(folder) == [("t.csv", "60", "n", None, reason, "60,"), ("t.csv", "70", "id", "x", MISFIT, "x,0")]
    assert len(folder.rows("t")) == 98


def test_rows_that_are_no_utf8_are_rejected(folder, run):
    configure(folder)
    folder.table("t.csv", b"id,n\n1,1\n\xff,2\n3,3\n")
    assert run().done
    assert [row[1:3] for row in rejected(folder)] == [("2", "id")]
    assert sorted(folder.rows("t")) == [("1", "1"), ("3", "3")]


def test_a_slice_that_must_be_read_again_reports_its_bad_rows_once(folder, run):
    configure(folder, limits={"split_bytes": 400})
    rows = [f"{row},{'x' if row % 50 == 0 else row}" for row in range(1, 301)]
    rows[20] = '21"",21'
    rows[120] = '"a"b,121'
    rows[260] = '261",261'
    folder.table("t.csv", "id,n\n" + "\n".join(rows) + "\n")
    assert run().done
    strays = ["21", "121", "261"]
    assert [row[1] for row in rejected(folder)] == sorted(["50", "100", "150", "200", "250", "300", *strays], key=int)
    assert len(folder.rows("t")) == 291


def test_rows_that_an_open_enclosure_takes_in_are_rejected_and_not_the_file(folder, run):
    configure(folder)
    folder.table("t.csv", 'id,n\n1,1\n2,"2\n3,3\n')
    assert run().done
    assert folder.rows("t") == [("1", "1")]
    ((slice_name, number, column, _, reason, record),) = rejected(folder)
    assert (slice_name, number, column, record) == ("t.csv", "2", "n", '2,"2\n3,3')
    assert reason == "An enclosed cell is not closed before the file ends, and takes in what follows, 1 line"


def test_a_fault_of_the_whole_file_is_no_bad_row(folder, refused):
    configure(folder)
    folder.table("t.csv", gzip.compress(b"id,n\n1,1\n" * 50, mtime=0)[:-9])
    refused("gzip.truncated", "'t.csv'")
    assert folder.out_tables == []
