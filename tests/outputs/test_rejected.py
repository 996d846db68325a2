from component.formats.rows import BadRow
from component.outputs.rejected import write_rejected
from component.spark.jobs.job import SplitCount
from component.spark.jobs.rejects import Rejects
from tests.runner.data_folder import parse_output


def counted(scratch, slice_name, records, *rows):
    rejects = Rejects(slice_name, scratch)
    for row in rows:
        rejects.add([BadRow(row, "cell.type", "why", "c", "v", "r")])
    return SplitCount(slice_name, records, rejects.count, rejects.close())


def test_rows_are_numbered_from_the_beginning_of_their_slice(tmp_path):
    counts = [
        counted(tmp_path, "a", 10, 3, 10),
        counted(tmp_path, "a", 5),
        counted(tmp_path, "a", 5, 1),
        counted(tmp_path, "b", 4, 4),
    ]
    assert write_rejected(counts, tmp_path / "out.csv") == 4
    rows = list(parse_output((tmp_path / "out.csv").read_bytes()))
    assert [row[:2] for row in rows] == [("a", "3"), ("a", "10"), ("a", "16"), ("b", "4")]
    assert rows[0][2:] == ("c", "v", "why", "r")


def test_no_rows_make_an_empty_file(tmp_path):
    assert write_rejected([counted(tmp_path, "a", 10)], tmp_path / "out.csv") == 0
    assert (tmp_path / "out.csv").read_bytes() == b""
    assert list(tmp_path.iterdir()) == [tmp_path / "out.csv"]


def test_dropped_rejects_leave_no_file(tmp_path):
    rejects = Rejects("a", tmp_path)
    rejects.add([BadRow(1, "cell.type", "why", None, None, "r")])
    rejects.drop()
    assert list(tmp_path.iterdir()) == []
