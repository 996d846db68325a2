"""Issue 2, point 12: tables and files that are not what they should be. Every test with a store and one without."""

import gzip
import zipfile

import pytest

from tests.runner.data_folder import csv_text

SMALL = {"split_bytes": 1500}
"""Cuts the tables here into a handful of splits."""
TYPES = {"id": "integer", "price": "numeric", "ratio": "float", "paid": "boolean", "day": "date", "at": "timestamp"}
GOOD = {"id": 1, "price": "1.50", "ratio": "1e3", "paid": "true", "day": "2026-01-02", "at": "2026-01-02 03:04:05"}


@pytest.fixture(params=["archive", "directory"])
def configure(request, folder):
    """Configure a dataset of the table `t.csv`, in both kinds of store."""

    def set_up(columns=None, *, limits=None, **facts):
        dataset = {"uuid": "t", "tables": [{"source": "t.csv", "columns": columns or {}}], **facts}
        settings = {"datasets": [dataset], "outputs": [{"dataset": "t"}], **({"limits": limits} if limits else {})}
        (folder.configure if request.param == "archive" else folder.file_store)(**settings)

    return set_up


def numbered(count, *, bad_row=0, bad="x"):
    return csv_text(["id", "n"], [[row, bad if row == bad_row else row] for row in range(1, count + 1)])


# --- cells that do not fit ---


@pytest.mark.parametrize(
    ("column", "value", "kind"),
    [
        ("id", "1.5", "integer"),
        ("id", "0x10", "integer"),
        ("id", "9223372036854775808", "integer"),
        ("price", "1.5.0", "numeric(38,9)"),
        ("price", "0.0123456789", "numeric(38,9)"),
        ("ratio", "one", "float"),
        ("paid", "maybe", "boolean"),
        ("day", "2026-02-30", "date"),
        ("day", "2026-01-02 03:04:05", "date"),
        ("at", "yesterday", "timestamp"),
    ],
)
def test_a_cell_that_does_not_fit_its_type(folder, configure, refused, column, value, kind):
    configure(TYPES)
    folder.table("t.csv", csv_text(list(GOOD), [GOOD.values(), GOOD.values(), {**GOOD, column: value}.values()]))
    place = ["table 't.csv'", "row 3", f"column '{column}'", f"value '{value}'"]
    refused("cell.type", f"does not fit the type {kind}", *place, "set on_bad_row to reject")


@pytest.mark.parametrize("bad_row", [1, 2, 400, 799, 800])
def test_a_row_is_counted_from_the_beginning_of_its_slice_in_whatever_split_it_is(folder, configure, refused, bad_row):
    configure({"n": "integer"}, limits=SMALL)
    folder.table("t.csv", numbered(800, bad_row=bad_row))
    refused("cell.type", "table 't.csv'", f"row {bad_row},", "column 'n'", "value 'x'")


def test_a_bad_cell_of_a_gzip_slice(folder, configure, refused):
    configure()
    manifest = {
        "columns": ["id", "n"],
        "schema": [],
        "column_metadata": {"n": [{"key": "KBC.datatype.basetype", "value": "INTEGER"}]},
    }
    parts = {"part_0": numbered(50), "part_1.gz": gzip.compress(numbered(50, bad_row=30).encode(), mtime=0)}
    folder.sliced("t.csv", parts, {**manifest, "has_header": True})
    refused("cell.type", "table 't.csv'", "slice 'part_1.gz'", "row 30", "column 'n'", "value 'x'")


def test_a_bad_cell_in_a_split_whose_rows_are_shuffled(folder, configure, refused):
    limits = {"split_bytes": 1500, "block_bytes": 300, "direct_files": 1}
    configure({"n": "integer"}, limits=limits, partition_on=["id"])
    folder.table("t.csv", numbered(400, bad_row=333))
    refused("cell.type", "table 't.csv'", "row 333,", "column 'n'", "value 'x'")


