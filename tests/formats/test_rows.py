from __future__ import annotations

import pytest

from component.errors import CODES, Place
from component.formats.rows import BadRow

PLACE = Place(table="flights", slice="part_1")


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("cell.type", "Correct the cell, change the column's type, or set on_bad_row to reject."),
        ("row.cells", "Correct the row, or set on_bad_row to reject."),
        ("csv.encoding", "Save the file as UTF-8, name its encoding, or set on_bad_row to reject."),
    ],
)
def test_a_bad_row_becomes_an_error_with_place_and_remedy(code, remedy):
    assert code in CODES
    error = BadRow(7, code, "It does not fit", "distance", "far", "1,far").error(PLACE)
    assert error.place == Place("flights", "part_1", 7, "distance", "far")
    assert str(error) == (
        "It does not fit (table 'flights', slice 'part_1', row 7, column 'distance', value 'far'). " + remedy
    )


def test_a_bad_row_without_a_faulty_cell_names_none():
    error = BadRow(2, "row.cells", "The row has 1 cells where 2 are expected", None, None, "1").error(PLACE)
    assert "column" not in str(error.place)
    assert "value" not in str(error.place)