def test_a_cell_that_fits_no_format(folder, configure, refused):
    configure({"n": {"type": "date", "formats": ["%d.%m.%Y", "%Y/%m/%d"]}})
    folder.table("t.csv", "id,n\n1,24.12.2025\n2,2025/12/24\n3,2025-12-24\n")
    refused("cell.type", "row 3", "value '2025-12-24'", "%d.%m.%Y, %Y/%m/%d")


def test_an_empty_cell_that_may_not_be_null(folder, configure, refused):
    configure({"n": {"type": "integer", "nulls": "never"}})
    folder.table("t.csv", "id,n\n1,1\n2,\n")
    refused("cell.type", "row 2", "column 'n'")


# --- rows ---


@pytest.mark.parametrize(("row", "count"), [("5", 1), ("5,6,7", 3), ("5,6,7,8,9", 5)])
def test_a_row_with_another_number_of_cells(folder, configure, refused, row, count):
    configure(limits=SMALL)
    folder.table("t.csv", numbered(700) + row + "\n" + numbered(5))
    refused("row.cells", f"The row has {count} cells where 2 are expected", "row 701", "Correct the row")


def test_a_null_in_a_partition_column(folder, configure, refused):
    configure(partition_on=["n"], limits=SMALL)
    folder.table("t.csv", csv_text(["id", "n"], [[row, "" if row == 600 else row % 3] for row in range(1, 801)]))
    refused("row.null_partition", "row 600", "column 'n'", "set on_bad_row to reject")


# --- text ---


@pytest.mark.parametrize("limits", [None, SMALL])
def test_a_quote_that_is_not_closed(folder, configure, refused, limits):
    configure(limits=limits)
    folder.table("t.csv", numbered(400) + '401,"open\n' + numbered(400))
    refused("csv.unclosed_quote", "table 't.csv'", "row 401", "Close the cell")


def test_a_quote_that_is_not_closed_in_a_gzip_file(folder, configure, refused):
    configure()
    folder.table("t.csv", gzip.compress((numbered(40) + '41,"open\n').encode(), mtime=0))
    refused("csv.unclosed_quote", "row 41")


def test_a_header_that_is_not_closed(folder, configure, refused):
    configure()
    folder.table("t.csv", 'id,"n\n1,2\n')
    refused("csv.unclosed_quote", "'t.csv'")


@pytest.mark.parametrize("limits", [None, SMALL])
@pytest.mark.parametrize("packed", [False, True])
def test_bytes_that_are_no_utf8(folder, configure, refused, packed, limits):
    configure(limits=limits)
    data = bytearray(numbered(600).encode())
    data[3001] = 0xFF
    folder.table("t.csv", gzip.compress(data, mtime=0) if packed else bytes(data))
    refused("csv.encoding", "not valid UTF-8", "table 't.csv'", "row 402", "byte 3001", "Save the file as UTF-8")


def test_a_header_that_is_no_utf8(folder, configure, refused):
    configure()
    folder.table("t.csv", b"id,n\xe9e\n1,2\n")
    refused("csv.encoding", "0xe9", "'t.csv'", "byte 4")


def test_text_that_is_utf16(folder, configure, refused):
    configure()
    folder.table("t.csv", numbered(3).encode("utf-16"))
    refused("csv.encoding", "0xff", "byte 0")


# --- gzip ---


@pytest.mark.parametrize("kept", [0.05, 0.5, 0.999])
def test_a_gzip_file_that_ends_early(folder, configure, refused, kept):
    configure()
    whole = gzip.compress(numbered(20000).encode(), mtime=0)
    folder.table("t.csv", whole[: int(len(whole) * kept)])
    refused("gzip.truncated", "ends early or is damaged", "'t.csv'", "again")


def test_a_gzip_slice_that_ends_early(folder, configure, refused):
    configure()
    whole = gzip.compress(b"1,2\n" * 5000, mtime=0)
    folder.sliced("t.csv", {"part_0": "1,2\n", "part_1": whole[:-20]}, {"columns": ["id", "n"]})
    refused("gzip.truncated", "table 't.csv'", "slice 'part_1'")


def test_a_gzip_file_with_a_damaged_byte(folder, configure, refused):
    configure()
    whole = bytearray(gzip.compress(numbered(20000).encode(), mtime=0))
    whole[-6] ^= 0xFF
    folder.table("t.csv", bytes(whole))
    refused("gzip.truncated", "'t.csv'")


# --- slices ---


def test_slices_with_different_headers(folder, configure, refused):
    configure()
    folder.sliced("t.csv", {"part_0": "id,n\n1,2\n", "part_1": "id,n,m\n1,2,3\n"}, {"has_header": True})
    refused("column.sets_differ", "table 't.csv'", "slice 'part_1'", "id, n, m", "same columns")


@pytest.mark.parametrize("packed", [False, True])
def test_slices_without_header_that_have_another_number_of_columns(folder, configure, refused, packed):
    configure()
    other = b"1,2,3\n4,5,6\n7,8,9\n"
    parts = {"part_0": "1,2\n3,4\n", "part_1": gzip.compress(other, mtime=0) if packed else other}
    folder.sliced("t.csv", parts, {"columns": ["id", "n"]})
    refused("column.sets_differ", "table 't.csv'", "slice 'part_1'", "3 cells where 2 are", "id, n")


def test_one_first_row_with_another_number_of_cells_is_a_bad_row_only(folder, configure, refused):
    configure()
    folder.sliced("t.csv", {"part_0": "1,2\n3,4\n", "part_1": "1,2,3\n4,5\n6,7\n"}, {"columns": ["id", "n"]})
    refused("row.cells", "slice 'part_1'", "row 1")


# --- what is there already ---


@pytest.mark.parametrize("cut", [0, 10, 60, 0.5, 0.99])
def test_a_dataset_archive_that_is_damaged(folder, run, refused, cut):
    folder.table("t.csv", numbered(500))
    assert run().done
    folder.next_run()
    archive = folder.root / "in" / "files" / "t.dataset.zip"
    whole = archive.read_bytes()
    archive.write_bytes(whole[: int(cut if cut > 1 else len(whole) * cut)])
    refused("store.archive", "t.dataset.zip")


def test_a_dataset_archive_with_a_name_that_leads_out(folder, refused):
    with zipfile.ZipFile(folder.root / "in" / "files" / "t.dataset.zip", "w") as archive:
        archive.writestr("../../evil", "x")
        archive.writestr("t.by-dataset-metadata.json", "{}")
    folder.table("t.csv", numbered(3))
    refused("store.archive", "t.dataset.zip", "../../evil")


@pytest.mark.parametrize(
    ("second", "facts", "code", "says"),
    [
        ("id,other\n1,2\n", {"columns": {}}, "dataset.schema", "other"),
        ("id,n\n1,x\n", {"columns": {"n": "string"}}, "dataset.schema", "n"),
        ("id,n\n1,2\n", {"columns": {"n": "date"}}, "dataset.schema", "n"),
        ("id,n\n1,2\n", {"partition_on": ["n"]}, "dataset.partitioning", "partitioned by id, and n is configured"),
        ("id,n\n1,2\n", {"secondary_indices": ["id"], "partition_on": []}, "dataset.partitioning", "indexed by"),
    ],
)
def test_an_append_that_does_not_fit(folder, configure, run, refused, second, facts, code, says):
    folder.table("t.csv", numbered(20))
    configure({"n": "integer"}, partition_on=["id"])
    assert run().done
    folder.next_run()
    folder.table("t.csv", second)
    more = {name: value for name, value in facts.items() if name != "columns"}
    configure(facts.get("columns", {"n": "integer"}), mode="append", **more)
    refused(code, "t", says)


def test_a_failed_append_leaves_the_dataset_that_was_there(folder, configure, run, refused):
    folder.table("t.csv", numbered(200))
    configure({"n": "integer"}, secondary_indices=["id"])
    assert run().done
    folder.next_run()
    folder.table("t.csv", numbered(900, bad_row=850))
    configure({"n": "integer"}, secondary_indices=["id"], mode="append", limits=SMALL)
    refused("cell.type", "row 850")
    folder.table("t.csv", numbered(100))
    assert run().done
    assert len(folder.rows("t")) == 300
